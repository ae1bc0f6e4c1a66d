/** The certificate authority that pods verify the API server with. */
import { fixedText, ReloadableFiles, type ReloadableText } from '../../base/reloadable-file.ts';
import type { ControllerContext } from '../manager/context.ts';

/**
 * The file of `--root-ca-file`, followed when it changes, else the authority that the controller's client verifies
 * with. Rejects when the file cannot be read. The text is empty where neither is known.
 */
export async function rootCertificate(context: ControllerContext): Promise<ReloadableText> {
  const { rootCaFile } = context.options.generic;
  return rootCaFile === undefined ? fixedText(context.client.config.ca ?? '') : followedFile(context, rootCaFile);
}

/** Rejects when the file cannot be read now. @param check throws for a text that cannot be used */
export async function followedFile(
  { log, clock, onStop }: ControllerContext,
  path: string,
  check?: (text: string) => void,
): Promise<ReloadableText> {
  const files = new ReloadableFiles({ log, clock });
  onStop(() => files.stop());
  return files.watch(path, check);
}
