/** What `--tracing-config-file` says. The reader of the document is loaded where there is one. */
import type { TracingConfiguration } from '../server/tracing/configuration.ts';
import { readFlagFile } from './read-file.ts';
import { UserError } from './user-error.ts';

export async function readTracingConfig(path: string | undefined): Promise<TracingConfiguration | undefined> {
  if (path === undefined) return undefined;
  const text = (await readFlagFile('tracing-config-file', path))!;
  const { readTracingConfiguration } = await import('../server/tracing/configuration.ts');
  try {
    return readTracingConfiguration(text);
  } catch (error) {
    throw new UserError(`--tracing-config-file: ${path}: ${(error as Error).message}`, { cause: error });
  }
}
