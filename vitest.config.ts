import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Names of rows of tables are not cut to 40 characters: a title can be searched for. */
const chaiConfig = { truncateThreshold: 200 };

interface Ring {
  readonly folders: readonly string[];
  readonly testTimeout: number;
  readonly maxConcurrency?: number;
}

/**
 * The files of a ring share the modules of their worker, because loading them anew for each file takes as long as the tests.
 * A file that replaces modules (`vi.mock`) is called `*.isolated.test.ts` and has modules of its own.
 */
const ring = (name: string, { folders, ...options }: Ring) => {
  const filesOf = (ending: string) => folders.map((folder) => `${folder}/**/*${ending}`);
  const shared = { chaiConfig, hookTimeout: 120_000, ...options };
  const isolated = filesOf('.isolated.test.ts');
  return [
    { test: { ...shared, name, isolate: false, include: filesOf('.test.ts'), exclude: isolated } },
    { test: { ...shared, name: `${name}-isolated`, include: isolated } },
  ];
};

/**
 * `unit` needs nothing but Node and runs within `npm run verify`; the others start real parts (etcd, kubectl, servers).
 */
export default defineConfig({
  test: {
    // Much of the time goes into waiting: two at once also where the default would be one.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      ...ring('unit', { folders: ['src', 'test/unit'], testTimeout: 30_000 }),
      ...ring('integration', { folders: ['test/integration'], testTimeout: 60_000 }),
      // Replayed cases wait most of the time.
      ...ring('conformance', { folders: ['test/conformance'], testTimeout: 120_000, maxConcurrency: 8 }),
      ...ring('e2e', { folders: ['test/e2e'], testTimeout: 120_000 }),
    ],
  },
});
