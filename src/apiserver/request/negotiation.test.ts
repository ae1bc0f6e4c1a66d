import { describe, expect, test } from 'vitest';
import { parseAccept } from './negotiation.ts';

const types = (header: string): string[] => parseAccept(header).map(({ type }) => type);

describe('an Accept header', () => {
  test.each([
    { name: 'types in order', header: 'application/json, text/plain', expected: ['application/json', 'text/plain'] },
    {
      name: 'the best first',
      header: 'text/plain;q=0.5,application/yaml;q=0.9,application/json',
      expected: ['application/json', 'application/yaml', 'text/plain'],
    },
    { name: 'nothing between commas', header: ',, ,', expected: [] },
  ])('An Accept header has its clauses: $name', ({ header, expected }) => {
    expect(types(header)).toEqual(expected);
  });

  test('An Accept header of a mebibyte is read up to the last whole clause of its first 16,384 characters', () => {
    expect(types(`application/json,${'text/plain,'.repeat(100_000)}`)).toEqual([
      'application/json',
      ...Array.from({ length: 1487 }, () => 'text/plain'),
    ]);
    expect(types(`application/json,${'x'.repeat(1_000_000)}`)).toEqual(['application/json']);
    expect(types('x'.repeat(1_000_000))).toEqual([]);
  });
});
