/**
 * What values of API server options cannot be followed, said in the reference's words where it has some. Flags are named
 * as the operator wrote them.
 */
import { parseCidr } from '../../../machinery/formats/addresses.ts';
import type { Cidr } from '../../../machinery/formats/addresses.ts';
import { goQuote } from '../../../machinery/go-quote.ts';
import { groupVersions } from '../../../api/resources.ts';
import type { GivenFlags } from '../parse.ts';
import { runtimeConfigProblems } from '../runtime-config.ts';
import { readOverride } from './store-overrides.ts';
import type { ApiServerOptions } from './table.ts';
import { readWatchCacheSize } from './watch-cache-sizes.ts';

/** How the flag of this name was written, with dashes. */
type Spelling = (name: string) => string;
type Check = (options: ApiServerOptions, spelled: Spelling) => readonly (string | false | undefined)[];

/** A sentence per problem; empty when the server can start. */
export function validateApiServerOptions(options: ApiServerOptions, given: GivenFlags): string[] {
  const spelled: Spelling = (name) => given.get(name) ?? `--${name}`;
  return checks.flatMap((check) => check(options, spelled)).filter((problem): problem is string => typeof problem === 'string');
}

const inRange = (value: number, low: number, high: number): boolean => value >= low && value <= high;

const checkServing: Check = ({ serving }, spelled) => [
  !inRange(serving.securePort, 1, 65535) && `${spelled('secure-port')} ${serving.securePort} must be between 1 and 65535, inclusive. It cannot be turned off with 0`,
  (serving.tlsCertFile === undefined) !== (serving.tlsPrivateKeyFile === undefined) && 'missing filename for serving cert',
  serving.requestTimeoutMs < 0 && `${spelled('request-timeout')} can not be negative value`,
  serving.minRequestTimeoutSeconds < 0 && `${spelled('min-request-timeout')} can not be negative value`,
  serving.http2MaxStreamsPerConnection < 0 && `${spelled('http2-max-streams-per-connection')} can not be negative value`,
];

const storageMediaTypes = ['application/json', 'application/vnd.kubernetes.protobuf', 'application/yaml'];
const storageDurations = {
  'store-compaction-interval': 'compactionIntervalMs',
  'store-count-metric-poll-period': 'countMetricPollPeriodMs',
  'store-db-metric-poll-interval': 'dbMetricPollIntervalMs',
  'store-healthcheck-timeout': 'healthcheckTimeoutMs',
  'store-readycheck-timeout': 'readycheckTimeoutMs',
  'event-ttl': 'eventTtlMs',
} as const;

const checkStorage: Check = ({ storage }, spelled) => [
  storage.backend !== undefined && storage.backend !== 'etcd3' && `${spelled('storage-backend')} invalid, allowed values: etcd3. If not specified, it will default to 'etcd3'`,
  !storageMediaTypes.includes(storage.mediaType) && `${spelled('storage-media-type')} ${goQuote(storage.mediaType)} invalid, allowed values: ${storageMediaTypes.join(', ')}`,
  (storage.certFile === undefined) !== (storage.keyFile === undefined) &&
    `KeyFile and CertFile must both be present[key: ${storage.keyFile ?? ''}, cert: ${storage.certFile ?? ''}]`,
  ...storage.servers.map((server) => !isServerUrl(server) && `${spelled('store-servers')} ${goQuote(server)} invalid, must be of format: scheme://host:port`),
  ...storage.serversOverrides.map((override) => checkOverride(override, storage.servers, spelled)),
  ...storage.watchCacheSizes.map(messageOf(readWatchCacheSize)),
  ...Object.entries(storageDurations).map(([name, key]) => storage[key] < 0 && `${spelled(name)} can not be negative value`),
  storage.leaseReuseDurationSeconds < 0 && `${spelled('lease-reuse-duration-seconds')} can not be negative value`,
  storage.deleteCollectionWorkers < 1 && `${spelled('delete-collection-workers')} must be a positive number`,
  storage.apiserverCount <= 0 && `${spelled('apiserver-count')} should be a positive number, but value '${storage.apiserverCount}' provided`,
  !reconcilerTypes.includes(storage.endpointReconcilerType) &&
    `${spelled('endpoint-reconciler-type')} ${goQuote(storage.endpointReconcilerType)} invalid, allowed values: ${reconcilerTypes.join(', ')}`,
];

const reconcilerTypes = ['lease', 'master-count', 'none'];

