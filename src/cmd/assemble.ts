/**
 * From judged options to what the server is started with: reads the files they name and finds out where it is reached.
 */
import { resolve } from 'node:path';
import { isGateOn } from '../api/feature-gates.ts';
import type { DebuggingConfig, PeersConfig } from '../apiserver/config.ts';
import type { Verbosity } from '../server/koa/debug-routes.ts';
import type { AuthenticationConfig } from '../apiserver/authn/authentication.ts';
import { type AuthorizationConfig, uses } from '../apiserver/authz/configuration.ts';
import { ReloadableFiles } from '../base/reloadable-file.ts';
import { type CleanupStack, withCleanupStack } from '../base/cleanup-stack.ts';
import { versionInfo } from '../base/version.ts';
import { readCertificates } from '../auth/authentication/certificate-chain.ts';
import type { Logger } from '../base/logger.ts';
import { readAdmissionConfig } from './admission-config.ts';
import { readAuditConfig } from './audit-config.ts';
import { authorizationConfig } from './authorization-config.ts';
import { authenticationConfig, clientAuthorities } from './authentication-config.ts';
import type { StartConfig, StoreConfig } from './config.ts';
import { type ReadOptions, startConfigOf } from './start-config.ts';
import { readEgressConfig } from './egress-config.ts';
import { readEncryptionConfig } from './encryption-config.ts';
import type { CompletedOptions } from './flags/api-server/options.ts';
import { emulatedMinor } from './flags/shared/emulated-version.ts';
import { stallReporting } from './flags/shared/debugging.ts';
import type { Pod } from '../client/in-cluster.ts';
import { servingTls, watchServingFiles } from './flags/shared/serving-tls.ts';
import { readOverride } from './flags/api-server/store-overrides.ts';
import { flagValues } from './flags/flag-values.ts';
import { apiServerFlags, type ApiServerOptions } from './flags/api-server/table.ts';
import type { KeyPair, Pki } from '../pki/pki.ts';
import { readTracingConfig } from './tracing-config.ts';
import { readMetricsConfig } from './flags/shared/metrics-config.ts';
import { findPublicAddress } from './public-address.ts';
import { checkPair, fixedPair, watchFlagPair } from './key-pair-files.ts';
import { readFlagFile, watchFlagFile } from './read-file.ts';
import { UserError } from './user-error.ts';

export interface Surroundings {
  /** Used when no `--tls-cert-file` is given. */
  readonly serving: () => Promise<KeyPair>;
  /** Its authorities are trusted besides those of the options. */
  readonly pki: Pki | undefined;
  /** Where the embedded store is; in memory when absent. */
  readonly storeDirectory: string | undefined;
  /** The port to listen on, if not `--secure-port`. */
  readonly port?: number;
  /** How often files are looked at for changes, if not at the usual intervals. */
  readonly fileCheckMs?: number;
  /** The pod that this process runs in, if not the one that it finds itself in. */
  readonly pod?: Pod;
  readonly log: Logger;
  /** Of the log, for those who change it while the server runs. */
  readonly verbosity: Verbosity;
  /**
   * Whether the process is this server alone, with its log on standard error; else stalls are looked for only where a
   * flag says so.
   */
  readonly ownsProcess?: boolean;
  readonly signal: AbortSignal;
}

/** Rejects with no file being watched any more. */
export const assembleStartConfig = (completed: CompletedOptions, around: Surroundings): Promise<StartConfig> =>
  withCleanupStack(async (cleanup) => startConfigOf(await readOptions(completed, around, cleanup)));

