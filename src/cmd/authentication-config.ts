/** How callers are known: what the options name, read and judged, with what a PKI of our own adds. */
import { createPublicKey } from 'node:crypto';
import type {
  AuthenticationConfig,
  RequestHeaderConfig,
  ServiceAccountConfig,
  WebhookConfig,
} from '../apiserver/authn/authentication.ts';
import { readCertificates } from '../auth/authentication/certificate-chain.ts';
import type { AnonymousConfig, AuthenticationConfiguration } from '../apiserver/authn/jwt/configuration.ts';
import {
  validateJwtConfiguration,
  type JwtConfig,
  readValidated,
} from '../apiserver/authn/jwt/reloadable-authenticator.ts';
import { signingAlgorithms } from '../apiserver/authn/jwt/algorithms.ts';
import { readPublicKeys, readSigningKey, verificationKey } from '../auth/service-accounts/keys.ts';
import { parseTokenFile } from '../auth/authentication/token-file.ts';
import { fixedText, joinedTexts, type ReloadableText, type ReloadableFiles } from '../base/reloadable-file.ts';
import type { Logger } from '../base/logger.ts';
import type { ApiServerOptions } from './flags/api-server/table.ts';
import { requestHeaderOptions } from './flags/shared/client-certificates.ts';
import type { Pki } from '../pki/pki.ts';
import { readWebhookKubeconfig } from '../client/kubeconfig/webhook-kubeconfig.ts';
import { describeFileError } from '../base/file-error.ts';
import { readFlagFile, watchFlagFile } from './read-file.ts';
import { UserError } from './user-error.ts';

export interface AuthenticationSurroundings {
  readonly files: ReloadableFiles;
  /** Its authorities are trusted besides those of the options. */
  readonly pki: Pki | undefined;
  /** Whether the command line configures anonymous requests. */
  readonly anonymousGiven: boolean;
  readonly log: Logger;
}

export async function authenticationConfig(
  {
    authentication,
    authorization,
    serviceAccounts,
  }: Pick<ApiServerOptions, 'authentication' | 'authorization' | 'serviceAccounts'>,
  around: AuthenticationSurroundings,
): Promise<AuthenticationConfig> {
  const clientCa = await watchAuthorities('client-ca-file', authentication.clientCaFile, around.files);
  const requestHeader = await requestHeaderConfig(authentication, around);
  const own = around.pki === undefined ? [] : [fixedText(around.pki.ca.certificate)];
  const accounts = await serviceAccountConfig(serviceAccounts, around.pki?.serviceAccount);
  const jwt = await jwtConfig(authentication, accounts?.issuers ?? [], around.files);
  const all = [...(clientCa === undefined ? [] : [clientCa]), ...own];
  return {
    clientCa: all.length === 0 ? undefined : joinedTexts(all),
    requestHeader,
    tokenFile: await readTokenFile(authentication.tokenAuthFile),
    bootstrapTokens: authentication.enableBootstrapTokenAuth,
    serviceAccounts: accounts,
    jwt,
    webhook: await webhookConfig(authentication, around.files),
    anonymous: anonymousConfig(
      jwt?.initial.configuration.anonymous,
      { allowed: authentication.anonymousAuth, alwaysAllow: authorization.modes.includes('AlwaysAllow') },
      around,
    ),
    audiences: serviceAccounts.apiAudiences.length > 0 ? serviceAccounts.apiAudiences : (accounts?.issuers ?? []),
  };
}

/** All authorities of client certificates, which the handshake names to clients. */
export function clientAuthorities({ clientCa, requestHeader }: AuthenticationConfig): ReloadableText | undefined {
  const all = [clientCa, requestHeader?.ca].filter((text) => text !== undefined);
  return all.length === 0 ? undefined : joinedTexts(all);
}

