import { describe, expect, test } from 'vitest';
import { fieldErrorText } from '../../machinery/field-error.ts';
import type { ObjectMeta } from '../../machinery/object-meta.ts';
import { labelName, pathSegmentName, subdomainName } from './name-rules.ts';
import {
  validateBuiltInMeta,
  validateBuiltInMetaUpdate,
  validateObjectMeta,
  validateObjectMetaUpdate,
} from './object-meta.ts';

const create = (meta: ObjectMeta) =>
  validateBuiltInMeta({ name: 'a', namespace: 'ns', ...meta }, { namespaced: true, validateName: subdomainName }).map(
    fieldErrorText,
  );
const stored: ObjectMeta = {
  name: 'a',
  namespace: 'ns',
  uid: 'u',
  resourceVersion: '1',
  generation: 2,
  creationTimestamp: '2024-05-01T10:00:00Z',
};
const update = (change: ObjectMeta, old: ObjectMeta = {}) =>
  validateBuiltInMetaUpdate({ ...stored, ...change }, { ...stored, ...old }).map(fieldErrorText);

describe('metadata of a new object', () => {
  test.each<{ name: string; meta: ObjectMeta; errors: string[] }>([
    {
      name: 'nothing wrong',
      meta: { labels: { a: 'b' }, annotations: { 'A/b': 'any text' }, finalizers: ['orphan', 'a.b/c'] },
      errors: [],
    },
    {
      name: 'an event as owner, in Go syntax',
      meta: { ownerReferences: [{ apiVersion: 'v1', kind: 'Event', name: 'n', uid: 'u', controller: true }] },
      errors: [
        'metadata.ownerReferences: Invalid value: v1.OwnerReference{APIVersion:"v1", Kind:"Event", Name:"n", ' +
          'UID:"u", Controller:(*bool)(0xc000000000), BlockOwnerDeletion:(*bool)(nil)}: /v1, Kind=Event is ' +
          'disallowed from being an owner',
      ],
    },
    {
      name: 'no name',
      meta: { name: '' },
      errors: ['metadata.name: Required value: name or generateName is required'],
    },
    { name: 'prefix may end in a hyphen', meta: { generateName: 'web-' }, errors: [] },
    { name: 'no namespace', meta: { namespace: '' }, errors: ['metadata.namespace: Required value'] },
    {
      name: 'namespace with a dot',
      meta: { namespace: 'a.b' },
      errors: ['metadata.namespace: Invalid value: "a.b": must not contain dots'],
    },
    {
      name: 'negative generation',
      meta: { generation: -1 },
      errors: ['metadata.generation: Invalid value: -1: must be greater than or equal to 0'],
    },
    {
      name: 'two controllers',
      meta: {
        ownerReferences: ['x', 'y'].map((name) => ({ apiVersion: 'v1', kind: 'A', name, uid: name, controller: true })),
      },
      errors: [
        expect.stringContaining(
          'Only one reference can have Controller set to true. Found "true" in references for A/x and A/y',
        ) as string,
      ],
    },
    {
      name: 'owner without version',
      meta: { ownerReferences: [{ apiVersion: 'a/b/c', kind: 'A', name: 'x', uid: 'y' }] },
      errors: ['metadata.ownerReferences.apiVersion: Invalid value: "a/b/c": version must not be empty'],
    },
    {
      name: 'both finalizers of garbage collection',
      meta: { finalizers: ['orphan', 'foregroundDeletion'] },
      errors: [
        'metadata.finalizers: Invalid value: []string{"orphan", "foregroundDeletion"}: finalizer orphan and ' +
          'foregroundDeletion cannot be both set',
      ],
    },
    {
      name: 'finalizer without a domain',
      meta: { finalizers: ['mine'] },
      errors: [
        'metadata.finalizers[0]: Invalid value: "mine": name is neither a standard finalizer name nor is ' +
          'it fully qualified',
      ],
    },
    { name: 'annotations at the limit', meta: { annotations: { a: 'b'.repeat(256 * 1024 - 1) } }, errors: [] },
    {
      name: 'annotations over the limit in bytes, not characters',
      meta: { annotations: { a: 'é'.repeat(128 * 1024) } },
      errors: ['metadata.annotations: Too long: may not be more than 262144 bytes'],
    },
    {
      name: 'managed fields',
      meta: { managedFields: [{ operation: 'X', fieldsType: 'Y', manager: 'a\n', subresource: 's'.repeat(257) }] },
      errors: [
        'metadata.managedFields[0].operation: Invalid value: "X": must be `Apply` or `Update`',
        'metadata.managedFields[0].fieldsType: Invalid value: "Y": must be `FieldsV1`',
        'metadata.managedFields[0].manager: Invalid value: "a\\n": invalid character U+000A (at position 1)',
        'metadata.managedFields[0].subresource: Too long: may not be more than 256 bytes',
      ],
    },
  ])('Metadata of a new object: $name', ({ meta, errors }) => expect(create(meta)).toEqual(errors));

  test('A kind without namespaces refuses one', () =>
    expect(
      validateObjectMeta({ name: 'a', namespace: 'b' }, { namespaced: false, validateName: pathSegmentName }).map(
        fieldErrorText,
      ),
    ).toEqual(['metadata.namespace: Forbidden: not allowed on this type']));

  test('The kind decides about names', () =>
    expect(
      validateObjectMeta({ name: 'a.b', namespace: 'n' }, { namespaced: true, validateName: labelName }).map(
        fieldErrorText,
      ),
    ).toEqual(['metadata.name: Invalid value: "a.b": must not contain dots']));
});

