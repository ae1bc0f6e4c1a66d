/**
 * Runs a daemon that works on the API: from its options to its exit code.
 *
 * 1. It serves its health, its metrics and its profiles, also while another process leads.
 * 2. It waits for the leadership, and works. What it writes then is fenced: refused once the leadership is lost.
 * 3. A signal ends the work, and the leadership is given up. Leadership that is lost ends the process with code 1,
 *    before another process can have it: a supervisor starts it again, as a candidate like the others.
 */
import { setMaxListeners } from 'node:events';
import { featureGateStates, isGateOn } from '../../api/feature-gates.ts';
import { CleanupStack } from '../../base/cleanup-stack.ts';
import type { Logger } from '../../base/logger.ts';
import { ReloadableFiles } from '../../base/reloadable-file.ts';
import { versionInfo } from '../../base/version.ts';
import type { ClientOptions } from '../../client/client.ts';
import { type Leadership, LeadershipLostError } from '../../client/leader-election/leadership.ts';
import type { Fence } from '../../client/requests/fence.ts';
import type { HealthCheck, HealthChecks, HealthEndpoint } from '../../server/health.ts';
import { createApiClientMetrics } from '../../server/metrics/api-client-metrics.ts';
import { MetricRegistry } from '../../server/metrics/metric-registry.ts';
import { showFileReloads } from '../../server/metrics/file-reload-metrics.ts';
import { collectNodeMetrics } from '../../server/metrics/node-metrics.ts';
import { createProcessMetrics } from '../../server/metrics/process-metrics.ts';
import { ContentionProfile } from '../../server/profiling/contention-profile.ts';
import { reportStallsFrom } from '../../server/stall-detector/report-stalls.ts';
import type { CommandContext } from '../command.ts';
import { masterUrl, rateLimits } from '../flags/shared/client-connection.ts';
import type { DaemonOptions } from '../flags/shared/daemon.ts';
import { stallReporting } from '../flags/shared/debugging.ts';
import { emulatedMinor } from '../flags/shared/emulated-version.ts';
import { daemonGates } from '../flags/shared/feature-gates.ts';
import { isLockKind } from '../flags/shared/leader-election.ts';
import { readMetricsConfig } from '../flags/shared/metrics-config.ts';
import { type Interrupts, watchInterrupts } from '../interrupts.ts';
import { explainListenError } from '../listen-errors.ts';
import { logOutput } from '../log-output.ts';
import { createAdjustableLogger } from '../logging.ts';
import { UserError } from '../user-error.ts';
import { type ApiConnection, type ConnectionParts, openConnection, userAgent } from './api-connection.ts';
import { type CandidateVersions, LeaderElections, type LockName } from './leading.ts';
import { serveDaemon } from './serving.ts';
import type { DaemonSpec, LeadingDaemon } from './daemon-spec.ts';

/** How long work may take to end after a signal. */
const stopTimeoutMs = 30_000;

/** Returns the exit code. Throws `UserError` for what cannot be used. */
export async function runDaemon(spec: DaemonSpec, context: CommandContext): Promise<number> {
  context.tuneForDaemons?.();
  using interrupts = watchInterrupts(context);
  setMaxListeners(0, interrupts.signal);
  const cleanup = new CleanupStack();
  // Nothing else may keep the process alive: neither timers of a clock nor the thread that looks for stalls do.
  const hold = setInterval(() => undefined, 2 ** 30);
  try {
    const kernel = await startKernel(spec, { context, cleanup, signal: interrupts.signal }).catch((error: unknown) => {
      // What begins with a wait can be told to stop before there is work.
      if (!interrupts.signal.aborted) throw error;
    });
    if (kernel === undefined) return interrupts.exitCode;
    const standBy = spec.standBy?.(daemonOf(kernel, spec, undefined, interrupts.signal));
    if (standBy !== undefined) cleanup.add(standBy);
    return await work(kernel, spec, interrupts, context);
  } finally {
    await cleanup.close();
    clearInterval(hold);
  }
}

interface Kernel {
  readonly log: Logger;
  readonly registry: MetricRegistry;
  readonly connection: ApiConnection | undefined;
  readonly files: ReloadableFiles;
  /** Undefined for a daemon of which several work at once. */
  readonly elections: LeaderElections | undefined;
  readonly checks: Readonly<Record<HealthEndpoint, HealthCheck[]>>;
  readonly serving: LeadingDaemon['serving'];
}

