/** What a daemon serves of itself, on its HTTPS port. */
import path from 'node:path';
import type { CleanupStack } from '../../base/cleanup-stack.ts';
import type { Logger } from '../../base/logger.ts';
import type { ReloadableFiles } from '../../base/reloadable-file.ts';
import { versionInfo } from '../../base/version.ts';
import type { Pod } from '../../client/in-cluster.ts';
import { createSelfSigned, type KeyPair } from '../../pki/pki.ts';
import { daemonNames } from '../../pki/serving-names.ts';
import { guardedHandler } from '../../server/guarded-handler.ts';
import type { HealthChecks } from '../../server/health.ts';
import { createDaemonApplication } from '../../server/koa/daemon-application.ts';
import { configRoutes, verbosityRoutes } from '../../server/koa/debug-routes.ts';
import { profileRoutes } from '../../server/koa/profile-routes.ts';
import { type MetricPage, pageRoutes } from '../../server/koa/page-routes.ts';
import { type FlagValue, zpageRoutes } from '../../server/koa/zpages-routes.ts';
import { listen } from '../../server/listener.ts';
import type { ContentionProfile } from '../../server/profiling/contention-profile.ts';
import type { MetricRegistry } from '../../server/metrics/metric-registry.ts';
import { prepareDataDir } from '../data-dir.ts';
import type { DaemonOptions } from '../flags/shared/daemon.ts';
import { servingTls, watchServingFiles } from '../flags/shared/serving-tls.ts';
import { fixedPair } from '../key-pair-files.ts';
import type { AdjustableLogger } from '../logging.ts';
import { ensureSelfSigned } from '../pki/self-signed.ts';
import type { ApiObserver } from './api-connection.ts';
import { type AccessSurroundings, delegatedAccess } from './delegated-access.ts';
import { createReviewMetrics } from './review-metrics.ts';

export interface ServingParts {
  readonly name: string;
  readonly options: DaemonOptions;
  readonly health: HealthChecks;
  readonly registry: MetricRegistry;
  readonly observer: ApiObserver;
  readonly logger: AdjustableLogger;
  /** What `/configz` shows, and under which name. */
  readonly config: { readonly name: string; readonly value: unknown };
  /** What is noted of a contended event loop. */
  readonly contention: ContentionProfile | undefined;
  readonly zpages: {
    readonly statusz: boolean;
    readonly flagz: boolean;
    readonly emulatedVersion: string;
    readonly flags: () => readonly FlagValue[];
  };
  readonly files: ReloadableFiles;
  readonly cleanup: CleanupStack;
  readonly fileCheckMs?: number | undefined;
  readonly pod?: Pod;
  readonly kubeconfigFlags?: AccessSurroundings['kubeconfigFlags'];
  readonly pages?: Readonly<Record<string, MetricPage>>;
}

/** How long clients have to leave their connections. */
const lingerMs = 2000;

/** Resolves when requests are answered. Port 0 serves nothing. */
export async function serveDaemon(parts: ServingParts): Promise<void> {
  const { name, options, health, registry, observer, logger, config, files, cleanup } = parts;
  const { serving, debugging } = options;
  const { log } = logger;
  if (serving.securePort === 0) return log.info({}, 'not serving: --secure-port is 0');
  const access = await delegatedAccess(options.authentication, options.authorization, {
    daemon: name,
    files,
    log,
    observer,
    cleanup,
    reviews: createReviewMetrics(registry),
    fileCheckMs: parts.fileCheckMs,
    ...(parts.kubeconfigFlags === undefined ? {} : { kubeconfigFlags: parts.kubeconfigFlags }),
    ...(parts.pod === undefined ? {} : { pod: parts.pod }),
  });
  const servingFiles = await watchServingFiles(serving, files);
  const version = versionInfo();
  const application = createDaemonApplication({
    health,
    registry,
    version,
    log,
    routes: [
      configRoutes(config.name, config.value),
      zpageRoutes({
        ...parts.zpages,
        component: name,
        version,
        startedAt: Date.now(),
      }),
      pageRoutes(registry, parts.pages ?? {}),
      ...(debugging.profiling ? [profileRoutes(parts.contention), verbosityRoutes(logger)] : []),
    ],
  });
  const transport = await listen({
    address: serving.bindAddress,
    port: serving.securePort,
    sharePort: serving.permitPortSharing,
    maxStreamsPerConnection: serving.http2MaxStreamsPerConnection,
    tls: servingTls(serving, {
      ...servingFiles,
      pair: servingFiles.pair ?? fixedPair(await selfSigned(serving, name, log)),
      clientAuthorities: access.clientAuthorities,
    }),
    handle: guardedHandler(application, { ...access, log }),
  });
  cleanup.add(() => transport.close(lingerMs));
  log.info({ address: serving.bindAddress, port: transport.port }, 'serving');
}

async function selfSigned(
  { certDir, bindAddress }: DaemonOptions['serving'],
  pairName: string,
  log: Logger,
): Promise<KeyPair> {
  const names = daemonNames(bindAddress);
  if (certDir === '') return createSelfSigned(pairName, names, new Date());
  const directory = path.resolve(certDir);
  await prepareDataDir(directory, '--cert-dir, or give --tls-cert-file and --tls-private-key-file');
  return ensureSelfSigned({ directory, pairName, commonName: pairName, names, now: new Date(), log });
}