async function readOptions(
  { options, given: flags, featureGates, groupVersions }: CompletedOptions,
  around: Surroundings,
  cleanup: CleanupStack,
): Promise<ReadOptions> {
  const { serving } = options;
  const files = new ReloadableFiles({
    log: around.log,
    ...(around.fileCheckMs === undefined ? {} : { everyMs: around.fileCheckMs }),
  });
  cleanup.add(() => files.stop());
  // One after the other, so that of several missing files it is always the same one that is named.
  const servingFiles = await watchServingFiles(serving, files);
  const givenClient = await watchFlagPair(
    files,
    ['proxy-client-cert-file', serving.proxyClientCertFile],
    ['proxy-client-key-file', serving.proxyClientKeyFile],
  );
  const nodeCredentials = await readNodeCredentials(options.nodeAgent, files);
  const authorization = await authorizationConfig(options.authorization, files, around.pod);
  const authentication = withoutAnonymous(
    authorization,
    await authenticationConfig(options, {
      files,
      pki: around.pki,
      anonymousGiven: flags.has('anonymous-auth'),
      log: around.log,
    }),
  );
  const audit = await readAuditConfig(options, { log: around.log, reports: files });
  const pluginConfiguration = await readAdmissionConfig(options.admission, around.log);
  const encryption = await readEncryptionConfig(options.storage, featureGates, around.fileCheckMs);
  const tracing = await readTracingConfig(options.connections.tracingConfigFile);
  const egress = await readEgressConfig(options.connections.egressSelectorConfigFile);
  const proxyClient = givenClient ?? (around.pki === undefined ? undefined : fixedPair(around.pki.frontProxyClient));
  if (isGateOn('UnknownVersionInteroperabilityProxy', featureGates) && proxyClient === undefined)
    throw new UserError('error building peer proxy handler, proxy-cert-file not specified');
  const peers = await readPeersConfig(serving, files);
  const metrics = await readMetricsConfig(options.metrics);
  const store = await readStore(options.storage, around.storeDirectory);
  return {
    options,
    featureGates,
    groupVersions,
    listen: { address: serving.bindAddress, port: around.port ?? serving.securePort },
    publicAddress: await findPublicAddress(serving.advertiseAddress, serving.bindAddress),
    tls: servingTls(serving, {
      ...servingFiles,
      pair: servingFiles.pair ?? fixedPair(await around.serving()),
      clientAuthorities: clientAuthorities(authentication),
    }),
    authentication,
    authorization,
    proxyClient,
    nodeCredentials,
    files,
    audit,
    pluginConfiguration,
    metrics,
    store,
    encryption,
    ...(tracing === undefined ? {} : { tracing }),
    egress,
    peers,
    stalls: stallReporting(options.debugging, options.logs, flags, around.ownsProcess === true),
    debugging: debuggingConfig(options, around.verbosity),
    version: versionInfo(),
    log: around.log,
    signal: around.signal,
  };
}

async function readNodeCredentials(
  { certificateAuthority, clientCertificate, clientKey }: ApiServerOptions['nodeAgent'],
  files: ReloadableFiles,
): Promise<ReadOptions['nodeCredentials']> {
  return {
    authorities:
      certificateAuthority === undefined
        ? undefined
        : await watchFlagFile(
            files,
            'nodeagent-certificate-authority',
            certificateAuthority,
            (pem) => void readCertificates(pem),
          ),
    client: await watchFlagPair(
      files,
      ['nodeagent-client-certificate', clientCertificate],
      ['nodeagent-client-key', clientKey],
    ),
  };
}

async function readPeersConfig(
  { peerCaFile, peerAdvertiseIp, peerAdvertisePort }: ApiServerOptions['serving'],
  files: ReloadableFiles,
): Promise<PeersConfig> {
  const ca =
    peerCaFile === undefined
      ? undefined
      : await watchFlagFile(files, 'peer-ca-file', peerCaFile, (pem) => void readCertificates(pem));
  return {
    ca,
    advertiseIp: peerAdvertiseIp,
    advertisePort: peerAdvertisePort === undefined ? undefined : Number(peerAdvertisePort),
  };
}

function debuggingConfig(options: ApiServerOptions, verbosity: Verbosity): DebuggingConfig {
  const { profiling, contentionProfiling, debugSocketPath } = options.debugging;
  return {
    profiling,
    contentionProfiling,
    socketPath: debugSocketPath === undefined ? undefined : resolve(debugSocketPath),
    verbosity,
    emulatedVersion: `1.${emulatedMinor(options.apis.emulatedVersions)}`,
    flags: () => flagValues(apiServerFlags, options),
  };
}

/**
 * In mode AlwaysAllow anonymous requests are refused. With flags the options ensure that.
 */
const withoutAnonymous = (
  { authorizers }: AuthorizationConfig,
  authentication: AuthenticationConfig,
): AuthenticationConfig =>
  uses(authorizers, 'AlwaysAllow') ? { ...authentication, anonymous: undefined } : authentication;

async function readStore(storage: ApiServerOptions['storage'], directory: string | undefined): Promise<StoreConfig> {
  if (storage.servers.length === 0) return { kind: 'embedded', directory };
  // Only to say early what cannot be used: the client reads them again for each connection, as they may be replaced.
  await readFlagFile('store-cafile', storage.caFile, (pem) => void readCertificates(pem));
  const certificate = await readFlagFile('store-certfile', storage.certFile);
  const key = await readFlagFile('store-keyfile', storage.keyFile);
  if (certificate !== undefined && key !== undefined)
    checkPair(['store-certfile', storage.certFile!, certificate], ['store-keyfile', storage.keyFile!, key]);
  const overrides = storage.serversOverrides.map(readOverride).filter((override) => override !== undefined);
  return {
    kind: 'etcd',
    servers: storage.servers,
    overrides,
    tls: definedOnly({ caFile: storage.caFile, certFile: storage.certFile, keyFile: storage.keyFile }),
  };
}

function definedOnly<T extends object>(members: { readonly [K in keyof T]: T[K] | undefined }): Partial<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Partial<T>;
}
