/** Parameters of the kernel that a node needs: set at the start, or judged where the operator sets them. */
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Logger } from '../../base/logger.ts';

/** By file below `/proc/sys`. */
export const kernelParameters: ReadonlyMap<string, number> = new Map([
  ['vm/overcommit_memory', 1],
  ['vm/panic_on_oom', 0],
  ['kernel/panic', 10],
  ['kernel/panic_on_oops', 1],
  ['kernel/keys/root_maxkeys', 1_000_000],
  ['kernel/keys/root_maxbytes', 25_000_000],
]);

/** What is not as a node needs it, in upstream's words. @param root in front of `/proc`, for tests */
export async function wrongParameters(root = '/'): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const [name, wanted] of kernelParameters) {
    const value = await readValue(root, name);
    if (value !== wanted)
      problems.push(`invalid kernel flag: ${name}, expected value: ${wanted}, actual value: ${value}`);
  }
  return problems;
}

/** A kernel that does not let it be set says so once. */
export async function setParameters(log: Logger, root = '/'): Promise<void> {
  for (const [name, wanted] of kernelParameters) {
    const value = await readValue(root, name);
    if (value === wanted) continue;
    try {
      await writeFile(fileOf(root, name), String(wanted));
      log.info({ parameter: name, before: value, value: wanted }, 'a kernel parameter was set');
    } catch (error) {
      log.warn({ err: error, parameter: name, value, wanted }, 'a kernel parameter could not be set');
    }
  }
}

const fileOf = (root: string, name: string): string => path.join(root, 'proc/sys', name);

const readValue = async (root: string, name: string): Promise<number | undefined> =>
  readFile(fileOf(root, name), 'utf8').then(
    (text) => Number(text),
    () => undefined,
  );
