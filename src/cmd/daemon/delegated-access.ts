/**
 * Who the callers of a daemon are, and what they may do: asked of the API server, so that a cluster has one answer.
 *
 * Callers are known by a client certificate, by the headers of a front proxy, or by a token; what is none of these is
 * anonymous. Authorities come from flags; where no flag names a file, from what the cluster publishes.
 */
import { anonymous } from '../../auth/authentication/anonymous.ts';
import type { RequestAuthenticator } from '../../auth/authentication/authenticator.ts';
import { bearerTokens, webSocketTokens } from '../../auth/authentication/bearer-token.ts';
import { TrustedAuthorities } from '../../auth/authentication/certificate-chain.ts';
import { clientCertificates } from '../../auth/authentication/client-certificate.ts';
import { requestHeaders } from '../../auth/authentication/request-header.ts';
import { cachedTokens } from '../../auth/authentication/token-cache.ts';
import { webhookTokens } from '../../auth/authentication/token-review.ts';
import { unionOfRequests } from '../../auth/authentication/union.ts';
import { alwaysAllowPaths } from '../../auth/authorization/always-allow-paths.ts';
import type { Authorizer } from '../../auth/authorization/authorizer.ts';
import { createUnion, type NamedAuthorizer } from '../../auth/authorization/union.ts';
import { createWebhookAuthorizer } from '../../auth/authorization/webhook/authorizer.ts';
import type { CleanupStack } from '../../base/cleanup-stack.ts';
import type { Logger } from '../../base/logger.ts';
import { fixedText, type ReloadableFiles, type ReloadableText } from '../../base/reloadable-file.ts';
import type { Client } from '../../client/client.ts';
import type { Pod } from '../../client/in-cluster.ts';
import { requestHeaderOptions } from '../flags/shared/client-certificates.ts';
import type {
  DelegatedAuthenticationOptions,
  DelegatedAuthorizationOptions,
} from '../flags/shared/delegated-access.ts';
import { watchFlagFile } from '../read-file.ts';
import { readCertificates } from '../../auth/authentication/certificate-chain.ts';
import { createAuthority } from '../../pki/pki.ts';
import { UserError } from '../user-error.ts';
import { type ApiObserver, openConnection, userAgent } from './api-connection.ts';
import { followTrust, noTrust, type PublishedTrust } from './cluster-trust.ts';
import { reviewsBy } from './review-client.ts';
import type { ReviewMetrics } from './review-metrics.ts';

export interface DelegatedAccess {
  readonly authenticator: RequestAuthenticator;
  readonly authorizer: Authorizer;
  /** PEM: whose client certificates are asked for. */
  readonly clientAuthorities: ReloadableText | undefined;
}

export interface AccessSurroundings {
  /** The daemon, as servers see it. */
  readonly daemon: string;
  readonly files: ReloadableFiles;
  readonly log: Logger;
  readonly observer: ApiObserver;
  readonly cleanup: CleanupStack;
  /** Told of the reviews that are asked for. */
  readonly reviews: ReviewMetrics;
  readonly fileCheckMs?: number | undefined;
  readonly pod?: Pod;
  /** The flags of the kubeconfigs, for messages. */
  readonly kubeconfigFlags?: { readonly authentication: string; readonly authorization: string };
}

const ownFlags = { authentication: 'authentication-kubeconfig', authorization: 'authorization-kubeconfig' };

/** As upstream: these calls hold up callers of the daemon. */
const limits = { qps: 200, burst: 400 };

export async function delegatedAccess(
  authentication: DelegatedAuthenticationOptions,
  authorization: DelegatedAuthorizationOptions,
  around: AccessSurroundings,
): Promise<DelegatedAccess> {
  const known = await delegatedAuthentication(authentication, around);
  return { ...known, authorizer: await delegatedAuthorization(authorization, around) };
}

async function clientOf(
  flag: string,
  kubeconfig: string | undefined,
  { daemon, log, observer, files, cleanup, fileCheckMs, pod }: AccessSurroundings,
): Promise<Client | undefined> {
  const source = { flag, kubeconfig, ...(pod === undefined ? {} : { pod }) };
  const connection = await openConnection(source, { log, observer, reports: files, fileCheckMs });
  if (connection === undefined) return undefined;
  cleanup.add(() => connection.close());
  return connection.client({ ...limits, userAgent: userAgent(daemon) });
}

async function delegatedAuthentication(
  options: DelegatedAuthenticationOptions,
  around: AccessSurroundings,
): Promise<Omit<DelegatedAccess, 'authorizer'>> {
  const { log, kubeconfigFlags: { authentication: flag } = ownFlags } = around;
  const client = await clientOf(flag, options.kubeconfig, around);
  if (client === undefined) log.warn({}, `without --${flag} callers with a token are anonymous`);
  const own = await watchOwnAuthorities(options, around.files);
  const needsLookup = own.clientCa === undefined || own.requestHeaderCa === undefined;
  const published =
    client === undefined || options.skipLookup || !needsLookup ? undefined : await lookUp(client, options, around);
  const trust = new Trust(options, own, published);
  const tokens =
    client === undefined
      ? undefined
      : cachedTokens({
          tokens: webhookTokens({
            client: reviewsBy(client, '/apis/authentication.k8s.io/v1/tokenreviews', around.reviews.authentication),
            version: 'v1',
            audiences: [],
          }),
          successTtlMs: options.tokenCacheTtlMs,
          failureTtlMs: options.tokenCacheTtlMs,
        });
  const byToken = tokens === undefined ? [] : [bearerTokens(tokens, []), webSocketTokens(tokens, [])];
  return {
    authenticator: {
      name: 'delegated',
      authenticate: (request) =>
        unionOfRequests([...trust.authenticators, ...byToken], anonymous()).authenticate(request),
    },
    clientAuthorities: trust.isPossible ? trust : undefined,
  };
}

