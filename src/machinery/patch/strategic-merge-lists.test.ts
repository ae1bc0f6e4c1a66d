import { describe, expect, test } from 'vitest';
import { schemas } from '../../../test/support/schemas.ts';
import { createStrategicMerge } from './strategic-merge.ts';
import { POD_SPEC, META, type Case } from './testing/strategic-cases.ts';

describe('strategic merge patch', () => {
  const merge = createStrategicMerge(schemas);

  const run = (rows: Case[]) =>
    test.each(rows)('Strategic merge patch: $name', ({ type = POD_SPEC, original, patch, result }) =>
      expect(merge.apply(original, patch, type)).toEqual(result),
    );

  describe('lists', () =>
    run([
      {
        name: 'replaces a list without strategy',
        original: { tolerations: [{ key: 'x' }] },
        patch: { tolerations: [{ key: 'y' }] },
        result: { tolerations: [{ key: 'y' }] },
      },
      {
        name: 'merges items by key',
        original: {
          containers: [
            { name: 'a', image: '1' },
            { name: 'b', image: '1' },
          ],
        },
        patch: { containers: [{ name: 'b', image: '2' }] },
        result: {
          containers: [
            { name: 'a', image: '1' },
            { name: 'b', image: '2' },
          ],
        },
      },
      {
        name: 'puts new items before those it does not know',
        original: { containers: [{ name: 'a' }] },
        patch: { containers: [{ name: 'b' }] },
        result: { containers: [{ name: 'b' }, { name: 'a' }] },
      },
      {
        name: 'takes the order of the patch, and of the live list for others',
        original: { containers: ['a', 'b', 'c', 'd'].map((name) => ({ name })) },
        patch: { containers: [{ name: 'd' }, { name: 'b' }] },
        result: { containers: ['a', 'c', 'd', 'b'].map((name) => ({ name })) },
      },
      {
        name: 'keys by the merge key, not by the keys of the list type',
        original: { ports: [{ port: 80, protocol: 'TCP' }] },
        type: 'core/v1.ServiceSpec',
        patch: { ports: [{ port: 80, protocol: 'UDP' }] },
        result: { ports: [{ port: 80, protocol: 'UDP' }] },
      },
      {
        name: 'removes an item by $patch: delete',
        original: { containers: [{ name: 'a' }, { name: 'b' }] },
        patch: { containers: [{ name: 'a', $patch: 'delete' }] },
        result: { containers: [{ name: 'b' }] },
      },
      {
        name: 'ignores the deletion of what is not there',
        original: { containers: [{ name: 'a' }] },
        patch: { containers: [{ name: 'x', $patch: 'delete' }] },
        result: { containers: [{ name: 'a' }] },
      },
      {
        name: 'replaces the list when an item says $patch: replace',
        original: { containers: [{ name: 'a' }] },
        patch: { containers: [{ name: 'b' }, { $patch: 'replace' }] },
        result: { containers: [{ name: 'b' }] },
      },
      {
        name: 'empties the list by $patch: replace alone',
        original: { containers: [{ name: 'a' }] },
        patch: { containers: [{ $patch: 'replace' }] },
        result: { containers: [] },
      },
      {
        name: 'drops items with a directive from a new list',
        original: {},
        patch: { containers: [{ name: 'a' }, { name: 'b', $patch: 'delete' }] },
        result: { containers: [{ name: 'a' }] },
      },
      {
        name: 'merges nested lists',
        original: {
          containers: [
            {
              name: 'a',
              env: [
                { name: 'A', value: '1' },
                { name: 'B', value: '2' },
              ],
            },
          ],
        },
        patch: {
          containers: [
            {
              name: 'a',
              env: [
                { name: 'B', value: '3' },
                { name: 'A', $patch: 'delete' },
                { name: 'C', value: '4' },
              ],
            },
          ],
        },
        result: {
          containers: [
            {
              name: 'a',
              env: [
                { name: 'B', value: '3' },
                { name: 'C', value: '4' },
              ],
            },
          ],
        },
      },
      {
        name: 'removes the list by null',
        original: { containers: [{ name: 'a' }], volumes: [] },
        patch: { containers: null },
        result: { volumes: [] },
      },
      {
        name: 'an empty patch list changes nothing',
        original: { containers: [{ name: 'a' }] },
        patch: { containers: [] },
        result: { containers: [{ name: 'a' }] },
      },
      {
        name: 'finds members of inlined structs',
        original: { ephemeralContainers: [{ name: 'e', env: [{ name: 'A', value: '1' }] }] },
        patch: { ephemeralContainers: [{ name: 'e', env: [{ name: 'B', value: '2' }] }] },
        result: {
          ephemeralContainers: [
            {
              name: 'e',
              env: [
                { name: 'B', value: '2' },
                { name: 'A', value: '1' },
              ],
            },
          ],
        },
      },
      {
        name: 'merges numbers and texts as different keys',
        type: 'core/v1.ServiceSpec',
        original: { ports: [{ port: 80 }] },
        patch: { ports: [{ port: '80' }] },
        result: { ports: [{ port: '80' }, { port: 80 }] },
      },
    ]));

  describe('lists of scalars', () =>
    run([
      {
        name: 'adds what is new, in front',
        type: META,
        original: { finalizers: ['a', 'b'] },
        patch: { finalizers: ['c'] },
        result: { finalizers: ['c', 'a', 'b'] },
      },
      {
        name: 'keeps each value once',
        type: META,
        original: { finalizers: ['a', 'b'] },
        patch: { finalizers: ['b', 'b'] },
        result: { finalizers: ['a', 'b'] },
      },
      {
        name: '$deleteFromPrimitiveList removes values',
        type: META,
        original: { finalizers: ['a', 'b'] },
        patch: { '$deleteFromPrimitiveList/finalizers': ['a', 'x'] },
        result: { finalizers: ['b'] },
      },
      {
        name: '$deleteFromPrimitiveList of a list that is not there',
        type: META,
        original: {},
        patch: { '$deleteFromPrimitiveList/finalizers': ['a'] },
        result: {},
      },
      {
        name: 'adds and removes in one patch',
        type: META,
        original: { finalizers: ['a'] },
        patch: { finalizers: ['b'], '$deleteFromPrimitiveList/finalizers': ['a'] },
        result: { finalizers: ['b'] },
      },
    ]));

  describe('$setElementOrder', () =>
    run([
      {
        name: 'orders without changing items',
        original: { containers: ['a', 'b', 'c'].map((name) => ({ name })) },
        patch: { '$setElementOrder/containers': [{ name: 'c' }, { name: 'a' }] },
        result: { containers: ['b', 'c', 'a'].map((name) => ({ name })) },
      },
      {
        name: 'orders old and new items',
        original: { containers: [{ name: 'a' }, { name: 'b' }] },
        patch: {
          '$setElementOrder/containers': [{ name: 'n' }, { name: 'b' }, { name: 'a' }],
          containers: [{ name: 'n' }],
        },
        result: { containers: [{ name: 'n' }, { name: 'b' }, { name: 'a' }] },
      },
      {
        name: 'goes together with deletion',
        original: { containers: [{ name: 'a' }, { name: 'b' }] },
        patch: { '$setElementOrder/containers': [{ name: 'b' }], containers: [{ name: 'a', $patch: 'delete' }] },
        result: { containers: [{ name: 'b' }] },
      },
      {
        name: 'orders scalars',
        type: META,
        original: { finalizers: ['a', 'b'] },
        patch: { '$setElementOrder/finalizers': ['c', 'b'], finalizers: ['c'] },
        result: { finalizers: ['c', 'a', 'b'] },
      },
      {
        name: 'takes a new list without its directives',
        original: {},
        patch: {
          '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }],
          containers: [{ name: 'b' }, { name: 'a' }, { name: 'c', $patch: 'delete' }],
        },
        result: { containers: [{ name: 'b' }, { name: 'a' }] },
      },
      {
        name: 'does nothing for a list on neither side',
        original: { hostname: 'h' },
        patch: { '$setElementOrder/containers': [{ name: 'a' }] },
        result: { hostname: 'h' },
      },
      {
        name: 'goes together with replacement',
        original: { containers: [{ name: 'a' }] },
        patch: {
          '$setElementOrder/containers': [{ name: 'b' }, { name: 'c' }],
          containers: [{ name: 'b' }, { name: 'c' }, { $patch: 'replace' }],
        },
        result: { containers: [{ name: 'b' }, { name: 'c' }] },
      },
      {
        name: 'reverses a replaced list when the order names no items, as upstream does',
        original: { containers: [{ name: 'a' }] },
        patch: { '$setElementOrder/containers': [], containers: [{ name: 'b' }, { name: 'c' }, { $patch: 'replace' }] },
        result: { containers: [{ name: 'c' }, { name: 'b' }] },
      },
    ]));
});
