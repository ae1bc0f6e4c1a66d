import { describe, expect, test } from 'vitest';
import { negotiate, negotiateStatus, parseAccept } from './negotiation.ts';

const types = (header: string): string[] => parseAccept(header).map(({ type }) => type);

describe('an Accept header', () => {
  test.each([
    { name: 'types in order', header: 'application/json, text/plain', expected: ['application/json', 'text/plain'] },
    {
      name: 'the best first',
      header: 'text/plain;q=0.5,application/yaml;q=0.9,application/json',
      expected: ['application/json', 'application/yaml', 'text/plain'],
    },
    {
      name: 'exact types before wildcards, whatever their quality',
      header: '*/*,application/*,application/yaml;q=0.1',
      expected: ['application/yaml', 'application/*', '*/*'],
    },
    {
      name: 'a wildcard of better quality before what stood before it',
      header: 'application/yaml;q=0.1,*/*',
      expected: ['*/*', 'application/yaml'],
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

const isTable = (as: string, group: string, version: string): boolean =>
  as === 'Table' && group === 'meta.k8s.io' && version === 'v1';
const negotiated = (accept: string, pretty: string | null = null) =>
  negotiate({ accept, userAgent: undefined, pretty, convertible: isTable, isCollection: false });
const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';

describe('the representation of an answer', () => {
  test.each([
    { name: 'the exact type before a wildcard', accept: `*/*,${table}`, expected: { as: 'Table' } },
    {
      name: 'the first form that is served',
      accept: `application/json;as=Chair;v=v1;g=meta.k8s.io,application/yaml`,
      expected: { mediaType: 'application/yaml' },
    },
    {
      name: 'no clause with a version alone',
      accept: 'application/json;v=v1,application/yaml',
      expected: { mediaType: 'application/yaml' },
    },
    {
      name: 'no clause with a stream that there is not',
      accept: 'application/json;stream=list,application/yaml',
      expected: { mediaType: 'application/yaml' },
    },
    {
      name: 'no clause with a version of the server that there is not',
      accept: 'application/json;sv=v2,application/yaml;sv=v1',
      expected: { mediaType: 'application/yaml' },
    },
    { name: 'indented by the clause', accept: 'application/json;pretty=1', query: 'false', expected: { pretty: true } },
    { name: 'indented by the query', accept: 'application/json;pretty=0', query: 'true', expected: { pretty: true } },
    { name: 'not indented by another value', accept: 'application/json;pretty=true', expected: { pretty: false } },
  ])('The representation of an answer is $name', ({ accept, query, expected }) => {
    expect(negotiated(accept, query)).toMatchObject(expected);
  });

  test('A form that is not served is refused', () => {
    expect(() => negotiated('application/json;v=v1')).toThrow('only the following media types are accepted');
  });

  test('A Status that no clause fits is indented JSON', () => {
    expect(negotiateStatus('text/html', undefined, null)).toEqual({ mediaType: 'application/json', pretty: true });
    expect(negotiateStatus(table, undefined, 'false')).toEqual({ mediaType: 'application/json', pretty: true });
    expect(negotiateStatus(`${table},application/yaml`, undefined, null)).toMatchObject({
      mediaType: 'application/yaml',
    });
  });
});
