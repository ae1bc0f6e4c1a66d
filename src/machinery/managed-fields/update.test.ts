import { describe, expect, it, test } from 'vitest';
import { schemas } from '../../../test/support/schemas.ts';
import type { KubeObject, ManagedFieldsEntry } from '../object-meta.ts';
import { RawJson, type JsonObject, type JsonValue } from '../value.ts';
import { createBuiltInTypes } from './built-in-types.ts';
import { FieldSet } from './field-set.ts';
import { type FieldFilter } from './index.ts';
import { second, timeOf, configMap, update, stored, changed, fieldsOf, entries, entry } from './testing/updates.ts';

describe('managed fields of a create', () => {
  it('Managed fields of a create are everything but identity', () => {
    const object = configMap(
      { k: 'v' },
      {
        generateName: 'a-',
        labels: { x: 'y' },
        finalizers: ['f'],
        uid: 'u',
        generation: 1,
        creationTimestamp: timeOf(0),
        namespace: 'n',
      },
    );
    expect(entries(update({ object }))).toEqual([
      entry('m', {
        'f:data': { '.': {}, 'f:k': {} },
        'f:metadata': {
          'f:finalizers': { '.': {}, 'v:"f"': {} },
          'f:generateName': {},
          'f:labels': { '.': {}, 'f:x': {} },
        },
      }),
    ]);
  });

  it('Managed fields of a create leave out what the resource resets, by path or by filter', () => {
    const object = { metadata: { name: 'p' }, spec: { hostname: 'h' }, status: { phase: 'Running' } } as KubeObject;
    const specOnly: FieldFilter = (fields) => fields.intersection(FieldSet.ofFields(['spec', 'hostname']));
    for (const resetFields of [[['status']], specOnly]) {
      expect(entries(update({ object, typeId: 'core/v1.Pod', resetFields }))).toEqual([
        entry('m', { 'f:spec': { 'f:hostname': {} } }),
      ]);
    }
  });

  it('Managed fields of a create are those of a reference, one by one where the field says so', () => {
    const volume = { metadata: { name: 'v' }, spec: { claimRef: { namespace: 'n', name: 'c' } } } as KubeObject;
    const event = { metadata: { name: 'e' }, involvedObject: { namespace: 'n', name: 'c' } } as KubeObject;
    expect(entries(update({ object: volume, typeId: 'core/v1.PersistentVolume' }))).toEqual([
      entry('m', { 'f:spec': { 'f:claimRef': { '.': {}, 'f:name': {}, 'f:namespace': {} } } }),
    ]);
    expect(entries(update({ object: event, typeId: 'core/v1.Event' }))).toEqual([
      expect.objectContaining({ fieldsV1: expect.objectContaining({ 'f:involvedObject': {} }) }),
    ]);
  });

  it('Managed fields of a create are those of "unknown" without a name', () => {
    expect(update({ object: configMap({ k: 'v' }), manager: '' }).metadata!.managedFields![0]!.manager).toBe('unknown');
  });

  it('Managed fields of a create are absent when nothing is set', () => {
    expect(update({ object: configMap() }).metadata!.managedFields).toBeUndefined();
  });

  it('Managed fields of a create are absent when a list item has no identity', () => {
    const object = {
      metadata: { name: 'p', labels: { a: 'b' } },
      spec: { containers: [null] },
    } as unknown as KubeObject;
    expect(update({ object, typeId: 'core/v1.Pod' }).metadata!.managedFields).toBeUndefined();
  });

  it('Managed fields of a create are absent when the object is nested beyond measure', () => {
    let nested: JsonValue = {};
    for (let depth = 0; depth < 100_000; depth++) nested = { a: nested };
    expect(
      update({
        object: { metadata: { name: 'x' }, spec: nested } as KubeObject,
        typeId: { map: createBuiltInTypes(schemas).of('meta/v1.FieldsV1').map! },
      }).metadata!.managedFields,
    ).toBeUndefined();
  });
});

