/**
 * Flags of daemons that ask the API server who their callers are (TokenReview) and what these may do
 * (SubjectAccessReview).
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/authorization/ | Authorization}
 */
import { bool, duration, file, section, strings, type ValuesOf } from '../flag.ts';
import { clientCaFlags, requestHeaderFlags, requestHeaderProblems } from './client-certificates.ts';
import type { Problems, Spelling } from './problems.ts';

/** @param defaults whether a daemon starts without the authorities that the cluster publishes */
export const delegatedAuthenticationFlags = (defaults: { readonly tolerateLookupFailure: boolean }) =>
  section('Authentication', {
    kubeconfig: file('authentication-kubeconfig', 'supported', {
      help:
        'How to reach the API server that knows the tokens of callers (TokenReview). Without it callers with a token ' +
        'are anonymous, and no authorities of client certificates are looked up in the cluster.',
    }),
    skipLookup: bool('authentication-skip-lookup', 'supported', {
      help:
        'Do not look up the authorities of client certificates and of front proxies in the cluster where no flag ' +
        'names a file.',
    }),
    tolerateLookupFailure: bool('authentication-tolerate-lookup-failure', 'supported', {
      default: defaults.tolerateLookupFailure,
      help: 'Start although these cannot be looked up. Callers with a client certificate may then be anonymous.',
    }),
    tokenCacheTtlMs: duration('authentication-token-webhook-cache-ttl', 'supported', {
      default: '10s',
      help: 'How long the answers about tokens are kept.',
    }),
    ...clientCaFlags,
    ...requestHeaderFlags({
      usernameHeaders: ['x-remote-user'],
      groupHeaders: ['x-remote-group'],
      extraHeaderPrefixes: ['x-remote-extra-'],
    }),
  });

export type DelegatedAuthenticationOptions = ValuesOf<ReturnType<typeof delegatedAuthenticationFlags>['flags']>;

export const delegatedAuthorizationFlags = section('Authorization', {
  kubeconfig: file('authorization-kubeconfig', 'supported', {
    help:
      'How to reach the API server that knows what callers may do (SubjectAccessReview). Without it all is forbidden ' +
      'but --authorization-always-allow-paths.',
  }),
  alwaysAllowPaths: strings('authorization-always-allow-paths', 'supported', {
    default: ['/healthz', '/readyz', '/livez'],
    help: 'Paths that every caller may ask for. A * at the end stands for all that begins with the rest.',
  }),
  authorizedTtlMs: duration('authorization-webhook-cache-authorized-ttl', 'supported', {
    default: '10s',
    help: 'How long a yes is kept.',
  }),
  unauthorizedTtlMs: duration('authorization-webhook-cache-unauthorized-ttl', 'supported', {
    default: '10s',
    help: 'How long a no is kept.',
  }),
});

export type DelegatedAuthorizationOptions = ValuesOf<typeof delegatedAuthorizationFlags.flags>;

/** @param knowsUids feature gate RemoteRequestHeaderUID */
export const delegatedAuthenticationProblems = (
  options: DelegatedAuthenticationOptions,
  spelled: Spelling,
  knowsUids: boolean,
): Problems => [
  options.requestHeaderUidHeaders.length > 0 &&
    !knowsUids &&
    `${spelled('requestheader-uid-headers')} requires the "RemoteRequestHeaderUID" feature to be enabled`,
  ...requestHeaderProblems(options),
];

export const delegatedAuthorizationProblems = (
  { alwaysAllowPaths }: DelegatedAuthorizationOptions,
  spelled: Spelling,
): Problems =>
  alwaysAllowPaths.map(
    (path) =>
      path.slice(0, -1).includes('*') &&
      `${spelled('authorization-always-allow-paths')}: only trailing * allowed in ${JSON.stringify(path)}`,
  );
