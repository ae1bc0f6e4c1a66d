/** All routes of an agent, as its configuration wants them. */
import { uptime } from 'node:os';
import { Router } from '@koa/router';
import type Koa from 'koa';
import type { Registry } from 'prom-client';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { type GateSettings, isGateOn } from '../../api/feature-gates.ts';
import { type HealthChecks, serveHealth } from '../../server/health.ts';
import { configRoutes, verbosityRoutes, type Verbosity } from '../../server/koa/debug-routes.ts';
import { serveHealthMetrics, serveMetrics } from '../../server/koa/documents.ts';
import { profileRoutes } from '../../server/koa/profile-routes.ts';
import { type ZpagesOptions, zpageRoutes } from '../../server/koa/zpages-routes.ts';
import { send } from '../../server/koa/send.ts';
import type { ContentionProfile } from '../../server/profiling/contention-profile.ts';
import type { NodeAgentConfig } from '../config/config.ts';
import { readMachine } from '../node/read-machine.ts';
import type { CgroupSettings } from '../resources/cgroups/cgroup-path.ts';
import { checkpointRoutes, runRoutes } from './command-routes.ts';
import { disabledRoutes } from './disabled-routes.ts';
import { logRoutes } from './logs/log-routes.ts';
import { fileRoutes } from './node-logs/file-routes.ts';
import { podRoutes, runningPodRoutes } from './pod-routes.ts';
import type { PodPorts } from './served-pods.ts';
import type { AgentState } from './state.ts';
import { NodeStats } from './stats/node-stats.ts';
import { cadvisorRoutes, metricsType, statsRoutes } from './stats/stats-routes.ts';
import type { VolumeFigures } from './stats/volume-stats.ts';
import { streamRoutes } from './streams/stream-routes.ts';

export interface AgentRoutesOptions extends PodPorts {
  readonly config: NodeAgentConfig;
  /** What `/configz` shows. */
  readonly shownConfig: unknown;
  readonly featureGates: GateSettings;
  readonly nodeName: string;
  readonly rootDir: string;
  /** Group of the container runtime; empty: its figures are not told. */
  readonly runtimeCgroups: string;
  readonly health: HealthChecks;
  readonly registry: Registry;
  /** Of `/metrics/probes`. */
  readonly probes: Registry;
  /** What the volumes of pods use. */
  readonly volumes: VolumeFigures;
  readonly logger: Verbosity;
  /** `/statusz` and `/flagz`. */
  readonly zpages: ZpagesOptions;
  readonly contention: ContentionProfile | undefined;
  readonly log: Logger;
  readonly clock: Clock;
  readonly wallTime: () => number;
}

export type AgentRouter = Router<AgentState>;

/** The driver is what the runtime says, once it has said it: read each time. */
export const cgroupsOf = ({ config, served }: Pick<AgentRoutesOptions, 'config' | 'served'>): CgroupSettings => ({
  root: config.cgroupRoot || '/',
  get driver() {
    return served.cgroupDriver?.() ?? (config.cgroupDriver === 'systemd' ? 'systemd' : 'cgroupfs');
  },
});

function createStats(options: AgentRoutesOptions): NodeStats {
  const { config, wallTime } = options;
  const startedAt = wallTime() - uptime() * 1000;
  return new NodeStats({
    ...options,
    podLogsDir: config.podLogsDir,
    groups: cgroupsOf(options),
    startedAt,
  });
}

/** What also the port without TLS has. */
export function openRoutes(options: AgentRoutesOptions): AgentRouter[] {
  const { registry, probes } = options;
  const metrics = new Router<AgentState>({ sensitive: true });
  metrics.use('/metrics{/*rest}', asUpstream);
  metrics.get('/metrics', serveMetrics(registry));
  metrics.get('/metrics/probes', serveMetrics(probes));
  metrics.get('/metrics/slis', serveHealthMetrics(registry));
  const { rootDir } = options;
  return [
    healthRoutes(options),
    podRoutes(options),
    metrics,
    statsRoutes(createStats(options), options.log),
    cadvisorRoutes({ ...options, cgroups: cgroupsOf(options), readMachine: () => readMachine({ rootDir }) }),
  ];
}

export function agentRoutes(options: AgentRoutesOptions): AgentRouter[] {
  const { config, shownConfig } = options;
  return [
    ...openRoutes(options),
    configRoutes('kubeletconfig', shownConfig),
    zpageRoutes<AgentState>(options.zpages),
    ...debuggingRoutes(options, config),
  ];
}

/** Names of metrics could have more characters, which the type says. */
const asUpstream: Koa.Middleware<AgentState> = async (ctx, next) => {
  await next();
  ctx.set('content-type', metricsType);
};

const debuggingRoots = ['/run', '/exec', '/attach', '/portForward', '/containerLogs', '/runningpods', '/checkpoint'];

function debuggingRoutes(options: AgentRoutesOptions, config: NodeAgentConfig): AgentRouter[] {
  const profiling = ['/debug/pprof'];
  const flags = ['/debug/flags/v'];
  if (!config.enableDebuggingHandlers)
    return [disabledRoutes([...debuggingRoots, ...profiling, ...flags, '/logs'], 'Debug endpoints are disabled.')];
  const { featureGates, contention, logger } = options;
  return [
    runningPodRoutes(options),
    config.enableSystemLogHandler
      ? fileRoutes({ folder: '/var/log', hasQuery: config.enableSystemLogQuery })
      : disabledRoutes(['/logs'], 'logs endpoint is disabled.'),
    logRoutes({
      ...options,
      podLogsDir: config.podLogsDir,
      canSelectStream: isGateOn('PodLogsQuerySplitStreams', featureGates),
    }),
    streamRoutes({ ...options, idleTimeoutMs: config.streamingConnectionIdleTimeout }),
    runRoutes(options),
    ...(isGateOn('ContainerCheckpoint', featureGates) ? [checkpointRoutes(options)] : []),
    config.enableProfilingHandler
      ? profileRoutes<AgentState>(contention)
      : disabledRoutes(profiling, 'profiling endpoint is disabled.'),
    config.enableDebugFlagsHandler
      ? verbosityRoutes<AgentState>(logger)
      : disabledRoutes(flags, 'flags endpoint is disabled.'),
  ];
}

function healthRoutes({ health, log }: AgentRoutesOptions): AgentRouter {
  const router = new Router<AgentState>({ sensitive: true, strict: true });
  router.all('/healthz{/*check}', async (ctx) => {
    const { check } = ctx.params;
    const request = { query: new URLSearchParams(ctx.querystring), signal: ctx.state.signal };
    send(
      ctx,
      await serveHealth('healthz', check === undefined ? '/healthz' : `/healthz/${check}`, health, request, log),
    );
  });
  return router;
}
