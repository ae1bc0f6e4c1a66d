/** A flag that is accepted has an effect: what it sets is read by a controller, or by what starts them. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { defaultControllerManagerOptions } from '../../src/controllers/manager/options.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

const sourcesBelow = (folder: string): string[] =>
  readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts'))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => !file.endsWith(path.join('manager', 'options.ts')))
    .map((file) => readFileSync(file, 'utf8'));

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Names of members, at any depth. */
const namesIn = (options: object): string[] =>
  Object.entries(options).flatMap(([name, value]: [string, unknown]) => [
    name,
    ...(isObject(value) ? namesIn(value) : []),
  ]);

test('Every option of the controller manager is read by its controllers', () => {
  const sources = [...sourcesBelow('src/controllers'), ...sourcesBelow('src/cmd/controller-manager')].join('\n');
  const names = [...new Set(namesIn(defaultControllerManagerOptions))];
  expect(names.length).toBeGreaterThan(60);
  expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(sources))).toEqual([]);
});
