/** Code that a process loads takes memory from its start to its end: each command loads its own parts alone. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
/** Types are gone when the program runs, and what is imported when it is needed is not loaded before. */
const imported = /^(?:import|export)\b(?! type\b)[^;]*?from '(\.[^']+\.ts)'/gm;

/** The files that are loaded with one of `entries`. */
function loadedWith(...entries: string[]): Set<string> {
  const loaded = new Set<string>();
  const visit = (file: string): void => {
    if (loaded.has(file)) return;
    loaded.add(file);
    for (const [, to] of readFileSync(path.join(root, file), 'utf8').matchAll(imported))
      visit(path.join(path.dirname(file), to!));
  };
  entries.forEach(visit);
  return loaded;
}

/** What only an API server needs. */
const isOfServer = (file: string): boolean => /^src\/(apiserver|registry|storage|etcd)\//.test(file);

test('The API server is seen among the files that its starter loads', () => {
  expect([...loadedWith('src/cmd/start-api-server.ts')].filter(isOfServer).length).toBeGreaterThan(200);
});

test.each(['scheduler', 'controller-manager', 'node-agent/hollow'])(
  'orch %s loads no code of the API server',
  (command) => {
    const loaded = [...loadedWith('src/cmd/orch.ts', `src/cmd/${command}.ts`)];
    expect(loaded.length).toBeGreaterThan(100);
    expect(loaded.filter(isOfServer)).toEqual([]);
  },
);
