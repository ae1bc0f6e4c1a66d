/**
 * `npm run bench`: the load driver. `npm run bench -- --help` says what it takes, docs/performance.md how to read it.
 *
 * The driver is TypeScript and uses the project's own codecs, so it is bundled first, as the program is.
 */
import { runBundled } from '../hack/run-bundled.mjs';

await runBundled('bench/main.ts', 'bench/driver');
