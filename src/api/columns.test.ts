import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { hasShared, sharedPath } from '../../test/support/shared.ts';
import { columnsOf, CUSTOM_RESOURCE_COLUMNS, DEFAULT_COLUMNS, type Column } from './columns.ts';

interface Fact {
  name: string;
  type: string;
  format?: string;
  priority?: number;
}

const facts = hasShared('facts/columns.json')
  ? (JSON.parse(readFileSync(sharedPath('facts/columns.json'), 'utf8')) as { columns: Record<string, Fact[]> }).columns
  : {};

const asFact = ({ name, type, format, priority }: Column): Fact => ({
  name,
  type,
  ...(format && { format }),
  ...(priority && { priority }),
});
const withoutCell = ({ name, type, format, priority }: Fact): Fact => ({
  name,
  type,
  ...(format && { format }),
  ...(priority && { priority }),
});

describe.skipIf(Object.keys(facts).length === 0)(
  'the columns equal the recorded facts (skipped where facts/columns.json is absent)',
  () => {
    // The facts know columns that the recorded server does not print: it has none for this kind.
    test.each(Object.entries(facts).filter(([key]) => key !== 'storage.k8s.io/CSIStorageCapacity'))(
      'The columns equal the recorded facts: %s',
      (key, expected) => {
        const [group = '', kind = ''] = key.split('/');
        const columns = key.startsWith('custom resource') ? CUSTOM_RESOURCE_COLUMNS : columnsOf(group, kind);
        expect(columns.map(asFact)).toEqual(expected.map(withoutCell));
      },
    );
  },
);

describe('columns', () => {
  test('The columns of kinds without their own are the name and the time of creation', () => {
    expect(columnsOf('authentication.k8s.io', 'TokenReview')).toBe(DEFAULT_COLUMNS);
    expect(DEFAULT_COLUMNS.map(({ name }) => name)).toEqual(['Name', 'Created At']);
  });

  test('Every column of every table has a description', () => {
    const columns = Object.keys(facts).flatMap((key) => [
      ...columnsOf(key.split('/')[0] ?? '', key.split('/')[1] ?? ''),
    ]);
    expect(columns.filter(({ description }) => description === '')).toEqual([]);
  });
});
