/**
 * `npm run fuzz -- TARGET SECONDS`: a fuzzer for as long as asked; without a target, what there is. CONTRIBUTING.md
 * says how a target is added and what becomes of what it finds.
 *
 * The targets are TypeScript and use the project's own readers, so they are bundled first, as the program is.
 */
import { runBundled } from './run-bundled.mjs';

await runBundled('test/fuzz/main.ts', 'fuzz/fuzz');
