/** No file of the program needs itself by way of others, not even for a type: lint looks at values only. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const root = path.resolve(import.meta.dirname, '../../src');
const isSource = (name: string): boolean => name.endsWith('.ts') && !/\.(test|bench|test-d)\.ts$/.test(name);
const imports = (file: string): string[] =>
  [...readFileSync(path.join(root, file), 'utf8').matchAll(/^(?:import|export)\b[^;]*?from '(\.[^']+\.ts)'/gm)].map(
    ([, to]) => path.join(path.dirname(file), to!),
  );

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

test('a circle of imports is found', () => {
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

test('there is no circle of imports', () => {
  const files = (readdirSync(root, { recursive: true }) as string[]).filter(isSource);
  expect(files.length).toBeGreaterThan(500);
  expect(findCircle(new Map(files.map((file) => [file, imports(file)])))).toBeUndefined();
});
