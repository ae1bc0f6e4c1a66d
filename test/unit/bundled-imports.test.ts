import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const sources = fileURLToPath(new URL('../../src', import.meta.url));

/**
 * In a bundle, a CommonJS package that is imported when it is needed has no names but `default`; from source it has all
 * of them.
 */
test('undici is used by its default export wherever it is imported when it is needed', () => {
  const uses = readdirSync(sources, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .flatMap((file) => {
      const lines = readFileSync(path.join(sources, file), 'utf8').split('\n');
      return lines.filter((line) => line.includes("import('undici')")).map((line) => `${file}: ${line.trim()}`);
    });
  expect(uses.length).toBeGreaterThan(0);
  expect(uses.filter((use) => !/\(await import\('undici'\)\)\.default|\{ default: \w+ \}/.test(use))).toEqual([]);
});
