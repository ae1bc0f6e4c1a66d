/** What the TLS flags of a daemon serve with. */
import type { ReloadableFiles, ReloadableText } from '../../../base/reloadable-file.ts';
import type { NamedPair, ServingPair, ServingTls } from '../../../server/tls/certificate-reload.ts';
import { watchFlagPair, watchPairFiles } from '../../key-pair-files.ts';
import type { ValuesOf } from '../flag.ts';
import type { http2Flags, servingCertificateFlags, tlsFlags } from './secure-serving.ts';
import { readNamedPair, tlsVersions } from './tls.ts';

type CertificateOptions = ValuesOf<ReturnType<typeof servingCertificateFlags>>;
type TlsOptions = ValuesOf<typeof tlsFlags>;

export interface ServingFiles {
  /** Undefined without `--tls-cert-file`. */
  readonly pair: ServingPair | undefined;
  readonly named: readonly NamedPair[];
}

/** One file after the other, so that of several missing ones it is always the same one that is named. */
export async function watchServingFiles(
  { tlsCertFile, tlsPrivateKeyFile, tlsSniCertKeys }: CertificateOptions & TlsOptions,
  files: ReloadableFiles,
): Promise<ServingFiles> {
  const pair = await watchFlagPair(files, ['tls-cert-file', tlsCertFile], ['tls-private-key-file', tlsPrivateKeyFile]);
  return { pair, named: await watchNamedPairs(files, tlsSniCertKeys) };
}

const watchNamedPairs = (files: ReloadableFiles, flags: readonly string[]): Promise<NamedPair[]> =>
  Promise.all(
    flags.map(async (flag) => {
      const { certificate: certificatePath, key: keyPath, names } = readNamedPair(flag)!;
      const pair = await watchPairFiles(
        files,
        [
          ['tls-sni-cert-key', certificatePath],
          ['tls-sni-cert-key', keyPath],
        ],
        '--tls-sni-cert-key: certificate and key do not belong together',
      );
      return { ...pair, names };
    }),
  );

export const servingTls = (
  { tlsCipherSuites, tlsMinVersion, disableHttp2Serving }: TlsOptions & ValuesOf<typeof http2Flags>,
  {
    pair,
    named,
    clientAuthorities,
  }: ServingFiles & {
    readonly pair: ServingPair;
    readonly clientAuthorities: ReloadableText | undefined;
  },
): ServingTls => ({
  ...pair,
  named,
  clientAuthorities,
  cipherSuites: tlsCipherSuites,
  minVersion: tlsVersions[tlsMinVersion ?? ''] ?? 'TLSv1.2',
  withoutHttp2: disableHttp2Serving,
});
