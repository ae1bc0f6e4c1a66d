/** The programs of Kubernetes 1.20 that `reference-apiserver build` of the shared tools makes, where they are built. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

const directory = process.env['REFERENCE_DIR'] ?? path.join(homedir(), '.cache', 'reference-apiserver');

/** Undefined where it is not built. */
export function referenceProgram(name: 'kube-apiserver' | 'kube-controller-manager'): string | undefined {
  const program = path.join(directory, 'bin', name);
  return existsSync(program) ? program : undefined;
}
