import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** Names of rows of tables are not cut to 40 characters: a title can be searched for. */
const chaiConfig = { truncateThreshold: 200 };

/**
 * `unit` needs nothing but Node and runs within `npm run verify`; the others start real parts (etcd, kubectl, servers).
 */
export default defineConfig({
  test: {
    // Much of the time goes into waiting: two at once also where the default would be one.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: [
      {
        test: {
          name: 'unit',
          chaiConfig,
          include: ['src/**/*.test.ts', 'test/unit/**/*.test.ts'],
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'integration',
          chaiConfig,
          include: ['test/integration/**/*.test.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'conformance',
          chaiConfig,
          include: ['test/conformance/**/*.test.ts'],
          // Replayed cases wait most of the time.
          maxConcurrency: 8,
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'e2e',
          chaiConfig,
          include: ['test/e2e/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
