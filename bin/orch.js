#!/usr/bin/env node
// Starts the program that `npm run build` has put into dist/. `bin/orch` starts this.
import { existsSync } from 'node:fs';
import { forgetSizes, nodeFlags, tuneForDaemons, tuneForLocalServer } from './engine-flags.js';

const program = new URL('../dist/orch.js', import.meta.url);
if (existsSync(program)) {
  forgetSizes();
  const { run } = await import(program.href);
  await run({ nodeFlags, tuneForDaemons, tuneForLocalServer });
} else {
  console.error("error: this checkout has not been built: run 'npm ci && npm run build', or ./hack/up");
  process.exitCode = 1;
}
