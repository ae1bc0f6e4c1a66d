/**
 * Errors of the values of API server options, with the reference's texts where it has some. Flags are named as the
 * operator wrote them.
 */
import { goQuote } from '../../../machinery/go-quote.ts';
import { isGateOn } from '../../../api/feature-gates.ts';
import { groupVersions } from '../../../api/resources.ts';
import { pluginNames } from '../../../apiserver/admission/plugin-names.ts';
import { signingAlgorithms } from '../../../apiserver/authn/jwt/algorithms.ts';
import type { GivenFlags } from '../parse.ts';
import { emulatedGateProblems, emulatedGates, emulatedVersionProblems } from '../shared/emulated-version.ts';
import { apiServerGates } from '../shared/feature-gates.ts';
import { runtimeConfigProblems } from '../runtime-config.ts';
import { requestHeaderProblems } from '../shared/client-certificates.ts';
import { debuggingProblems } from '../shared/debugging.ts';
import { logProblems } from '../shared/logs.ts';
import { metricProblems } from '../shared/metrics.ts';
import type { Spelling } from '../shared/problems.ts';
import {
  http2Problems,
  listenProblems,
  servingCertificateProblems,
  socketSharingProblems,
  tlsProblems,
} from '../shared/secure-serving.ts';
import { isTransportSecurityDirective, originProblem } from './browser-access.ts';
import type { Check } from './check.ts';
import { checkAudit } from './validate-audit.ts';
import { readOverride } from './store-overrides.ts';
import type { ApiServerOptions } from './table.ts';
import { readWatchCacheSize } from './watch-cache-sizes.ts';
import { checkServices, reconcilerTypes } from './validate-services.ts';
import { inRange } from '../in-range.ts';

/** A sentence per problem; empty when the server can start. */
export function validateApiServerOptions(options: ApiServerOptions, given: GivenFlags): string[] {
  const spelled: Spelling = (name) => given.get(name) ?? `--${name}`;
  return checks
    .flatMap((check) => check(options, spelled, given))
    .filter((problem): problem is string => typeof problem === 'string');
}

const checkServing: Check = ({ serving }, spelled) => [
  ...listenProblems(serving, spelled),
  ...servingCertificateProblems(serving),
  (serving.proxyClientCertFile === undefined) !== (serving.proxyClientKeyFile === undefined) &&
    `${spelled('proxy-client-cert-file')} and ${spelled('proxy-client-key-file')} are to be given together`,
  serving.requestTimeoutMs < 0 && `${spelled('request-timeout')} can not be negative value`,
  serving.livezGracePeriodMs < 0 && `${spelled('livez-grace-period')} can not be a negative value`,
  serving.shutdownDelayMs < 0 && `${spelled('shutdown-delay-duration')} can not be negative value`,
  serving.shutdownWatchTerminationGracePeriodMs < 0 &&
    `${spelled('shutdown-watch-termination-grace-period').slice(2)}, if provided, can not be a negative value`,
  serving.minRequestTimeoutSeconds < 0 && `${spelled('min-request-timeout')} can not be negative value`,
  ...tlsProblems(serving, spelled),
  ...serving.corsAllowedOrigins.map((pattern) => problemOf(spelled('cors-allowed-origins'), originProblem(pattern))),
  serving.strictTransportSecurityDirectives.some((text) => !isTransportSecurityDirective(text)) &&
    `${spelled('strict-transport-security-directives')} invalid, allowed values: max-age=expireTime, ` +
      'includeSubDomains, preload. see https://tools.ietf.org/html/rfc6797#section-6.1 for more information',
  !(serving.goawayChance >= 0 && serving.goawayChance <= 0.02) &&
    `${spelled('goaway-chance')} can not be less than 0 or greater than 0.02`,
  ...socketSharingProblems(serving, spelled),
  ...http2Problems(serving, spelled),
];

const peerGate = 'UnknownVersionInteroperabilityProxy';

const checkPeers: Check = ({ serving, apis }, spelled) => {
  const isOn = (gate: string): boolean =>
    isGateOn(gate, emulatedGates(apis.featureGates, apis.emulatedVersions, apiServerGates));
  const flags = [
    ['peer-ca-file', serving.peerCaFile],
    ['peer-advertise-ip', serving.peerAdvertiseIp],
    ['peer-advertise-port', serving.peerAdvertisePort],
  ] as const;
  const port = Number(serving.peerAdvertisePort ?? 1);
  return [
    ...['APIServerIdentity', 'StorageVersionAPI'].map(
      (gate) => isOn(peerGate) && !isOn(gate) && `${peerGate} feature requires ${gate} feature flag to be enabled`,
    ),
    ...flags.map(
      ([name, value]) =>
        !isOn(peerGate) && value !== undefined && `${spelled(name)} requires ${peerGate} feature to be turned on`,
    ),
    !(Number.isInteger(port) && inRange(port, 1, 65_535)) &&
      `${spelled('peer-advertise-port')}: Invalid value: ${goQuote(serving.peerAdvertisePort!)}: must be a port`,
  ];
};

