/** `orch node-agent`: the agent of the machine that it runs on, as a node of a cluster. */
import { once, setMaxListeners } from 'node:events';
import { hostname } from 'node:os';
import type { Logger } from '../../base/logger.ts';
import { systemClock } from '../../base/clock.ts';
import { versionInfo } from '../../base/version.ts';
import { ignoredFields } from '../../node-agent/config/ignored.ts';
import type { NodeAgentSettings } from '../../node-agent/config/settings.ts';
import { observedRuntime } from '../../node-agent/metrics/runtime-metrics.ts';
import { createProbeMetrics } from '../../node-agent/metrics/probe-metrics.ts';
import { createVolumeMetrics } from '../../node-agent/metrics/volume-metrics.ts';
import { findNodeAddresses } from '../../node-agent/node/addresses.ts';
import { keepIptablesHint } from '../../node-agent/node/iptables-hint.ts';
import { type FileLock, lockFile } from '../../node-agent/node/lock-file.ts';
import { createNodeRuntime } from '../../node-agent/node/cri-node-runtime.ts';
import { type CertificateKeeper, CertificateLost } from '../../node-agent/node/certificates/certificate-keeper.ts';
import { NodeKeeper } from '../../node-agent/node/node-keeper.ts';
import { listProblem } from '../../node-agent/node/runtime-list.ts';
import type { NodeRuntime } from '../../node-agent/node/node-runtime.ts';
import { readMachine } from '../../node-agent/node/read-machine.ts';
import { createCriClient, type CriClient } from '../../node-agent/runtime/cri-client.ts';
import { tracedRuntime } from '../../node-agent/tracing/traces.ts';
import { checkTracing } from '../../server/tracing/configuration.ts';
import type { Tracer } from '../../server/tracing/tracer.ts';
import { createEventRecorder, type EventRecorder } from '../../client/events/recorder.ts';
import { isGateOn } from '../../api/feature-gates.ts';
import type { Command } from '../command.ts';
import type { LeadingDaemon } from '../daemon/daemon-spec.ts';
import { readDaemonCommandLine } from '../daemon/read-command-line.ts';
import { runDaemon } from '../daemon/run-daemon.ts';
import { flagValues } from '../flags/flag-values.ts';
import { agentFlags } from '../flags/node-agent/agent.ts';
import { UserError } from '../user-error.ts';
import { type AgentAllocations, openAllocations } from './allocations.ts';
import { openAgentApi } from './api-access.ts';
import { keepClientCertificate } from './certificates.ts';
import { daemonOptionsOf } from './daemon-options.ts';
import { hostNetwork } from './host-network.ts';
import { serveHealthPort } from './plain-health.ts';
import { type AgentPods, createPods } from './pods.ts';
import { healthChecks } from './health-checks.ts';
import { checkMachine, imageWarnings, machineWarnings, prepareMachine, setOomScore } from './preconditions.ts';
import { serveAgent } from './server.ts';
import { readSettings } from './settings.ts';
import { shownConfig } from './shown-config.ts';
import { createVolumeFigures } from './volume-figures.ts';

const about = `Runs the pods of a node through a container runtime (CRI v1), and registers the node. With --hollow N it
runs nodes without containers (docs/hollow-nodes.md).`;

