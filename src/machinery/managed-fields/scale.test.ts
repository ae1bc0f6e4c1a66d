import { describe, expect, it } from 'vitest';
import { schemas } from '../../../test/support/schemas.ts';
import type { KubeObject, ManagedFieldsEntry } from '../object-meta.ts';
import { RawJson, type JsonObject } from '../value.ts';
import { createFieldManager, managedFieldsAfterScale, managedFieldsOfScale, type ScaledResource } from './index.ts';

const fieldManager = createFieldManager({ schemas });
const deployments: ScaledResource = {
  apiVersion: 'apps/v1',
  replicasPaths: new Map([
    ['apps/v1', ['spec', 'replicas']],
    ['apps/v1beta1', ['spec', 'replicas']],
    ['apps/v1none', undefined],
  ]),
};
const now = new Date('2024-01-01T00:00:00Z');

const entry = (manager: string, fields: JsonObject, more: Partial<ManagedFieldsEntry> = {}): ManagedFieldsEntry => ({
  manager,
  operation: 'Update',
  apiVersion: 'apps/v1',
  time: '2023-01-01T00:00:00Z',
  fieldsType: 'FieldsV1',
  fieldsV1: new RawJson(JSON.stringify(fields)).asValue(),
  ...more,
});
const replicas = { 'f:spec': { 'f:replicas': {} } };
const rest = { 'f:spec': { 'f:selector': {} } };
const both = { 'f:spec': { 'f:replicas': {}, 'f:selector': {} } };

const readable = (entries: ManagedFieldsEntry[] | undefined) =>
  (entries ?? []).map(({ manager, operation, apiVersion, subresource, time, fieldsV1 }) => ({
    who: [manager, operation, apiVersion, subresource, time].filter((part) => part !== undefined).join(' '),
    fields: JSON.parse((fieldsV1 as unknown as RawJson).text) as JsonObject,
  }));

/** A change of the Scale from one number to another, as its resource would record it. */
function scale(
  entries: ManagedFieldsEntry[],
  from: number,
  to: number,
  manager = 'hpa',
): ManagedFieldsEntry[] | undefined {
  const live = {
    metadata: { name: 'd', uid: 'u', managedFields: managedFieldsOfScale(entries, deployments) },
    spec: { replicas: from },
  } as KubeObject;
  const object = { ...live, spec: { replicas: to } } as KubeObject;
  const scaled = fieldManager.update({
    live,
    object,
    manager,
    subresource: 'scale',
    apiVersion: 'autoscaling/v1',
    typeId: 'autoscaling/v1.Scale',
    now,
  });
  return managedFieldsAfterScale(entries, scaled, deployments);
}

describe('managed fields of a Scale', () => {
  it('Managed fields of a Scale are those of the replicas, in its own words', () => {
    const entries = [
      entry('one', both),
      entry('two', rest),
      entry('three', replicas, { operation: 'Apply', apiVersion: 'apps/v1beta1' }),
      entry('four', replicas, { apiVersion: 'apps/v1gone' }),
      entry('five', both, { apiVersion: 'apps/v1none' }),
    ];
    expect(readable(managedFieldsOfScale(entries, deployments))).toEqual([
      { who: 'three Apply autoscaling/v1 2023-01-01T00:00:00Z', fields: replicas },
      { who: 'one Update autoscaling/v1 2023-01-01T00:00:00Z', fields: replicas },
    ]);
  });

  it('Managed fields of a Scale are none when the replicas have no owner', () =>
    expect(managedFieldsOfScale([entry('two', rest)], deployments)).toBeUndefined());
});

describe('managed fields after scaling', () => {
  it('Managed fields after scaling give the replicas to the manager that scaled', () => {
    expect(readable(scale([entry('one', both)], 1, 4))).toEqual([
      { who: 'hpa Update apps/v1 scale', fields: replicas },
      { who: 'one Update apps/v1 2023-01-01T00:00:00Z', fields: rest },
    ]);
  });

  it('Managed fields after scaling drop an owner that has nothing else', () => {
    expect(readable(scale([entry('one', replicas), entry('two', rest)], 1, 4))).toEqual([
      { who: 'hpa Update apps/v1 scale', fields: replicas },
      { who: 'two Update apps/v1 2023-01-01T00:00:00Z', fields: rest },
    ]);
  });

  it('Managed fields after scaling stay when nothing was scaled', () => {
    expect(readable(scale([entry('one', both)], 4, 4))).toEqual([
      { who: 'one Update apps/v1 2023-01-01T00:00:00Z', fields: both },
    ]);
  });

  it('Managed fields after scaling keep one entry for a manager that scales again', () => {
    const once = scale([entry('one', both)], 1, 4)!;
    expect(readable(scale(once, 4, 5))).toEqual(readable(once));
  });

  it('Managed fields after scaling forget versions that are gone, and keep those without replicas', () => {
    expect(
      readable(
        scale(
          [
            entry('one', both, { apiVersion: 'apps/v1gone' }),
            entry('two', both, { apiVersion: 'apps/v1none' }),
            entry('three', replicas),
          ],
          1,
          4,
        ),
      ),
    ).toEqual([
      { who: 'hpa Update apps/v1 scale', fields: replicas },
      { who: 'two Update apps/v1none 2023-01-01T00:00:00Z', fields: both },
    ]);
  });
});