async function startKernel(
  spec: DaemonSpec,
  { context, cleanup, signal }: { context: CommandContext; cleanup: CleanupStack; signal: AbortSignal },
): Promise<Kernel> {
  const { name, options, given, featureGates, config, emulatedVersions = [], flags, around = {} } = spec;
  const logger = await createAdjustableLogger(options.logs.verbosity, {
    format: options.logs.format,
    write: logOutput(options.logs, context),
  });
  const { log } = logger;
  const version = versionInfo();
  log.info({ version: version.gitVersion }, name);
  const registry = new MetricRegistry(await readMetricsConfig(options.metrics));
  collectNodeMetrics(registry);
  const { checked } = createProcessMetrics(registry, version, featureGateStates(featureGates, daemonGates.gates));
  const observer = createApiClientMetrics(registry);
  const files = new ReloadableFiles({
    log,
    ...(around.fileCheckMs === undefined ? {} : { everyMs: around.fileCheckMs }),
  });
  showFileReloads(registry, files);
  cleanup.add(() => files.stop());
  const { profiling, contentionProfiling } = options.debugging;
  const contention = profiling && contentionProfiling ? new ContentionProfile() : undefined;
  cleanup.add(
    reportStallsFrom(Promise.resolve(), stallReporting(options.debugging, options.logs, given, true), {
      log,
      registry,
      contention,
    }),
  );
  const parts = { log, observer, reports: files };
  const connection = spec.openApi === undefined ? await openApi(spec, parts) : await spec.openApi(parts, signal);
  if (connection !== undefined) cleanup.add(() => connection.close());
  const elections =
    spec.elects === false || connection === undefined
      ? undefined
      : new LeaderElections({
          options: options.leaderElection,
          client: connection.client({
            ...clientOptions(options),
            // Nothing else may hold up a renewal.
            qps: 0,
            userAgent: userAgent(name, 'leader-election'),
            timeoutMs: options.leaderElection.renewDeadlineMs,
          }),
          component: name,
          log,
          registry,
        });
  if (elections !== undefined) cleanup.add(() => elections.stop());
  const always = elections === undefined ? [ping] : [ping, elections.healthCheck];
  const checks = { healthz: [...always], livez: [...always], readyz: [...always] };
  const health: HealthChecks = { ...checks, observe: checked };
  const zpages = {
    statusz: isGateOn('ComponentStatusz', featureGates),
    flagz: isGateOn('ComponentFlagz', featureGates),
    emulatedVersion: `1.${emulatedMinor(emulatedVersions)}`,
    flags,
  };
  const serving = { logger, health, contention, zpages };
  if (spec.servesItself !== true)
    await serveDaemon({
      name,
      options,
      registry,
      config,
      observer,
      ...serving,
      files,
      cleanup,
      ...(spec.pages === undefined ? {} : { pages: spec.pages(registry) }),
      ...(spec.kubeconfigFlags === undefined ? {} : { kubeconfigFlags: spec.kubeconfigFlags }),
      ...around,
    }).catch((error: unknown) => {
      if (spec.isPortOptional === true && (error as NodeJS.ErrnoException).code === 'EADDRINUSE')
        return log.warn({ port: options.serving.securePort }, 'not serving: another program has the port');
      throw explainListenError(error, { address: options.serving.bindAddress, port: options.serving.securePort });
    });
  const endMore = await spec.serveMore?.(health, log);
  if (endMore !== undefined) cleanup.add(endMore);
  return { log, registry, connection, files, elections, checks, serving };
}

async function openApi({ options, around, findApi }: DaemonSpec, parts: ConnectionParts): Promise<ApiConnection> {
  const { kubeconfig, master } = options.client;
  const url = master === undefined ? undefined : masterUrl(master);
  const source = {
    flag: 'kubeconfig',
    kubeconfig,
    master: url,
    ...(around?.pod === undefined ? {} : { pod: around.pod }),
  };
  const connection =
    (await openConnection(source, { ...parts, fileCheckMs: around?.fileCheckMs })) ?? (await findApi?.(parts));
  if (connection === undefined)
    throw new UserError(
      'there is no API server to work on: give --kubeconfig or --master (this is no pod: KUBERNETES_SERVICE_HOST and ' +
        'KUBERNETES_SERVICE_PORT are not defined)',
    );
  return connection;
}

const ping: HealthCheck = { name: 'ping', check: () => undefined };

const clientOptions = (
  { client }: DaemonOptions,
  rates = { qps: 1, burst: 1 },
): Pick<ClientOptions, 'qps' | 'burst' | 'contentType' | 'acceptContentTypes' | 'dropManagedFields'> => ({
  ...rateLimits({ ...client, qps: client.qps * rates.qps, burst: client.burst * rates.burst }),
  dropManagedFields: true,
  contentType: client.contentType.includes('protobuf') ? 'protobuf' : client.contentType,
  ...(client.acceptContentTypes === undefined ? {} : { acceptContentTypes: client.acceptContentTypes }),
});