const hasOidc = ({
  oidcIssuerUrl,
  oidcClientId,
  oidcCaFile,
  oidcGroupsClaim,
  oidcGroupsPrefix,
  oidcUsernamePrefix,
  oidcRequiredClaims,
}: ApiServerOptions['authentication']): boolean =>
  [oidcIssuerUrl, oidcClientId, oidcCaFile, oidcGroupsClaim, oidcGroupsPrefix, oidcUsernamePrefix].some(
    (value) => value !== undefined,
  ) || oidcRequiredClaims.size > 0;

const problemOf = (flag: string, problem: string | undefined): string | undefined =>
  problem === undefined ? undefined : `${flag} ${problem}`;

const checkAuthentication: Check = ({ authentication, apis }, spelled) => [
  authentication.requestHeaderUidHeaders.length > 0 &&
    !isGateOn('RemoteRequestHeaderUID', emulatedGates(apis.featureGates, apis.emulatedVersions, apiServerGates)) &&
    `${spelled('requestheader-uid-headers')} requires the "RemoteRequestHeaderUID" feature to be enabled`,
  authentication.authenticationConfig !== undefined &&
    hasOidc(authentication) &&
    'authentication-config file and oidc-* flags are mutually exclusive',
  (authentication.oidcIssuerUrl === undefined) !== (authentication.oidcClientId === undefined) &&
    `${spelled('oidc-issuer-url').slice(2)} and ${spelled('oidc-client-id').slice(2)} must be specified ` +
      'together when any oidc-* flags are set',
  ...authentication.oidcSigningAlgorithms.map(
    (algorithm) =>
      !signingAlgorithms.includes(algorithm) &&
      `${spelled('oidc-signing-algs')}: unsupported signing alg: ${goQuote(algorithm)}`,
  ),
  !['v1', 'v1beta1'].includes(authentication.webhookVersion) &&
    `${spelled('authentication-token-webhook-version')} ${goQuote(authentication.webhookVersion)} invalid, ` +
      'allowed values: v1, v1beta1',
  ...requestHeaderProblems(authentication),
];

const hourMs = 3_600_000;

/** A path, or a name in the abstract namespace. */
const socketName = /^(?:@[\w-]+(?:\.[\w-]+)*|(?:\/[\w.-]+)+)$/;

const checkSigningEndpoint: Check = (
  { serviceAccounts: { signingEndpoint, signingKeyFile, keyFiles, issuers }, apis },
  spelled,
) => {
  if (signingEndpoint === undefined) return [];
  const flag = spelled('service-account-signing-endpoint');
  return [
    (signingKeyFile !== undefined || keyFiles.length > 0) &&
      `can't set \`${spelled('service-account-signing-key-file')}\` and/or ` +
        `\`${spelled('service-account-key-file')}\` with \`${flag}\` (They are mutually exclusive)`,
    !isGateOn(
      'ExternalServiceAccountTokenSigner',
      emulatedGates(apis.featureGates, apis.emulatedVersions, apiServerGates),
    ) && `setting \`${flag}\` requires enabling ExternalServiceAccountTokenSigner feature gate`,
    !socketName.test(signingEndpoint) &&
      `invalid value ${goQuote(signingEndpoint)} passed for \`${flag}\`, should be a valid location on the ` +
        'filesystem or must be prefixed with @ to name UDS in abstract namespace',
    issuers.length === 0 && `${flag} requires ${spelled('service-account-issuer')}`,
  ];
};

