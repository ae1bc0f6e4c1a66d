/** What `--egress-selector-config-file` says. The reader of the document is loaded where there is one. */
import type { Egress } from '../apiserver/egress/dialers.ts';
import { readFlagFile } from './read-file.ts';
import { UserError } from './user-error.ts';

export async function readEgressConfig(path: string | undefined): Promise<Egress | undefined> {
  if (path === undefined) return undefined;
  const text = (await readFlagFile('egress-selector-config-file', path))!;
  const { readEgressConfiguration } = await import('../apiserver/egress/configuration.ts');
  const { createEgress } = await import('../apiserver/egress/dialers.ts');
  try {
    return createEgress(readEgressConfiguration(text));
  } catch (error) {
    throw new UserError(`--egress-selector-config-file: ${path}: ${(error as Error).message}`, { cause: error });
  }
}