/** Until it is over; returns the exit code. */
async function work(
  kernel: Kernel,
  spec: DaemonSpec,
  interrupts: Interrupts,
  context: CommandContext,
): Promise<number> {
  const { leaderElection } = spec.options;
  const { log } = kernel;
  const { signal } = interrupts;
  const limit = new EndLimit(log, context.exit);
  signal.addEventListener('abort', () => {
    log.info({}, 'stopping');
    limit.begin(stopTimeoutMs, interrupts.exitCode);
  });
  try {
    if (kernel.elections === undefined || !leaderElection.leaderElect) {
      await spec.lead(daemonOf(kernel, spec, undefined, signal));
      return 0;
    }
    const lock: LockName = {
      namespace: leaderElection.resourceNamespace,
      name: leaderElection.resourceName,
      kind: isLockKind(leaderElection.resourceLock) ? leaderElection.resourceLock : 'leases',
      candidate: candidateVersions(spec),
    };
    const end = await kernel.elections.run(lock, signal, async (leadership) => {
      onLoss(leadership, signal, () => {
        log.error({ lock: `${lock.namespace}/${lock.name}` }, 'leader election lost: this process ends');
        // Until then what it has begun is over, and another process may lead.
        limit.begin(leaderElection.leaseDurationMs - leaderElection.renewDeadlineMs, 1);
      });
      await spec.lead(daemonOf(kernel, spec, leadership, leadership.signal));
    });
    return end === 'lost' ? 1 : 0;
  } catch (error) {
    // A further leadership was lost: that was said.
    if (error instanceof LeadershipLostError) return 1;
    throw error;
  } finally {
    limit.end();
  }
}

function candidateVersions({ featureGates, emulatedVersions = [] }: DaemonSpec): CandidateVersions | undefined {
  if (!isGateOn('CoordinatedLeaderElection', featureGates)) return undefined;
  const [binaryVersion = ''] = versionInfo().gitVersion.replace(/^v/, '').split('+');
  return { binaryVersion, emulationVersion: `1.${emulatedMinor(emulatedVersions)}.0` };
}

function onLoss(leadership: Fence, stop: AbortSignal, lost: () => void): void {
  leadership.signal.addEventListener(
    'abort',
    () => {
      if (!stop.aborted && leadership.signal.reason instanceof LeadershipLostError) lost();
    },
    { once: true },
  );
}

function daemonOf(
  kernel: Kernel,
  spec: DaemonSpec,
  fence: Pick<Leadership, 'since' | keyof Fence> | undefined,
  signal: AbortSignal,
): LeadingDaemon {
  const { log, registry, connection, files, elections, checks, serving } = kernel;
  setMaxListeners(0, signal);
  return {
    connection,
    serving,
    signal,
    since: fence?.since,
    log,
    registry,
    files,
    client({ part, limits, rates, credentials } = {}) {
      if (connection === undefined) throw new Error('this daemon works without an API server');
      const client = connection.client({
        ...clientOptions(spec.options, rates),
        ...limits,
        userAgent: userAgent(spec.name, part),
        ...(credentials === undefined ? {} : { credentials }),
      });
      return fence === undefined ? client : client.fenced(fence);
    },
    addHealthCheck(check, endpoint = 'healthz') {
      const asked = checks[endpoint];
      asked.push(check);
      return () => void asked.splice(asked.indexOf(check), 1);
    },
    async leadUnder(lock, lead) {
      if (elections === undefined) throw new Error('this daemon has no leader election');
      const end = await elections.run(lock, signal, async (leadership) => {
        await lead(daemonOf(kernel, spec, leadership, leadership.signal));
      });
      if (end !== 'lost') return;
      log.error({ lock: `${lock.namespace}/${lock.name}` }, 'leader election lost: this process ends');
      throw new LeadershipLostError(`the leadership of ${lock.namespace}/${lock.name} could not be renewed in time`);
    },
  };
}

/** Ends the process where its work does not end by itself. */
class EndLimit {
  readonly #log: Logger;
  readonly #exit: (code: number) => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(log: Logger, exit: (code: number) => void) {
    this.#log = log;
    this.#exit = exit;
  }

  begin(ms: number, code: number): void {
    this.#timer ??= setTimeout(() => {
      this.#log.error({ afterMs: ms }, 'work did not end in time: the process ends');
      this.#exit(code);
    }, ms);
  }

  end(): void {
    clearTimeout(this.#timer);
  }
}