const checkServiceAccounts: Check = ({ serviceAccounts }, spelled) => [
  ...serviceAccounts.issuers.map(
    (issuer) =>
      issuer.includes(':') &&
      !URL.canParse(issuer) &&
      `${spelled('service-account-issuer').slice(2)} ${goQuote(issuer)} contained a ':' but was not a valid URL`,
  ),
  serviceAccounts.issuers.includes('') && `${spelled('service-account-issuer').slice(2)} must not be empty`,
  serviceAccounts.issuers.length === 0 &&
    serviceAccounts.signingKeyFile !== undefined &&
    `${spelled('service-account-signing-key-file')} requires ${spelled('service-account-issuer')}`,
  serviceAccounts.maxTokenExpirationMs !== 0 &&
    !inRange(serviceAccounts.maxTokenExpirationMs, hourMs, 2 ** 32 * 1000) &&
    `the ${spelled('service-account-max-token-expiration').slice(2)} must be between 1 hour and 2^32 seconds`,
  serviceAccounts.jwksUri !== undefined &&
    !isHttpsUrl(serviceAccounts.jwksUri) &&
    `${spelled('service-account-jwks-uri').slice(2)} requires https scheme, parsed as: ${serviceAccounts.jwksUri}`,
];

const isHttpsUrl = (text: string): boolean => URL.canParse(text) && new URL(text).protocol === 'https:';

const storageMediaTypes = ['application/json', 'application/vnd.kubernetes.protobuf', 'application/yaml'];

const storageDurations = {
  'store-compaction-interval': 'compactionIntervalMs',
  'store-count-metric-poll-period': 'countMetricPollPeriodMs',
  'store-db-metric-poll-interval': 'dbMetricPollIntervalMs',
  'store-healthcheck-timeout': 'healthcheckTimeoutMs',
  'store-readycheck-timeout': 'readycheckTimeoutMs',
  'event-ttl': 'eventTtlMs',
  'storage-initialization-timeout': 'initializationTimeoutMs',
} as const;

const checkStorage: Check = ({ storage }, spelled) => [
  storage.backend !== undefined &&
    storage.backend !== 'etcd3' &&
    `${spelled('storage-backend')} invalid, allowed values: etcd3. If not specified, it will default to 'etcd3'`,
  !storageMediaTypes.includes(storage.mediaType) &&
    `${spelled('storage-media-type')} ${goQuote(storage.mediaType)} invalid, allowed ` +
      `values: ${storageMediaTypes.join(', ')}`,
  (storage.certFile === undefined) !== (storage.keyFile === undefined) &&
    `KeyFile and CertFile must both be present[key: ${storage.keyFile ?? ''}, cert: ${storage.certFile ?? ''}]`,
  ...storage.servers.map(
    (server) =>
      !isServerUrl(server) &&
      `${spelled('store-servers')} ${goQuote(server)} invalid, must be of format: scheme://host:port`,
  ),
  ...storage.serversOverrides.map((override) => checkOverride(override, storage.servers, spelled)),
  ...storage.watchCacheSizes.map(messageOf(readWatchCacheSize)),
  ...Object.entries(storageDurations).map(
    ([name, key]) => storage[key] < 0 && `${spelled(name)} can not be negative value`,
  ),
  storage.encryptionProviderConfig === undefined &&
    storage.encryptionProviderConfigAutomaticReload &&
    `${spelled('encryption-provider-config-automatic-reload')} must be set ` +
      `with ${spelled('encryption-provider-config')}`,
  storage.leaseReuseDurationSeconds < 0 && `${spelled('lease-reuse-duration-seconds')} can not be negative value`,
  storage.deleteCollectionWorkers < 1 && `${spelled('delete-collection-workers')} must be a positive number`,
  storage.apiserverCount <= 0 &&
    `${spelled('apiserver-count')} should be a positive number, but value '${storage.apiserverCount}' provided`,
  !reconcilerTypes.includes(storage.endpointReconcilerType) &&
    `${spelled('endpoint-reconciler-type')} ${goQuote(storage.endpointReconcilerType)} invalid, allowed ` +
      `values: ${reconcilerTypes.join(', ')}`,
];

