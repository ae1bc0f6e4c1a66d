/** No file needs itself by way of others, not even for a type: lint looks at values only. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
const isSource = (name: string): boolean => /\.(ts|mjs)$/.test(name) && !/\.(test|bench|test-d)\.ts$/.test(name);
const imports = (file: string): string[] =>
  [
    ...readFileSync(path.join(root, file), 'utf8').matchAll(/^(?:import|export)\b[^;]*?from '(\.[^']+\.(?:ts|mjs))'/gm),
  ].map(([, to]) => path.join(path.dirname(file), to!));

/** The first circle that is found, as a path that ends where it begins. */
function findCircle(graph: ReadonlyMap<string, readonly string[]>): string[] | undefined {
  const done = new Set<string>();
  const visit = (file: string, way: readonly string[]): string[] | undefined => {
    if (way.includes(file)) return [...way.slice(way.indexOf(file)), file];
    if (done.has(file)) return undefined;
    for (const next of graph.get(file) ?? []) {
      const circle = visit(next, [...way, file]);
      if (circle !== undefined) return circle;
    }
    done.add(file);
    return undefined;
  };
  for (const file of graph.keys()) {
    const circle = visit(file, []);
    if (circle !== undefined) return circle;
  }
  return undefined;
}

test('A circle of imports is found', () => {
  expect(
    findCircle(
      new Map([
        ['a', ['b']],
        ['b', ['c']],
        ['c', ['b']],
      ]),
    ),
  ).toEqual(['b', 'c', 'b']);
});

test.each([
  { folder: 'src', atLeast: 500 },
  { folder: 'bench', atLeast: 10 },
  { folder: 'hack', atLeast: 10 },
  { folder: 'test', atLeast: 10 },
])('There is no circle of imports in $folder', ({ folder, atLeast }) => {
  const files = (readdirSync(path.join(root, folder), { recursive: true }) as string[])
    .filter(isSource)
    .map((name) => path.join(folder, name));
  expect(files.length).toBeGreaterThan(atLeast);
  expect(findCircle(new Map(files.map((file) => [file, imports(file)])))).toBeUndefined();
});