export const realNode: Command = async (argv, context) => {
  const line = readDaemonCommandLine({ command: 'orch node-agent', about, flags: agentFlags }, argv, context);
  if (line === undefined) return 0;
  const { options, given } = line;
  const settings = await readSettings(options, given);
  await checkMachine(settings);
  const lock = await lockOf(settings);
  const cri = connect(settings);
  const { config } = settings;
  let certificate: CertificateKeeper | undefined;
  try {
    return await runDaemon(
      {
        name: 'kubelet',
        options: daemonOptionsOf(settings, options, given),
        given,
        featureGates: settings.featureGates,
        config: { name: 'kubeletconfig', value: shownConfig(settings) },
        flags: () => flagValues(agentFlags, options),
        elects: false,
        servesItself: true,
        openApi: (parts, signal) => openAgentApi(settings, { ...parts, signal, ownPair: () => certificate?.pair }),
        serveMore: (health, log) =>
          serveHealthPort({ address: config.healthzBindAddress, port: config.healthzPort }, given, health, log),
        lead: async (daemon) => {
          certificate = await keepClientCertificate(daemon, settings);
          await run(daemon, settings, { cri, certificate, lock });
        },
      },
      context,
    );
  } finally {
    cri.close();
    lock?.release();
  }
};

async function lockOf({ lockFile: file }: NodeAgentSettings): Promise<FileLock | undefined> {
  if (file === undefined) return undefined;
  return lockFile(file).catch((error: unknown) => {
    throw new UserError(`--lock-file: ${(error as Error).message}`, { cause: error });
  });
}

function connect({ config }: NodeAgentSettings): CriClient {
  try {
    return createCriClient({
      endpoint: config.containerRuntimeEndpoint,
      imageEndpoint: config.imageServiceEndpoint,
      requestTimeoutMs: config.runtimeRequestTimeout,
    });
  } catch (error) {
    throw new UserError(`--container-runtime-endpoint: ${(error as Error).message}`, { cause: error });
  }
}

interface Parts {
  readonly cri: CriClient;
  readonly certificate: CertificateKeeper | undefined;
  readonly lock: FileLock | undefined;
}

/** Until the signal aborts. The node stays registered, and its containers run on. */
async function run(leading: LeadingDaemon, settings: NodeAgentSettings, parts: Parts): Promise<void> {
  const { cri, certificate, lock } = parts;
  // What runs ends with the process, and where the agent ends by itself.
  const ended = new AbortController();
  const signal = AbortSignal.any([leading.signal, ended.signal]);
  setMaxListeners(0, signal);
  const daemon = { ...leading, signal };
  const { log } = daemon;
  const ignored = ignoredFields(settings.config);
  if (ignored.length > 0) log.warn({ fields: ignored }, 'fields of the configuration have no effect here');
  await setOomScore(settings, log);
  await prepareMachine(settings, log);
  const warnings = [...(await machineWarnings()), ...imageWarnings(settings.config)];
  const events = createEvents(daemon, settings);
  const probes = createProbeMetrics();
  const observers = { probes: probes.observer, volumes: createVolumeMetrics(daemon.registry) };
  const tracer = await openTracer(settings, log);
  const counted = observedRuntime(cri.runtime, daemon.registry);
  const runtime = tracer === undefined ? counted : tracedRuntime(counted);
  const isCgroupV2 = !warnings.some(([reason]) => reason === 'CgroupV1');
  const granted = await openAllocations(settings, {
    client: daemon.connection === undefined ? undefined : daemon.client({ part: 'claims' }),
    pods: () => pods.pods(),
    isRunning: (uid, container) => pods.isRunning(uid, container),
    registry: daemon.registry,
    log,
  });
  const pods = createPods(daemon, settings, { runtime, events, granted, observers, tracer, isCgroupV2 });
  const keeper = createKeeper(daemon, settings, {
    runtime: createNodeRuntime(runtime),
    events,
    pods,
    granted,
    warnings,
  });
  for (const check of healthChecks(pods)) daemon.addHealthCheck(check);
  const server = await serveAgent(
    daemon,
    settings,
    {
      served: pods,
      runtime,
      config: settings.config,
      shownConfig: shownConfig(settings),
      featureGates: settings.featureGates,
      nodeName: settings.nodeName,
      rootDir: settings.rootDir,
      runtimeCgroups: settings.runtimeCgroups,
      ...daemon.serving,
      zpages: { ...daemon.serving.zpages, component: 'kubelet', version: versionInfo(), startedAt: Date.now() },
      registry: daemon.registry,
      probes: probes.registry,
      volumes: createVolumeFigures(settings, pods, { registry: daemon.registry, observer: observers.volumes }),
      log,
      clock: systemClock,
      wallTime: Date.now,
    },
    { addresses: () => keeper.node?.status.addresses ?? [], tracer },
  );
  await granted.start();
  keeper.start();
  if (settings.config.makeIPTablesUtilChains) void keepIptablesHint({ clock: systemClock, log }, signal);
  const running = pods.run(keeper, signal);
  log.info({ node: settings.nodeName, standalone: daemon.connection === undefined }, 'node agent started');
  try {
    if (signal.aborted) return;
    const stopped = once(signal, 'abort');
    const ends = [
      stopped,
      settings.config.runOnce ? running : running.then(() => stopped),
      certificate?.run(signal) ?? stopped,
      server.running.then(() => stopped),
      ...(lock !== undefined && settings.exitsOnLockContention ? [lock.contended(systemClock, signal)] : []),
    ];
    await Promise.race(ends);
  } catch (error) {
    if (error instanceof CertificateLost) throw new UserError(error.message, { cause: error });
    throw error;
  } finally {
    ended.abort();
    await server.close();
    await keeper.stop();
    await running.catch(() => undefined);
    await granted.stop();
    await events.stop();
    await tracer?.close();
  }
}

