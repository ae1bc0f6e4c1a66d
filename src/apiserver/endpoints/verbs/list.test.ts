import { describe, expect, test } from 'vitest';
import type { ReadVersion } from '../../../storage/objects.ts';
import { listParameters } from '../list-parameters.ts';
import { listVersion } from './list.ts';

describe('the version of a list', () => {
  test.each<{ query: string; version: ReadVersion }>([
    { query: '', version: { match: 'mostRecent' } },
    { query: 'limit=5', version: { match: 'mostRecent' } },
    { query: 'resourceVersion=0', version: { match: 'any' } },
    { query: 'resourceVersion=0&limit=5', version: { match: 'any' } },
    { query: 'resourceVersion=0&resourceVersionMatch=NotOlderThan', version: { match: 'any' } },
    { query: 'resourceVersion=7', version: { match: 'notOlderThan', revision: 7 } },
    { query: 'resourceVersion=7&limit=5', version: { match: 'exact', revision: 7 } },
    { query: 'resourceVersion=7&resourceVersionMatch=Exact', version: { match: 'exact', revision: 7 } },
    {
      query: 'resourceVersion=7&resourceVersionMatch=NotOlderThan&limit=5',
      version: { match: 'notOlderThan', revision: 7 },
    },
  ])('The version of a list for "$query" is $version', ({ query, version }) => {
    expect(listVersion(listParameters(new URLSearchParams(query), false))).toEqual(version);
  });

  test('The version of a list that is no number is refused', () => {
    const parameters = listParameters(new URLSearchParams('resourceVersion=x'), false);
    expect(() => listVersion(parameters)).toThrow(
      'resourceVersion: Invalid value: "x": strconv.ParseUint: parsing "x": invalid syntax',
    );
  });
});
