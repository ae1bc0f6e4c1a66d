/** Objects with tens of thousands of fields, and tables with as many managers, take work in proportion. */
import { describe, expect, test, vi } from 'vitest';
import { readsDuring } from '../../../test/support/count-reads.ts';
import type { JsonObject } from '../value.ts';
import { conflictError } from './conflict-error.ts';
import { FieldSet } from './field-set.ts';
import { capUpdaters, type Manager, managerId } from './manager-table.ts';
import { fieldElement } from './path-element.ts';
import { createCustomType } from './structural-types.ts';
import { validateConfiguration } from './validate.ts';

const setOf = (count: number, prefix = 'f'): FieldSet =>
  FieldSet.ofFields(...Array.from({ length: count }, (_, i) => ['spec', `${prefix}${i}`]));
const managerOf = (name: string, fields: FieldSet): [string, Manager] => {
  const manager = {
    manager: name,
    operation: 'Update' as const,
    apiVersion: 'v1',
    subresource: '',
    fields,
    time: `2026-01-01T00:00:${String(name.length).padStart(2, '0')}Z`,
  };
  return [managerId(manager), manager];
};

describe('the oldest of many updaters', () => {
  const cap = (count: number): { fields: number; nodes: number } => {
    let nodes = 0;
    const { union } = FieldSet.prototype;
    const spy = vi.spyOn(FieldSet.prototype, 'union').mockImplementation(function (this: FieldSet, other: FieldSet) {
      nodes += this.nodes.length + other.nodes.length;
      return union.call(this, other);
    });
    const table = new Map(Array.from({ length: count }, (_, i) => managerOf(`m${i}`, FieldSet.ofFields([`f${i}`]))));
    nodes = 0;
    capUpdaters(table);
    spy.mockRestore();
    expect(table.size).toBe(10);
    return { fields: [...table.values()].reduce((sum, { fields }) => sum + fields.nodes.length, 0), nodes };
  };

  test('The oldest of many updaters are put together in pairs', () => {
    const [few, many] = [cap(1000), cap(2000)];
    expect([few.fields, many.fields]).toEqual([1000, 2000]);
    expect(many.nodes).toBeLessThan(2.5 * few.nodes);
  });
});

describe('a small set', () => {
  const large = setOf(20_000);
  const small = setOf(2, 'other');
  test.each([
    { name: 'difference', run: (other: FieldSet) => small.difference(other) },
    { name: 'recursive difference', run: (other: FieldSet) => small.recursiveDifference(other) },
    { name: 'intersection', run: (other: FieldSet) => small.intersection(other) },
  ])('A small set is looked up in a large one: $name', ({ run }) => {
    const below = new FieldSet([{ element: fieldElement('spec'), member: false, children: large.nodes[0]!.children }]);
    expect(run(below).isEmpty).toBe(run(large).isEmpty);
    expect(
      readsDuring(below.nodes[0]!.children!.nodes as unknown as object[], (nodes) =>
        run(new FieldSet([{ ...below.nodes[0]!, children: new FieldSet(nodes as never) }])),
      ),
    ).toBeLessThan(1000);
  });
});

test('A configuration with many mistakes is looked at until there are enough', () => {
  const type = createCustomType(
    { type: 'object', properties: { list: { type: 'array', items: { type: 'string' } } } },
    { objectMeta: createCustomType({ type: 'object' }, { objectMeta: undefined as never }) },
  );
  const config = { list: Array.from({ length: 50_000 }, () => 1) } as unknown as JsonObject;
  const reads = readsDuring(config, (counted) =>
    expect(() => validateConfiguration(type, counted)).toThrow(
      /^errors:\n {2}\.list\[0\]: expected string[^]*\n {2}and at least 1 more error$/,
    ),
  );
  expect(reads).toBeLessThan(5000);
});

test('A conflict shows a thousand fields, and how many there are more', () => {
  const [id, manager] = managerOf('m', FieldSet.empty);
  const conflicts = Array.from({ length: 5000 }, (_, i) => ({ id, manager, path: [fieldElement(`f${i}`)] }));
  const { message, details } = conflictError(conflicts);
  expect(message).toMatch(
    /^Apply failed with 5000 conflicts: conflicts with "m" using v1:\n- \.f0\n[^]*\n- \.f999\nand 4000 more$/,
  );
  expect(details!.causes).toHaveLength(1000);
});