/** Undefined where nothing is traced: then no part of a tracing library is loaded. */
async function openTracer({ config, nodeName }: NodeAgentSettings, log: Logger): Promise<Tracer | undefined> {
  const { tracing } = config;
  if (tracing === undefined) return undefined;
  const configuration = checkTracing(tracing);
  if (Array.isArray(configuration)) return undefined;
  const { createTracer } = await import('../../server/tracing/open-telemetry.ts');
  return createTracer({ configuration, service: 'kubelet', instance: nodeName, log });
}

type AgentEvents = Pick<EventRecorder, 'event' | 'stop'>;

/** Without an API server events are dropped. */
function createEvents(
  { connection, client, log }: LeadingDaemon,
  { nodeName, config }: NodeAgentSettings,
): AgentEvents {
  if (connection === undefined) return { event: () => undefined, stop: () => Promise.resolve() };
  const { eventRecordQPS: qps, eventBurst: burst } = config;
  const limits = qps === 0 ? { qps: 0 } : { qps, burst };
  return createEventRecorder({ client: client({ part: 'events', limits }), component: 'kubelet', host: nodeName, log });
}

function createKeeper(
  { log, connection, client }: LeadingDaemon,
  settings: NodeAgentSettings,
  {
    runtime,
    events,
    pods,
    granted,
    warnings,
  }: {
    runtime: NodeRuntime;
    events: AgentEvents;
    pods: Pick<AgentPods, 'sinceListMs' | 'pressure' | 'problems'>;
    granted: Pick<AgentAllocations, 'devices'>;
    warnings: readonly (readonly [string, string])[];
  },
): NodeKeeper {
  const { nodeName, nodeIPs, rootDir } = settings;
  return new NodeKeeper({
    // Nothing else may hold up a heartbeat.
    client: connection === undefined ? undefined : client({ limits: { qps: 0 } }),
    settings,
    runtime,
    readMachine: () => readMachine({ rootDir }),
    findAddresses: () => findNodeAddresses({ nodeName, hostname: hostname(), nodeIPs }, hostNetwork),
    pressure: () => pods.pressure(),
    devices: () => granted.devices.plugins.amounts(),
    problems: () => [listProblem(pods.sinceListMs()), ...pods.problems()].filter((problem) => problem !== undefined),
    warnings,
    looksFirst: !isGateOn('KubeletRegistrationGetOnExistsOnly', settings.featureGates),
    events,
    log,
    clock: systemClock,
    random: Math.random,
    wallTime: Date.now,
  });
}
