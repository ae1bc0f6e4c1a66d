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

const directive = /^(?:max-age=\d+|includeSubDomains|preload)$/;

export const isTransportSecurityDirective = (text: string): boolean => directive.test(text.trim());

/** What is wrong with a regular expression for origins: one that is open at an end lets others in that look alike. */
export function originProblem(pattern: string): string | undefined {
  try {
    new RegExp(pattern);
  } catch (error) {
    return `has an invalid regular expression: ${(error as Error).message}`;
  }
  if (!pattern.startsWith('^') && !pattern.includes('//'))
    return `has a regular expression that does not pin to start of host in the origin header: ${pattern}`;
  // What stands behind the host is a port, or nothing.
  return /[$:]/.test(pattern.slice(pattern.lastIndexOf('//') + 2))
    ? undefined
    : `has a regular expression that does not pin to end of host in the origin header: ${pattern}`;
}

/** Whether this runtime can bind with SO_REUSEPORT: from Node 22.12 and 23.1 on. */
export function canSharePorts(version = process.versions.node): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 23 || (major === 23 && minor >= 1) || (major === 22 && minor >= 12);
}
