/** The authenticators that the options configure, in the reference's order. */
import type { Secret } from '../../api/gen/types/core-v1.ts';
import type { ReloadableText } from '../../base/reloadable-file.ts';
import type { Logger } from '../../base/logger.ts';
import { anonymous } from '../../auth/authentication/anonymous.ts';
import { forOwnAudiences } from '../../auth/authentication/audience.ts';
import {
  type Identity,
  type RequestAuthenticator,
  type TokenAuthenticator,
  withAuthenticatedGroup,
} from '../../auth/authentication/authenticator.ts';
import { bearerTokens, judge, webSocketTokens } from '../../auth/authentication/bearer-token.ts';
import { bootstrapTokens } from './bootstrap-token.ts';
import { TrustedAuthorities } from '../../auth/authentication/certificate-chain.ts';
import { clientCertificates } from '../../auth/authentication/client-certificate.ts';
import type { ObjectReader } from './object-reader.ts';
import { type RequestHeaderOptions, requestHeaders } from '../../auth/authentication/request-header.ts';
import { type JwtConfig, createReloadableJwtAuthenticator } from './jwt/reloadable-authenticator.ts';
import { boundTokens } from './service-accounts/bound-tokens.ts';
import type { AccountKeys, AccountKeysConfig } from './service-accounts/account-keys.ts';
import { legacyIssuer } from '../../auth/service-accounts/legacy-claims.ts';
import { legacyTokens } from './service-accounts/legacy-tokens.ts';
import type { TokenIssuing } from '../../auth/service-accounts/signer.ts';
import { verifiedTokens } from './service-accounts/verifier.ts';
import type { AccountTokenUse, AuthenticationMetrics } from './metrics.ts';
import { cachedTokens } from '../../auth/authentication/token-cache.ts';
import { tokenFile } from '../../auth/authentication/token-file.ts';
import type { WebhookClient } from '../webhooks/webhook-client.ts';
import type { WebhookClients } from '../webhooks/webhook-clients.ts';
import type { TransportConfig } from '../../client/transport-config.ts';
import { webhookTokens } from '../../auth/authentication/token-review.ts';
import { AuthenticationError, unionOfRequests, unionOfTokens } from '../../auth/authentication/union.ts';

export interface AuthenticationConfig {
  /** `--client-ca-file`, PEM */
  readonly clientCa: ReloadableText | undefined;
  readonly requestHeader: RequestHeaderConfig | undefined;
  /** Content of `--token-auth-file`. */
  readonly tokenFile: string | undefined;
  /** `--enable-bootstrap-token-auth` */
  readonly bootstrapTokens: boolean;
  readonly serviceAccounts: ServiceAccountConfig | undefined;
  /** ID tokens of other issuers. */
  readonly jwt: JwtConfig | undefined;
  readonly webhook: WebhookConfig | undefined;
  /** Undefined: requests without credentials are refused. Without paths, all are let in. */
  readonly anonymous: { readonly paths: readonly string[] } | undefined;
  /** `--api-audiences`, or what stands for it. */
  readonly audiences: readonly string[];
}

export interface RequestHeaderConfig extends Omit<RequestHeaderOptions, 'authorities'> {
  /** PEM */
  readonly ca: ReloadableText;
}

export interface ServiceAccountConfig extends AccountKeysConfig {
  /** `--service-account-issuer`: the first signs, tokens of all are taken. */
  readonly issuers: readonly string[];
  /** `--service-account-lookup` */
  readonly lookup: boolean;
  /** `--service-account-jwks-uri` */
  readonly jwksUri: string | undefined;
}

export interface WebhookConfig {
  readonly connection: TransportConfig;
  /** `--authentication-token-webhook-version` */
  readonly version: string;
  /** `--authentication-token-webhook-cache-ttl`: for accepted and for unknown tokens alike. */
  readonly cacheTtlMs: number;
}

/** What is asked of the rest of the server. */
export interface AuthenticationSurroundings {
  /** Open, where there are service accounts; it is closed by the code that opened it. */
  readonly accountKeys: AccountKeys | undefined;
  readonly objects: ObjectReader;
  readonly metrics: AuthenticationMetrics;
  readonly webhooks: Pick<WebhookClients, 'open'>;
  readonly log: Logger;
  /** Told of a secret with a token that is used and does not say so for today. */
  readonly onLegacyTokenUse: (secret: Secret) => void;
}

export interface Authentication {
  /** Ends what asks others. */
  close(): Promise<void>;
  readonly requests: RequestAuthenticator;
  /** The user of a token, for token reviews. Throws with what is wrong with it. */
  review(token: string, audiences: readonly string[]): Promise<Identity>;
  readonly audiences: readonly string[];
  /** How tokens of service accounts are made, if they are. */
  readonly issuing: TokenIssuing | undefined;
}

/** As the reference has it: long enough for a burst of requests, short enough for a token that is withdrawn. */
const successTtlMs = 10_000;
const webhookTimeoutMs = 10_000;