/** etcd takes addresses without a scheme too. */
const isServerUrl = (server: string): boolean => /^(https?:\/\/)?(\[[0-9a-fA-F:.]+\]|[^\s/:#;,]+)(:\d{1,5})?\/?$/.test(server);

function checkOverride(text: string, servers: readonly string[], spelled: Spelling): string | undefined {
  const override = readOverride(text);
  const flag = spelled('store-servers-overrides');
  if (!override || !override.servers.every(isServerUrl)) return `${flag} invalid, must be of format: group/resource#servers, where servers are URLs, semicolon separated`;
  return servers.length === 0 ? `${flag} needs ${spelled('store-servers')}: the embedded store has no servers to override` : undefined;
}

const messageOf = (read: (text: string) => unknown) => (text: string): string | undefined => {
  try {
    read(text);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
};

const checkServices: Check = ({ services, serving, storage }, spelled) => {
  const { first, last } = services.nodePortRange;
  const port = services.kubernetesServiceNodePort;
  return [
    ...checkRanges(services.clusterIpRanges, spelled('service-cluster-ip-range')),
    storage.endpointReconcilerType !== 'none' && checkFamilies(services.clusterIpRanges[0], serving.advertiseAddress),
    !inRange(port, 0, 65535) &&
      `${spelled('kubernetes-service-node-port')} ${port} must be between 0 and 65535, inclusive. If 0, the Kubernetes master service will be of type ClusterIP`,
    port > 0 && !inRange(port, first, last) && `kubernetes service port range ${first}-${last} doesn't contain ${port}`,
  ];
};

function checkRanges(ranges: readonly string[], flag: string): (string | false | undefined)[] {
  const cidrs = ranges.map(parseCidr);
  return [
    ranges.length > 2 && `${flag} must not contain more than two entries`,
    ...cidrs.slice(0, 2).map((cidr, index) => checkRange(cidr, index, flag)),
    cidrs[0] !== undefined && cidrs[0].family === cidrs[1]?.family && `${flag}[0] and ${flag}[1] must be of different IP family`,
  ];
}

/** More addresses would make the allocation bitmaps of all replicas too large for one object. */
const maxRangeBits = 20;
const minRangeBits = 3;

function checkRange(cidr: Cidr | undefined, index: number, flag: string): string | false {
  if (cidr === undefined) return `${flag.slice(2)}[${index}] is not a valid cidr`;
  const bits = cidr.family === 4 ? 32 : 128;
  const name = index === 0 ? flag : `${flag}[${index}]`;
  if (bits - cidr.prefixLength > maxRangeBits) return `specified ${name} is too large; for ${bits}-bit addresses, the mask must be >= ${bits - maxRangeBits}`;
  return bits - cidr.prefixLength < minRangeBits && 'the service cluster IP range must be at least 8 IP addresses';
}

function checkFamilies(range: string | undefined, publicAddress: string | undefined): string | undefined {
  const service = range === undefined ? undefined : parseCidr(range)?.family;
  if (service === undefined || publicAddress === undefined) return undefined;
  const own = publicAddress.includes(':') ? 6 : 4;
  return service === own ? undefined : `service IP family "IPv${service}" must match public address family "IPv${own}"`;
}

/** Every mode the reference knows, and which of them this version has. */
const authorizationModes: Readonly<Record<string, 'works' | 'notYet'>> = {
  AlwaysAllow: 'works',
  AlwaysDeny: 'notYet',
  ABAC: 'notYet',
  Webhook: 'notYet',
  RBAC: 'notYet',
  Node: 'notYet',
};

const checkAuthorization: Check = ({ authorization: { modes } }, spelled) => [
  modes.length === 0 && `at least one ${spelled('authorization-mode').slice(2)} must be passed`,
  new Set(modes).size < modes.length && `${spelled('authorization-mode').slice(2)} [${modes.map(goQuote).join(' ')}] has mode specified more than once`,
  ...modes.map((mode) => {
    const support = Object.hasOwn(authorizationModes, mode) ? authorizationModes[mode] : undefined;
    if (support === undefined) return `${spelled('authorization-mode').slice(2)} ${goQuote(mode)} is not a valid mode`;
    return support === 'notYet' && `${spelled('authorization-mode')}=${mode} is not supported by this version yet`;
  }),
];

const checkFlowControl: Check = ({ flowControl }, spelled) => [
  flowControl.maxRequestsInflight < 0 && `${spelled('max-requests-inflight')} can not be negative value`,
  flowControl.maxMutatingRequestsInflight < 0 && `${spelled('max-mutating-requests-inflight')} can not be negative value`,
];

const checkLogs: Check = ({ logs }, spelled) => [
  !['text', 'json'].includes(logs.format) && `${spelled('logging-format')}: Invalid value: ${goQuote(logs.format)}: Unsupported log format`,
  logs.verbosity < 0 && `${spelled('v')} can not be negative value`,
];

const checkApis: Check = ({ apis }) => runtimeConfigProblems(apis.runtimeConfig, groupVersions);

const checks: readonly Check[] = [checkServing, checkStorage, checkServices, checkAuthorization, checkFlowControl, checkLogs, checkApis];