/** etcd takes addresses without a scheme too. */
const isServerUrl = (server: string): boolean =>
  /^(https?:\/\/)?(\[[0-9a-fA-F:.]+\]|[^\s/:#;,]+)(:\d{1,5})?\/?$/.test(server);

function checkOverride(text: string, servers: readonly string[], spelled: Spelling): string | undefined {
  const override = readOverride(text);
  const flag = spelled('store-servers-overrides');
  if (!override || !override.servers.every(isServerUrl))
    return `${flag} invalid, must be of format: group/resource#servers, where servers are URLs, semicolon separated`;
  return servers.length === 0
    ? `${flag} needs ${spelled('store-servers')}: the embedded store has no servers to override`
    : undefined;
}

const messageOf =
  (read: (text: string) => unknown) =>
  (text: string): string | undefined => {
    try {
      read(text);
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  };

const authorizationModes = ['AlwaysAllow', 'AlwaysDeny', 'ABAC', 'Webhook', 'RBAC', 'Node'];

const webhookFlags = [
  'authorization-webhook-config-file',
  'authorization-webhook-version',
  'authorization-webhook-cache-authorized-ttl',
  'authorization-webhook-cache-unauthorized-ttl',
];

const checkAuthorization: Check = (options, spelled, given) =>
  options.authorization.config === undefined
    ? checkModes(options, spelled, given)
    : [
        ['authorization-mode', ...webhookFlags].some((flag) => given.has(flag)) &&
          `${spelled('authorization-config')} can not be specified when ${spelled('authorization-mode')} ` +
            `or ${spelled('authorization-webhook-*')} flags are defined`,
      ];

const checkModes: Check = ({ authorization: { modes, policyFile, webhookConfigFile, webhookVersion } }, spelled) => {
  const mode = spelled('authorization-mode').slice(2);
  return [
    modes.length === 0 && `at least one ${mode} must be passed`,
    new Set(modes).size < modes.length && `${mode} [${modes.map(goQuote).join(' ')}] has mode specified more than once`,
    ...modes.map((name) => !authorizationModes.includes(name) && `${mode} ${goQuote(name)} is not a valid mode`),
    modes.includes('ABAC') && policyFile === undefined && `${mode} ABAC's authorization policy file not passed`,
    !modes.includes('ABAC') &&
      policyFile !== undefined &&
      `cannot specify ${spelled('authorization-policy-file')} without mode ABAC`,
    modes.includes('Webhook') &&
      webhookConfigFile === undefined &&
      `${mode} Webhook's authorization config file not passed`,
    !modes.includes('Webhook') &&
      webhookConfigFile !== undefined &&
      `cannot specify ${spelled('authorization-webhook-config-file')} without mode Webhook`,
    !['v1', 'v1beta1'].includes(webhookVersion) &&
      `${spelled('authorization-webhook-version')} ${goQuote(webhookVersion)} invalid, allowed values: v1, v1beta1`,
  ];
};

const pluginsByName = new Map(pluginNames.map((plugin) => [plugin.name, plugin]));

const checkAdmission: Check = ({ admission: { enablePlugins, disablePlugins } }, spelled) => {
  const [enable, disable] = [spelled('enable-admission-plugins'), spelled('disable-admission-plugins')];
  const both = enablePlugins.filter((name) => disablePlugins.includes(name));
  return [
    ...enablePlugins.map((name) => !pluginsByName.has(name) && `${enable.slice(2)} plugin ${goQuote(name)} is unknown`),
    ...disablePlugins.map(
      (name) => !pluginsByName.has(name) && `${disable.slice(2)} plugin ${goQuote(name)} is unknown`,
    ),
    both.length > 0 && `[${both.join(' ')}] in ${enable.slice(2)} and ${disable.slice(2)} overlapped`,
  ];
};

const checkFlowControl: Check = ({ flowControl }, spelled) => [
  flowControl.maxRequestsInflight < 0 && `${spelled('max-requests-inflight')} can not be negative value`,
  flowControl.maxMutatingRequestsInflight < 0 &&
    `${spelled('max-mutating-requests-inflight')} can not be negative value`,
  flowControl.enablePriorityAndFairness &&
    flowControl.maxRequestsInflight === 0 &&
    flowControl.maxMutatingRequestsInflight === 0 &&
    'invalid configuration: MaxRequestsInFlight=0 and MaxMutatingRequestsInFlight=0; ' +
      'they must add up to something positive',
];

const checkLogs: Check = ({ logs, debugging }, spelled) => [
  ...debuggingProblems(debugging, spelled),
  ...logProblems(logs, spelled),
];

const checkApis: Check = ({ apis }) => [
  ...runtimeConfigProblems(apis.runtimeConfig, groupVersions),
  ...emulatedVersionProblems(apis.emulatedVersions),
  ...emulatedGateProblems(apis.featureGates, apis.emulatedVersions, apiServerGates),
];

const checkMetrics: Check = ({ metrics }, spelled) => metricProblems(metrics, spelled);

const checks: readonly Check[] = [
  checkServing,
  checkPeers,
  checkAuthentication,
  checkServiceAccounts,
  checkSigningEndpoint,
  checkStorage,
  checkServices,
  checkAuthorization,
  checkAdmission,
  checkFlowControl,
  checkLogs,
  checkMetrics,
  checkApis,
  checkAudit,
];
