/** The certificate authority of a signer, which may be replaced while the process runs. */
import { SigningAuthority } from '../../pki/signing-authority.ts';
import type { ControllerContext } from '../manager/context.ts';
import type { SignerFiles } from '../manager/options.ts';
import { followedFile } from '../shared/root-certificate.ts';

/**
 * Gives the authority of the files as they are now. While one of them is replaced and the other is not yet, the
 * authority before stays. Rejects when they cannot be used at first.
 */
export async function authorityOf(
  context: ControllerContext,
  { certFile, keyFile }: SignerFiles,
): Promise<() => SigningAuthority> {
  const [certificate, key] = await Promise.all([followedFile(context, certFile), followedFile(context, keyFile)]);
  let authority = new SigningAuthority(certificate.get(), key.get());
  const reread = (): void => {
    try {
      authority = new SigningAuthority(certificate.get(), key.get());
    } catch (error) {
      context.log.warn({ err: error, certFile, keyFile }, 'a signer keeps the certificate authority it had');
    }
  };
  context.onStop(certificate.onChange(reread));
  context.onStop(key.onChange(reread));
  return () => authority;
}