/** What kubeadm writes, for the front proxy of our own PKI. */
const ownFrontProxy = {
  allowedNames: ['front-proxy-client'],
  usernameHeaders: ['X-Remote-User'],
  uidHeaders: [],
  groupHeaders: ['X-Remote-Group'],
  extraHeaderPrefixes: ['X-Remote-Extra-'],
};

async function requestHeaderConfig(
  options: ApiServerOptions['authentication'],
  { files, pki }: AuthenticationSurroundings,
): Promise<RequestHeaderConfig | undefined> {
  const ca = await watchAuthorities('requestheader-client-ca-file', options.requestHeaderClientCaFile, files);
  if (ca === undefined)
    return pki === undefined ? undefined : { ca: fixedText(pki.frontProxyCa.certificate), ...ownFrontProxy };
  return { ca, ...requestHeaderOptions(options) };
}

const watchAuthorities = async (
  flag: string,
  path: string | undefined,
  files: ReloadableFiles,
): Promise<ReloadableText | undefined> =>
  path === undefined ? undefined : watchFlagFile(files, flag, path, (pem) => void readCertificates(pem));

/** The file may configure it instead of the flag. In mode AlwaysAllow anonymous requests are off. */
function anonymousConfig(
  file: AnonymousConfig | undefined,
  { allowed, alwaysAllow }: { readonly allowed: boolean; readonly alwaysAllow: boolean },
  { anonymousGiven, log }: AuthenticationSurroundings,
): AuthenticationConfig['anonymous'] {
  if (file === undefined) return allowed ? { paths: [] } : undefined;
  if (anonymousGiven)
    throw new UserError(
      '--anonymous-auth flag cannot be set when anonymous field is configured in authentication configuration file',
    );
  if (file.enabled && alwaysAllow)
    log.warn(
      {},
      'AnonymousAuth is not allowed with the AlwaysAllow authorizer. Resetting AnonymousAuth to false. You ' +
        'should use a different authorizer',
    );
  return file.enabled && !alwaysAllow ? { paths: file.conditions.map(({ path }) => path) } : undefined;
}

async function jwtConfig(
  options: ApiServerOptions['authentication'],
  disallowedIssuers: readonly string[],
  files: ReloadableFiles,
): Promise<JwtConfig | undefined> {
  if (options.authenticationConfig !== undefined) {
    // The authenticator handles a later text that cannot be used, because it counts them.
    const path = options.authenticationConfig;
    const text = await watchFlagFile(files, 'authentication-config', path);
    return {
      initial: await validInitially(text.get(), path, disallowedIssuers),
      algorithms: signingAlgorithms,
      file: { path, text },
      disallowedIssuers,
    };
  }
  if (options.oidcIssuerUrl === undefined) return undefined;
  // @NOTE differs from upstream: there an empty file means the authorities of the system.
  const certificateAuthority =
    (await readFlagFile('oidc-ca-file', options.oidcCaFile, (pem) => void readCertificates(pem))) ?? '';
  try {
    return {
      initial: await validateJwtConfiguration(oidcConfiguration(options, certificateAuthority), disallowedIssuers),
      algorithms: options.oidcSigningAlgorithms,
      file: undefined,
      disallowedIssuers,
    };
  } catch (error) {
    throw new UserError(`the --oidc-* flags are wrong: ${(error as Error).message}`);
  }
}

async function validInitially(
  text: string,
  path: string,
  disallowedIssuers: readonly string[],
): Promise<JwtConfig['initial']> {
  try {
    return await readValidated(text, disallowedIssuers);
  } catch (error) {
    throw new UserError(`--authentication-config: ${path}: ${(error as Error).message}`, { cause: error });
  }
}

