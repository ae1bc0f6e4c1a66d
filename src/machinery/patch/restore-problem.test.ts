import { describe, expect, test } from 'vitest';
import { schemas } from '../../../test/support/schemas.ts';
import { Plans } from '../codec/plan.ts';
import type { JsonObject } from '../value.ts';
import { restoreProblem } from './restore-problem.ts';

const plans = new Plans(schemas);

describe('the result of a strategic merge', () => {
  test.each<[value: JsonObject, type: string, problem: string | undefined]>([
    [{ data: { k: 'v' }, binaryData: { k: 'AA==' } }, 'core/v1.ConfigMap', undefined],
    [{ data: null }, 'core/v1.ConfigMap', undefined],
    [{ data: 'x' }, 'core/v1.ConfigMap', 'cannot restore map from string'],
    [{ data: [] }, 'core/v1.ConfigMap', 'cannot restore map from slice'],
    [{ data: { k: 5 } }, 'core/v1.ConfigMap', 'cannot convert int64 to string'],
    [{ data: { k: 1.5 } }, 'core/v1.ConfigMap', 'unrecognized type: string'],
    [{ data: { k: true } }, 'core/v1.ConfigMap', 'unrecognized type: string'],
    [{ immutable: 'no' }, 'core/v1.ConfigMap', 'unrecognized type: bool'],
    [{ binaryData: { k: '!' } }, 'core/v1.ConfigMap', 'error decoding from json: illegal base64 data at input byte 0'],
    [{ binaryData: { k: {} } }, 'core/v1.ConfigMap', 'cannot restore slice from map'],
    [{ binaryData: { k: [1] } }, 'core/v1.ConfigMap', undefined],
    [{ metadata: 3 }, 'core/v1.ConfigMap', 'cannot restore struct from: int64'],
    [{ metadata: { finalizers: 'x' } }, 'core/v1.ConfigMap', 'cannot restore slice from string'],
    [
      { metadata: { creationTimestamp: 5 } },
      'core/v1.ConfigMap',
      'json: cannot unmarshal number into Go value of type string',
    ],
    [{ spec: { type: 5 } }, 'core/v1.Service', 'cannot convert int64 to v1.ServiceType'],
    [{ spec: { ports: [{ port: 'x' }] } }, 'core/v1.Service', 'unrecognized type: int32'],
    [{ spec: { ports: [{ port: 1.5 }] } }, 'core/v1.Service', 'cannot convert float64 to int32'],
    [
      { spec: { ports: [{ targetPort: true }] } },
      'core/v1.Service',
      'json: cannot unmarshal bool into Go value of type int32',
    ],
    [{ spec: 'x', metadata: 'y' }, 'core/v1.Service', 'cannot restore struct from: string'],
    [{ spec: { replicas: 'x' } }, 'apps/v1.Deployment', 'unrecognized type: int32'],
  ])('The result of a strategic merge %j of %s has the problem %s', (value, type, problem) => {
    expect(restoreProblem(plans, type, value)).toBe(problem);
  });
});