export function createAuthentication(config: AuthenticationConfig, around: AuthenticationSurroundings): Authentication {
  const { clientCa, requestHeader, audiences } = config;
  const webhook =
    config.webhook === undefined
      ? undefined
      : around.webhooks.open(config.webhook.connection, { timeoutMs: webhookTimeoutMs });
  const jwt =
    config.jwt === undefined ? undefined : createReloadableJwtAuthenticator(config.jwt, around.log, around.metrics);
  const known = tokenAuthenticators(config, around, { jwt, webhook });
  const tokens =
    known.length === 0
      ? undefined
      : cachedTokens({ tokens: unionOfTokens(known), successTtlMs, failureTtlMs: 0, observer: around.metrics });
  const requests = unionOfRequests(
    [
      ...(requestHeader === undefined
        ? []
        : [requestHeaders({ ...requestHeader, authorities: new TrustedAuthorities(requestHeader.ca) })]),
      ...(clientCa === undefined
        ? []
        : [
            clientCertificates(new TrustedAuthorities(clientCa), (seconds) => around.metrics.certificateLasts(seconds)),
          ]),
      ...(tokens === undefined ? [] : [bearerTokens(tokens, audiences), webSocketTokens(tokens, audiences)]),
    ],
    config.anonymous === undefined ? undefined : anonymous(config.anonymous.paths),
  );
  return {
    requests,
    audiences,
    issuing: issuingOf(config, around.accountKeys),
    close: async () => void (await Promise.all([jwt?.close(), webhook?.close()])),
    review: (token, wanted) => review(tokens, token, wanted),
  };
}

function issuingOf(
  { serviceAccounts, audiences }: AuthenticationConfig,
  keys: AccountKeys | undefined,
): TokenIssuing | undefined {
  if (serviceAccounts === undefined || keys?.sign === undefined) return undefined;
  const {
    issuers: [issuer = ''],
    extendExpiration,
  } = serviceAccounts;
  return {
    issuer,
    sign: keys.sign,
    audiences,
    extendExpiration,
    extendedSeconds: keys.extendedSeconds,
    maxExpirationSeconds: keys.maxExpirationSeconds,
  };
}

/** In this order. Authenticators that make remote calls come last. */
function tokenAuthenticators(
  config: AuthenticationConfig,
  around: AuthenticationSurroundings,
  { jwt, webhook }: { readonly jwt: TokenAuthenticator | undefined; readonly webhook: WebhookClient | undefined },
): TokenAuthenticator[] {
  const own = (tokens: TokenAuthenticator): TokenAuthenticator => forOwnAudiences(tokens, config.audiences);
  return [
    ...(config.tokenFile === undefined ? [] : [own(tokenFile(config.tokenFile))]),
    ...(config.serviceAccounts === undefined
      ? []
      : serviceAccountTokens(config.serviceAccounts, config.audiences, around)),
    ...(config.bootstrapTokens ? [own(bootstrapTokens(around.objects))] : []),
    ...(jwt === undefined ? [] : [own(jwt)]),
    ...(config.webhook === undefined || webhook === undefined
      ? []
      : [askedTokens(config.webhook, webhook, config.audiences)]),
  ];
}

function askedTokens(
  { version, cacheTtlMs }: WebhookConfig,
  client: WebhookClient,
  audiences: readonly string[],
): TokenAuthenticator {
  return cachedTokens({
    tokens: webhookTokens({ client, version, audiences }),
    successTtlMs: cacheTtlMs,
    failureTtlMs: cacheTtlMs,
  });
}

/** Those in secrets first: the two are told apart by their issuer. */
function serviceAccountTokens(
  { issuers, lookup }: ServiceAccountConfig,
  audiences: readonly string[],
  { objects, onLegacyTokenUse, accountKeys, metrics }: AuthenticationSurroundings,
): TokenAuthenticator[] {
  if (accountKeys === undefined) return [];
  const { keys } = accountKeys;
  const count = (use: AccountTokenUse): void => metrics.accountTokenUsed(use);
  const legacy = legacyTokens({ objects, lookup, onUse: onLegacyTokenUse, count });
  return [
    verifiedTokens({ name: 'legacy-service-account', issuers: [legacyIssuer], keys, audiences, validate: legacy }),
    ...(issuers.length === 0
      ? []
      : [
          verifiedTokens({
            name: 'service-account',
            issuers,
            keys,
            audiences,
            validate: boundTokens({ objects, count }),
          }),
        ]),
  ];
}

const unknownToken = 'invalid bearer token';

async function review(
  tokens: TokenAuthenticator | undefined,
  token: string,
  audiences: readonly string[],
): Promise<Identity> {
  try {
    const identity = tokens === undefined ? undefined : await judge(tokens, token, audiences);
    if (identity !== undefined) return withAuthenticatedGroup(identity);
  } catch (error) {
    throw new AuthenticationError([
      unknownToken,
      ...(error instanceof AuthenticationError ? error.messages : [(error as Error).message]),
    ]);
  }
  throw new AuthenticationError([unknownToken]);
}
