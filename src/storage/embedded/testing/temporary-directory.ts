import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

/** A directory that goes with its test. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'orch-store-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
