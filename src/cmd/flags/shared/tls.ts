/** Values of the TLS flags. */
import type { SecureVersion } from 'node:tls';

export const tlsVersions: Readonly<Record<string, SecureVersion>> = {
  VersionTLS10: 'TLSv1',
  VersionTLS11: 'TLSv1.1',
  VersionTLS12: 'TLSv1.2',
  VersionTLS13: 'TLSv1.3',
};

export interface NamedPairFiles {
  readonly certificate: string;
  readonly key: string;
  readonly names: readonly string[];
}

/** `cert,key[:domain,…]`; undefined when it is malformed. */
export function readNamedPair(text: string): NamedPairFiles | undefined {
  const colon = text.indexOf(':');
  const [certificate = '', key = '', ...more] = (colon < 0 ? text : text.slice(0, colon))
    .split(',')
    .map((part) => part.trim());
  const names =
    colon < 0
      ? []
      : text
          .slice(colon + 1)
          .split(',')
          .map((name) => name.trim());
  return certificate === '' || key === '' || more.length > 0 || names.includes('')
    ? undefined
    : { certificate, key, names };
}