interface OwnAuthorities {
  readonly clientCa: ReloadableText | undefined;
  readonly requestHeaderCa: ReloadableText | undefined;
}

async function watchOwnAuthorities(
  { clientCaFile, requestHeaderClientCaFile }: DelegatedAuthenticationOptions,
  files: ReloadableFiles,
): Promise<OwnAuthorities> {
  const watched = (flag: string, path: string | undefined): Promise<ReloadableText | undefined> =>
    path === undefined
      ? Promise.resolve(undefined)
      : watchFlagFile(files, flag, path, (pem) => void readCertificates(pem));
  return {
    clientCa: await watched('client-ca-file', clientCaFile),
    requestHeaderCa: await watched('requestheader-client-ca-file', requestHeaderClientCaFile),
  };
}

interface Published {
  get(): PublishedTrust;
  onChange(listener: () => void): void;
}

async function lookUp(
  client: Client,
  { tolerateLookupFailure }: DelegatedAuthenticationOptions,
  { log, cleanup }: AccessSurroundings,
): Promise<Published> {
  try {
    const trust = await followTrust(client, log);
    cleanup.add(() => trust.stop());
    return trust;
  } catch (error) {
    const { message } = error as Error;
    const problem = `unable to load configmap based request-header-client-ca-file: ${message}`;
    if (!tolerateLookupFailure)
      throw new UserError(`${problem}; start without it by --authentication-tolerate-lookup-failure`, { cause: error });
    log.warn(
      { err: error },
      'the authorities of client certificates could not be looked up: callers with a certificate may be anonymous',
    );
    return { get: () => noTrust, onChange: () => undefined };
  }
}

/** The authenticators by certificate, as the authorities are now. */
class Trust implements ReloadableText {
  readonly #options: DelegatedAuthenticationOptions;
  readonly #own: OwnAuthorities;
  readonly #published: Published | undefined;
  readonly #listeners = new Set<() => void>();
  /** In place of no authority at all, with which the runtime would ask for those of the system. Its key is gone. */
  readonly #none = createAuthority({ commonName: 'none' }, new Date()).certificate;
  authenticators: readonly RequestAuthenticator[] = [];

  constructor(options: DelegatedAuthenticationOptions, own: OwnAuthorities, published: Published | undefined) {
    this.#options = options;
    this.#own = own;
    this.#published = published;
    const change = (): void => {
      this.#renew();
      for (const listener of this.#listeners) listener();
    };
    published?.onChange(change);
    own.clientCa?.onChange(change);
    own.requestHeaderCa?.onChange(change);
    this.#renew();
  }

  /** Whether there are, or may come, authorities. */
  get isPossible(): boolean {
    return this.#published !== undefined || this.#own.clientCa !== undefined || this.#own.requestHeaderCa !== undefined;
  }

  get(): string {
    const all = [this.#clientCa(), this.#requestHeader()?.ca ?? ''].filter((pem) => pem.trim() !== '');
    return all.length === 0 ? this.#none : all.join('\n');
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #clientCa(): string {
    return this.#own.clientCa?.get() ?? this.#published?.get().clientCa ?? '';
  }

  #requestHeader(): PublishedTrust['requestHeader'] {
    const own = this.#own.requestHeaderCa;
    return own === undefined
      ? this.#published?.get().requestHeader
      : { ca: own.get(), ...requestHeaderOptions(this.#options) };
  }

  #renew(): void {
    const header = this.#requestHeader();
    const clientCa = this.#clientCa();
    const authorities = (pem: string): TrustedAuthorities => new TrustedAuthorities(fixedText(pem));
    this.authenticators = [
      ...(header === undefined ? [] : [requestHeaders({ ...header, authorities: authorities(header.ca) })]),
      ...(clientCa.trim() === '' ? [] : [clientCertificates(authorities(clientCa), () => undefined)]),
    ];
  }
}

async function delegatedAuthorization(
  { kubeconfig, alwaysAllowPaths: paths, authorizedTtlMs, unauthorizedTtlMs }: DelegatedAuthorizationOptions,
  around: AccessSurroundings,
): Promise<Authorizer> {
  const { authorization: flag } = around.kubeconfigFlags ?? ownFlags;
  const client = await clientOf(flag, kubeconfig, around);
  if (client === undefined) around.log.warn({}, `without --${flag} all is forbidden but ${paths.join(', ')}`);
  const byPath: NamedAuthorizer = {
    type: 'AlwaysAllowPaths',
    name: 'always-allow-paths',
    authorizer: alwaysAllowPaths(paths),
  };
  if (client === undefined) return createUnion([byPath]);
  const authorizer = createWebhookAuthorizer({
    client: reviewsBy(client, '/apis/authorization.k8s.io/v1/subjectaccessreviews', around.reviews.authorization),
    version: 'v1',
    authorizedTtlMs,
    unauthorizedTtlMs,
    onFailure: 'noOpinion',
    conditions: [],
    withSelectors: false,
    observer: { called: () => undefined, conditionsJudged: () => undefined },
  });
  return createUnion([byPath, { type: 'Webhook', name: 'webhook', authorizer }]);
}