/** The same issuer as a configuration document would have it. */
function oidcConfiguration(
  options: ApiServerOptions['authentication'],
  certificateAuthority: string,
): AuthenticationConfiguration {
  const {
    oidcIssuerUrl: url = '',
    oidcClientId: clientId = '',
    oidcUsernameClaim: name,
    oidcUsernamePrefix: prefix,
    oidcGroupsClaim: groups,
    oidcGroupsPrefix,
    oidcRequiredClaims,
  } = options;
  const usernamePrefix = prefix === '-' ? '' : (prefix ?? (name === 'email' ? '' : `${url}#`));
  const none = { claim: '', expression: '' };
  return {
    jwt: [
      {
        issuer: { url, discoveryURL: '', certificateAuthority, audiences: [clientId], audienceMatchPolicy: '' },
        claimValidationRules: [...oidcRequiredClaims].map(([claim, requiredValue]) => ({
          claim,
          requiredValue,
          expression: '',
          message: '',
        })),
        claimMappings: {
          username: { claim: name, prefix: usernamePrefix, expression: '' },
          groups: groups === undefined ? none : { claim: groups, prefix: oidcGroupsPrefix ?? '', expression: '' },
          uid: none,
          extra: [],
        },
        userValidationRules: [],
      },
    ],
  };
}

/** The default issuer for tokens of our own key: kubeadm's. */
const ownIssuer = 'https://kubernetes.default.svc.cluster.local';

async function serviceAccountConfig(
  options: ApiServerOptions['serviceAccounts'],
  own: Pki['serviceAccount'] | undefined,
): Promise<ServiceAccountConfig | undefined> {
  if (options.signingEndpoint !== undefined)
    return {
      ...signed(options, options.issuers),
      keys: [],
      signingKey: undefined,
      signingEndpoint: options.signingEndpoint,
    };
  const given = await Promise.all(
    options.keyFiles.map((path) => readKeys('service-account-key-file', path, readPublicKeys)),
  );
  const signingKey =
    options.signingKeyFile === undefined
      ? undefined
      : await readKeys('service-account-signing-key-file', options.signingKeyFile, readSigningKey);
  const isOwn = signingKey === undefined && given.length === 0 && own !== undefined;
  const keys = isOwn
    ? readPublicKeys(own.publicKey)
    : given.length > 0
      ? given.flat()
      : signingKey === undefined
        ? []
        : [verificationKey(createPublicKey(signingKey))];
  if (keys.length === 0) return undefined;
  const issuers = options.issuers.length === 0 && isOwn ? [ownIssuer] : options.issuers;
  return {
    ...signed(options, issuers),
    keys,
    signingKey: isOwn ? readSigningKey(own.privateKey) : signingKey,
    signingEndpoint: undefined,
  };
}

const signed = (
  { lookup, extendTokenExpiration, maxTokenExpirationMs, jwksUri }: ApiServerOptions['serviceAccounts'],
  issuers: readonly string[],
): Omit<ServiceAccountConfig, 'keys' | 'signingKey' | 'signingEndpoint'> => ({
  issuers,
  lookup,
  extendExpiration: extendTokenExpiration,
  maxExpirationSeconds: maxTokenExpirationMs / 1000,
  jwksUri,
});

async function webhookConfig(
  { webhookConfigFile, webhookVersion, webhookCacheTtlMs }: ApiServerOptions['authentication'],
  reports: ReloadableFiles,
): Promise<WebhookConfig | undefined> {
  if (webhookConfigFile === undefined) return undefined;
  try {
    return {
      connection: await readWebhookKubeconfig(webhookConfigFile, { reports }),
      version: webhookVersion,
      cacheTtlMs: webhookCacheTtlMs,
    };
  } catch (error) {
    throw new UserError(
      `--authentication-token-webhook-config-file: ${webhookConfigFile}: ${describeFileError(error)}`,
      { cause: error },
    );
  }
}

async function readKeys<T>(flag: string, path: string, read: (pem: string) => T): Promise<T> {
  let keys: T;
  await readFlagFile(flag, path, (pem) => void (keys = read(pem)));
  return keys!;
}

const readTokenFile = (path: string | undefined): Promise<string | undefined> =>
  readFlagFile('token-auth-file', path, (content) => void parseTokenFile(content));
