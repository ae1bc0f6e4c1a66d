#!/usr/bin/env node
// Starts the program that `npm run build` has put into dist/.
import { existsSync } from 'node:fs';
import module from 'node:module';

const program = new URL('../dist/orch.js', import.meta.url);
if (existsSync(program)) {
  module.enableCompileCache?.(); // Node 22 and newer: the second start need not compile again
  await import(program.href);
} else {
  console.error("error: this checkout has not been built: run 'npm ci && npm run build', or ./hack/up");
  process.exitCode = 1;
}
