/**
 * Users named in headers by a front proxy that has authenticated them. Believed only with the proxy's own client
 * certificate: without it the same headers are text like any other.
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/authentication/#authenticating-proxy |
 *   Authenticating Proxy}
 */
import type { ConnectionFacts } from '../request-facts.ts';
import type { RequestAuthenticator } from './authenticator.ts';
import type { TrustedAuthorities } from './certificate-chain.ts';
import { problemText } from './client-certificate.ts';

export interface RequestHeaderOptions {
  readonly authorities: TrustedAuthorities;
  /** Common names; all when empty. */
  readonly allowedNames: readonly string[];
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraHeaderPrefixes: readonly string[];
}

export function requestHeaders(options: RequestHeaderOptions): RequestAuthenticator {
  const lower = (names: readonly string[]): string[] => names.map((name) => name.toLowerCase());
  const [names, uids, groupNames, prefixes] = [
    lower(options.usernameHeaders),
    lower(options.uidHeaders),
    lower(options.groupHeaders),
    lower(options.extraHeaderPrefixes),
  ];
  return {
    name: 'requestheader',
    authenticate({ exchange }) {
      const peer = exchange.peerCertificate();
      if (peer === undefined) return undefined;
      const problem = options.authorities.problemWith(peer);
      if (problem !== undefined) throw new Error(problemText(peer, problem));
      if (options.allowedNames.length > 0 && !options.allowedNames.includes(peer.commonName))
        throw new Error(`x509: subject with cn=${peer.commonName} is not in the allowed list`);
      const name = firstValue(exchange, names);
      if (name === undefined) return undefined;
      const uid = firstValue(exchange, uids);
      const extra = collected(extraOf(exchange, prefixes));
      const groups = groupNames.flatMap((header) => exchange.headerValues(header)).filter((value) => value !== '');
      return {
        user: { name, ...(uid === undefined ? {} : { uid }), groups, ...(extra === undefined ? {} : { extra }) },
      };
    },
  };
}

const firstValue = (exchange: ConnectionFacts, headers: readonly string[]): string | undefined =>
  headers.map((header) => exchange.headerValues(header)[0]).find((value) => value !== undefined && value !== '');

const extraOf = (exchange: ConnectionFacts, prefixes: readonly string[]): [string, string][] =>
  exchange
    .headerNames()
    .flatMap((header) =>
      prefixes
        .filter((prefix) => header.startsWith(prefix))
        .flatMap((prefix) =>
          exchange
            .headerValues(header)
            .map((value): [string, string] => [extraKey(header.slice(prefix.length)), value]),
        ),
    );

/**
 * Values by key; undefined when there are none. Keys come from clients, so no object collects them that has members of
 * its own.
 */
export function collected(pairs: readonly (readonly [string, string])[]): Record<string, string[]> | undefined {
  const values = new Map<string, string[]>();
  for (const [key, value] of pairs) {
    const known = values.get(key);
    if (known === undefined) values.set(key, [value]);
    else known.push(value);
  }
  return values.size === 0 ? undefined : Object.fromEntries(values);
}

/** Lower case because header names are; percent-encoded where a key has characters that a header name cannot have. */
export function extraKey(encoded: string): string {
  try {
    return decodeURIComponent(encoded.toLowerCase());
  } catch {
    return encoded.toLowerCase();
  }
}