describe('managed fields of an update', () => {
  const created = stored(update({ object: configMap({ k: 'v', l: 'v' }), manager: 'one' }));

  it('Managed fields of an update move what changed to its manager', () => {
    const next = update({
      live: created,
      object: changed(created, { k: 'v', l: 'w', n: 'x' }),
      manager: 'two',
      now: second(5),
    });
    expect(entries(next)).toEqual([
      entry('one', { 'f:data': { '.': {}, 'f:k': {} } }),
      entry('two', { 'f:data': { 'f:l': {}, 'f:n': {} } }, { time: timeOf(5) }),
    ]);
  });

  it('Managed fields of an update forget what is gone', () => {
    expect(
      entries(update({ live: created, object: changed(created, { k: 'v' }), manager: 'two', now: second(5) })),
    ).toEqual([entry('one', { 'f:data': { '.': {}, 'f:k': {} } })]);
    expect(
      update({ live: created, object: changed(created, {}), manager: 'two' }).metadata!.managedFields,
    ).toBeUndefined();
  });

  it('Managed fields of an update stay as they are, time included, when nothing changed', () => {
    expect(entries(update({ live: created, object: { ...created }, manager: 'two', now: second(5) }))).toEqual(
      entries(created),
    );
    expect(entries(update({ live: created, object: { ...created }, manager: 'one', now: second(5) }))).toEqual(
      entries(created),
    );
  });

  it('Managed fields of an update keep the text of entries that stay', () => {
    const next = update({
      live: created,
      object: changed(created, { k: 'v', l: 'v', n: 'x' }),
      manager: 'two',
      now: second(5),
    });
    expect(next.metadata!.managedFields![0]!.fieldsV1).toBe(created.metadata!.managedFields![0]!.fieldsV1);
  });

  it('Managed fields of an update join earlier changes of the same manager', () => {
    const next = update({
      live: created,
      object: changed(created, { k: 'v', l: 'w', n: 'x' }),
      manager: 'one',
      now: second(5),
    });
    expect(entries(next)).toEqual([
      entry('one', { 'f:data': { '.': {}, 'f:k': {}, 'f:l': {}, 'f:n': {} } }, { time: timeOf(5) }),
    ]);
  });

  it('Managed fields of an update are told apart by subresource and version', () => {
    const status = update({
      live: created,
      object: changed(created, { k: '1', l: 'v' }),
      manager: 'one',
      subresource: 'status',
      now: second(5),
    });
    expect(entries(status)).toEqual([
      entry('one', { 'f:data': { '.': {}, 'f:l': {} } }),
      entry('one', { 'f:data': { 'f:k': {} } }, { time: timeOf(5), subresource: 'status' }),
    ]);
  });

  it('Managed fields of an update change neither the live object nor the new one', () => {
    const object = changed(created, { k: 'w' });
    const before = structuredClone({ ...object, metadata: { ...object.metadata, managedFields: undefined } });
    const recorded = created.metadata!.managedFields;
    update({ live: created, object, manager: 'two' });
    expect({ ...object, metadata: { ...object.metadata, managedFields: undefined } }).toEqual(before);
    expect(created.metadata!.managedFields).toBe(recorded);
    expect(entries(created)).toHaveLength(1);
  });

  it('Managed fields of an update are not kept for an object that has none', () => {
    const untracked = stored(configMap({ k: 'v' }));
    expect(update({ live: untracked, object: changed(untracked, { k: 'w' }) }).metadata!.managedFields).toBeUndefined();
  });

  it('Managed fields of an update forget managers of a version that is gone', () => {
    const live = stored({
      ...created,
      metadata: { ...created.metadata, managedFields: [{ ...created.metadata!.managedFields![0]!, apiVersion: 'v0' }] },
    });
    expect(entries(update({ live, object: changed(live, { k: 'v', l: 'w' }), manager: 'two' }))).toEqual([
      entry('two', { 'f:data': { 'f:l': {} } }),
    ]);
  });

  it('Managed fields of an update compare in the version of each manager', () => {
    const versions = {
      typeOf: (apiVersion: string) => (apiVersion === 'v0' ? 'core/v1.Secret' : undefined),
      convert: (object: JsonObject) => ({ ...object, data: undefined, stringData: object['data'] }) as JsonObject,
    };
    const old = {
      ...created.metadata!.managedFields![0]!,
      apiVersion: 'v0',
      fieldsV1: new RawJson('{"f:stringData":{".":{},"f:k":{},"f:l":{}}}').asValue(),
    };
    const live = stored({ ...created, metadata: { ...created.metadata, managedFields: [old] } });
    expect(entries(update({ live, object: changed(live, { k: 'v', l: 'w' }), manager: 'two', versions }))).toEqual([
      entry('one', { 'f:stringData': { '.': {}, 'f:k': {} } }, { apiVersion: 'v0' }),
      entry('two', { 'f:data': { 'f:l': {} } }),
    ]);
  });
});

describe('managed fields that a client sends', () => {
  const created = stored(update({ object: configMap({ k: 'v' }), manager: 'one' }));
  const sending = (managedFields: ManagedFieldsEntry[] | undefined, subresource = '') =>
    update({
      live: created,
      object: { ...created, metadata: { ...created.metadata, managedFields } },
      manager: 'two',
      subresource,
    });
  const other: ManagedFieldsEntry[] = [
    { ...entry('other', {}), fieldsV1: new RawJson('{"f:data":{"f:k":{}}}').asValue() },
  ];

  it('Sent managed fields replace the recorded ones', () =>
    expect(entries(sending(other))).toEqual([entry('other', { 'f:data': { 'f:k': {} } })]));
  it('Managed fields that a client sends count as plain JSON too', () =>
    expect(fieldsOf(sending([entry('other', { 'f:data': { 'f:k': {} } })]).metadata!.managedFields![0]!)).toEqual({
      'f:data': { 'f:k': {} },
    }));

  it('Managed fields that a client sends are stored in their one order, whatever the order sent', () => {
    const key = (port: number): string => `k:${JSON.stringify({ port, protocol: 'TCP' })}`;
    const sent = entry('other', { 'f:spec': { 'f:ports': { [key(443)]: {}, [key(80)]: {}, '.': {} } } });
    expect((sending([sent]).metadata!.managedFields![0]!.fieldsV1 as unknown as RawJson).text).toBe(
      JSON.stringify({ 'f:spec': { 'f:ports': { '.': {}, [key(80)]: {}, [key(443)]: {} } } }),
    );
  });
  it('Managed fields that a client sends are reset by an empty list, or one empty entry', () => {
    expect(sending([]).metadata!.managedFields).toBeUndefined();
    expect(sending([{}]).metadata!.managedFields).toBeUndefined();
  });
  it('Managed fields that a client sends are those of the live object when left out', () =>
    expect(entries(sending(undefined))).toEqual(entries(created)));
  it('Managed fields that a client sends do not count through a subresource', () =>
    expect(entries(sending(other, 'status'))).toEqual(entries(created)));

  test.each<{ name: string; bad: ManagedFieldsEntry }>([
    { name: 'operation', bad: { ...entry('x', {}), operation: 'Remove' } },
    { name: 'version', bad: { ...entry('x', {}), apiVersion: '' } },
    { name: 'fields type', bad: { ...entry('x', {}), fieldsType: 'FieldsV2' } },
    { name: 'fields', bad: entry('x', { odd: {} }) },
  ])('Managed fields that a client sends do not count with a wrong $name', ({ bad }) =>
    expect(entries(sending([bad]))).toEqual(entries(created)),
  );
});