describe('metadata of an update', () => {
  test.each<{ name: string; change: ObjectMeta; old?: ObjectMeta; errors: string[] }>([
    { name: 'nothing changed', change: {}, errors: [] },
    {
      name: 'no version',
      change: { resourceVersion: '' },
      errors: ['metadata.resourceVersion: Invalid value: "": must be specified for an update'],
    },
    {
      name: 'lower generation',
      change: { generation: 1 },
      errors: ['metadata.generation: Invalid value: 1: must not be decremented'],
    },
    { name: 'other name', change: { name: 'b' }, errors: ['metadata.name: Invalid value: "b": field is immutable'] },
    {
      name: 'other creation',
      change: { creationTimestamp: '2024-05-01T10:00:01Z' },
      errors: ['metadata.creationTimestamp: Invalid value: 2024-05-01 10:00:01 +0000 UTC: field is immutable'],
    },
    {
      name: 'deletion set',
      change: { deletionTimestamp: '2024-05-01T10:00:01Z', deletionGracePeriodSeconds: 3 },
      errors: [
        'metadata.deletionTimestamp: Invalid value: 2024-05-01 10:00:01 +0000 UTC: field is immutable',
        'metadata.deletionGracePeriodSeconds: Invalid value: 3: field is immutable',
      ],
    },
    {
      name: 'deletion taken back',
      change: {},
      old: { deletionTimestamp: '2024-05-01T10:00:01Z' },
      errors: ['metadata.deletionTimestamp: Invalid value: "null": field is immutable'],
    },
    {
      name: 'finalizer added while deleting',
      change: { deletionTimestamp: '2024-05-01T10:00:01Z', finalizers: ['a/b', 'a/c'] },
      old: { deletionTimestamp: '2024-05-01T10:00:01Z', finalizers: ['a/c'] },
      errors: [
        'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found ' +
          'new finalizers []string{"a/b"}',
      ],
    },
    { name: 'names are not looked at', change: { name: 'A' }, old: { name: 'A' }, errors: [] },
  ])('Metadata of an update: $name', ({ change, old, errors }) => expect(update(change, old)).toEqual(errors));

  test('Custom resources may have any qualified finalizer', () =>
    expect(validateObjectMetaUpdate({ ...stored, finalizers: ['mine'] }, stored)).toEqual([]));
});
