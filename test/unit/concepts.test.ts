import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);
const architecture = readFileSync(new URL('docs/architecture.md', root), 'utf8');

/** What an engineer who knows Kubernetes looks for. */
const concepts = [
  ...[
    'informer',
    'work queue',
    'reflector',
    'watch cache',
    'bookmark',
    'compaction',
    '410',
    'continue token',
    'lessor',
  ],
  ...['storage codec', 'strategy', 'managed fields', 'scale', 'CORS', 'in-flight limit', 'loopback client'],
  ...['post-start hook', 'node authorizer', 'impersonation', 'token cache', 'certificate reload', 'webhook client'],
  ...['service resolver', 'CRD pruning', 'defaulting', 'ratcheting', 'CEL cost', 'field selector', 'label index'],
  ...['gzip of lists', 'graceful shutdown', 'event TTL', 'encryption prefix', 'KMS', 'audit redaction', 'IP allocator'],
  ...['port allocator', 'disruption budget', 'quota', 'pod security'],
];

const codeIn = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, code]) => code!);

const [, section = ''] = /\n## Where to find a concept\n(.*?)\n## /s.exec(architecture) ?? [];
const rows = section
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| concept |'))
  .map((line) => {
    const [concept = '', words = '', file = '', content = ''] = line.slice(2, -2).split(' | ');
    return { concept, words, file, content };
  });

describe('the table of concepts in docs/architecture.md', () => {
  test('The table of concepts in docs/architecture.md has a row for each of the forty concepts', () => {
    expect(concepts).toHaveLength(40);
    expect(concepts.filter((concept) => rows.every((row) => row.concept !== concept))).toEqual([]);
  });

  test('The table of concepts in docs/architecture.md has one row for each concept', () => {
    expect(new Set(rows.map(({ concept }) => concept)).size).toBe(rows.length);
  });

  test.each(rows)('The table of concepts names an existing, described file for "$concept"', (row) => {
    const [file = '', ...others] = codeIn(row.file);
    expect(others).toEqual([]);
    expect(existsSync(new URL(`src/${file}`, root)), file).toBe(true);
    const words = codeIn(row.words);
    expect(words).not.toEqual([]);
    expect(words.filter((word) => !file.includes(word))).toEqual([]);
    expect(row.content).not.toBe('');
  });
});

test('Every source file that docs/architecture.md names in short exists below src', () => {
  const sources = readdirSync(new URL('src', root), { recursive: true, encoding: 'utf8' });
  const named = new Set(codeIn(architecture).filter((text) => /^[\w./-]+\.ts$/.test(text)));
  expect(named.size).toBeGreaterThan(100);
  const isThere = (name: string): boolean =>
    existsSync(new URL(name, root)) || sources.some((file) => `/${file}`.endsWith(`/${name}`));
  expect([...named].filter((name) => !isThere(name))).toEqual([]);
});
