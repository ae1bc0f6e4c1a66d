import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';

test('the top of src/apiserver has the server, its configuration, its request chain and the APIs it serves', () => {
  const files = readdirSync(new URL('../../src/apiserver/', import.meta.url), { withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
    .map(({ name }) => name);
  expect(files.sort()).toEqual(['api-server.ts', 'config.ts', 'request-chain.ts', 'served-apis.ts']);
});
