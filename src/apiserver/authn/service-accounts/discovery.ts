/**
 * Where others find the keys of our tokens.
 * @see {@link
 *   https://kubernetes.io/docs/tasks/configure-pod-container/configure-service-account/#service-account-issuer-discovery
 *   | Service account issuer discovery}
 */
import { methodNotAllowed } from '../../request/request-errors.ts';
import type { Handler } from '../../request/request.ts';
import { type KeySource, publishedKey } from '../../../auth/service-accounts/keys.ts';

export interface IssuerDiscovery {
  readonly issuer: string;
  /** `--service-account-jwks-uri` */
  readonly jwksUri: string | undefined;
  readonly keys: KeySource;
  /** `host:port` where the keys are when no other place is named. */
  readonly serverAddress: () => string;
}

export const jwksPath = '/openid/v1/jwks';

/** Handlers by path. None for an issuer that is no place to ask: its discovery could not be found anyway. */
export function discoveryHandlers({
  issuer,
  jwksUri,
  keys,
  serverAddress,
}: IssuerDiscovery): ReadonlyMap<string, Handler> {
  if (!isHttps(issuer)) return new Map();
  const algorithms = (): string[] => [...new Set(keys.published.map(({ algorithm }) => algorithm))].sort();
  const configuration = (): string =>
    JSON.stringify({
      issuer,
      jwks_uri: jwksUri ?? `https://${serverAddress()}${jwksPath}`,
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: algorithms(),
    });
  const jwks = (): string => JSON.stringify({ keys: keys.published.map(publishedKey) });
  return new Map([
    ['/.well-known/openid-configuration', serve('application/json', keys, configuration)],
    [jwksPath, serve('application/jwk-set+json', keys, jwks)],
  ]);
}

const serve =
  (type: string, keys: KeySource, text: () => string): Handler =>
  (request) => {
    if (request.method !== 'GET') throw methodNotAllowed();
    return Promise.resolve({
      status: 200,
      headers: { 'content-type': type, 'cache-control': `public, max-age=${keys.maxAgeSeconds}` },
      body: text(),
    });
  };

function isHttps(issuer: string): boolean {
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
  return url?.protocol === 'https:' && url.search === '';
}
