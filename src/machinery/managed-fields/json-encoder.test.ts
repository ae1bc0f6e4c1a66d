import { readdirSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { answeredObject, goldenCases, hasGolden } from '../../../test/support/golden.ts';
import { schemas } from '../../../test/support/schemas.ts';
import { sharedPath } from '../../../test/support/shared.ts';
import { RawJson, type JsonObject } from '../value.ts';
import { createJsonEncoder } from './json-encoder.ts';

const toEncodedJson = createJsonEncoder(schemas);

describe('the JSON encoding of an object in normal encoding', () => {
  test.each<{ name: string; type: string; object: JsonObject; encoding: JsonObject }>([
    {
      name: 'zero values that are always written',
      type: 'autoscaling/v1.HorizontalPodAutoscalerStatus',
      object: {},
      encoding: { currentReplicas: 0, desiredReplicas: 0 },
    },
    {
      name: 'null for times and lists',
      type: 'rbac/v1.Role',
      object: { metadata: { name: 'r' } },
      encoding: { metadata: { name: 'r', creationTimestamp: null }, rules: null },
    },
    {
      name: 'structs, and what is always in them',
      type: 'apps/v1.Deployment',
      object: {},
      encoding: {
        metadata: { creationTimestamp: null },
        spec: {
          selector: null,
          strategy: {},
          template: { metadata: { creationTimestamp: null }, spec: { containers: null } },
        },
        status: {},
      },
    },
    {
      name: 'zero behind a pointer',
      type: 'apps/v1.DeploymentSpec',
      object: { replicas: 0 },
      encoding: {
        replicas: 0,
        selector: null,
        strategy: {},
        template: { metadata: { creationTimestamp: null }, spec: { containers: null } },
      },
    },
    {
      name: 'items of lists',
      type: 'core/v1.PodSpec',
      object: { containers: [{ name: 'c' }] },
      encoding: { containers: [{ name: 'c', resources: {} }] },
    },
    {
      name: 'values of maps',
      type: 'core/v1.ConfigMap',
      object: { data: { __proto__: null, k: '' } as unknown as JsonObject },
      encoding: { metadata: { creationTimestamp: null }, data: { k: '' } },
    },
    {
      name: 'zero quantities and ports',
      type: 'core/v1.ServicePort',
      object: { port: 1 },
      encoding: { port: 1, targetPort: 0 },
    },
  ])('The JSON encoding of an object in normal encoding has $name', ({ type, object, encoding }) => {
    expect(toEncodedJson(object, type)).toEqual(encoding);
  });

  it('The JSON encoding of an object in normal encoding leaves out zero values that JSON leaves out, and null', () => {
    expect(
      toEncodedJson(
        { hostname: '', hostPID: false, volumes: [], nodeSelector: {}, priority: null, containers: [] },
        'core/v1.PodSpec',
      ),
    ).toEqual({ containers: [] });
  });

  it('JSON that an object carries is parsed for managed fields', () => {
    expect(
      toEncodedJson({ data: new RawJson('{"a":[1]}').asValue(), revision: 1 }, 'apps/v1.ControllerRevision'),
    ).toEqual({ metadata: { creationTimestamp: null }, data: { a: [1] }, revision: 1 });
  });

  it('The JSON encoding of an object in normal encoding leaves field sets closed', () => {
    const fieldsV1 = new RawJson('{"f:data":{}}').asValue();
    expect(toEncodedJson({ manager: 'm', fieldsV1 }, 'meta/v1.ManagedFieldsEntry')).toEqual({ manager: 'm', fieldsV1 });
  });

  it('The JSON encoding of an object keeps keys that are special in JavaScript, and shares nothing', () => {
    const labels = Object.assign(Object.create(null) as JsonObject, { constructor: 'x' });
    labels['__proto__'] = 'y';
    const encoding = toEncodedJson({ labels, finalizers: ['a'] }, 'meta/v1.ObjectMeta');
    expect(Object.keys(encoding['labels'] as JsonObject)).toEqual(['constructor', '__proto__']);
    expect(encoding['labels']).not.toBe(labels);
  });
});

const files = hasGolden ? readdirSync(sharedPath('golden')).filter((file) => file.startsWith('kinds-')) : [];
const answers = files
  .flatMap((file) => goldenCases(file))
  .flatMap(({ name, steps }) =>
    steps.flatMap((step, index) => {
      const object = answeredObject(step);
      const typeId = object && schemas.ofKind(object['apiVersion'] as string, object['kind'] as string);
      return object === undefined || typeId === undefined || object['kind'] === 'Table'
        ? []
        : [{ title: `${name}, step ${index}`, object, typeId }];
    }),
  );

describe.skipIf(!hasGolden)('the JSON encoding of recorded answers (skipped where they are absent)', () => {
  test.each(answers)('The JSON encoding of recorded answers: $title', ({ object, typeId }) => {
    expect(toEncodedJson(object, typeId)).toEqual(object);
  });
});
