/** `orch scheduler`: gives pods their nodes, as the leader among the processes that may. */
import { writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { systemClock } from '../base/clock.ts';
import { describeFileError } from '../base/file-error.ts';
import { writeYaml } from '../machinery/json/yaml-write.ts';
import type { SchedulerConfig, SchedulerFeatures } from '../scheduler/config/types.ts';
import { allInformers, createSchedulerInformers, type SchedulerInformers } from '../scheduler/informers.ts';
import { createSchedulerMetrics } from '../scheduler/metrics.ts';
import { podResourceMetrics } from '../scheduler/pod-resource-metrics.ts';
import { createScheduler, type Scheduler } from '../scheduler/scheduler.ts';
import type { MetricRegistry } from '../server/metrics/metric-registry.ts';
import type { Command } from './command.ts';
import { readDaemonCommandLine } from './daemon/read-command-line.ts';
import type { LeadingDaemon } from './daemon/daemon-spec.ts';
import { runDaemon } from './daemon/run-daemon.ts';
import { flagValues } from './flags/flag-values.ts';
import { emptyDocument, formatDocument, type GivenDocument, parseDocument } from './flags/scheduler/document.ts';
import { type CompletedScheduler, completeScheduler } from './flags/scheduler/options.ts';
import { schedulerFlags } from './flags/scheduler/table.ts';
import { emulatedGates } from './flags/shared/emulated-version.ts';
import { daemonGates } from './flags/shared/feature-gates.ts';
import { readFlagFile } from './read-file.ts';
import { featuresOf } from './scheduler-features.ts';
import { UserError } from './user-error.ts';

const about =
  'Runs the scheduler: it gives pods without a node the one that suits them best. Of several processes one works.';

/** @param program the name that the process was started by */
const run =
  (program: string): Command =>
  async (argv, context) => {
    const line = readDaemonCommandLine({ command: `orch ${program}`, about, flags: schedulerFlags }, argv, context);
    if (line === undefined) return 0;
    const { configuration } = line.options;
    const features = featuresOf(emulatedGates(configuration.featureGates, configuration.emulatedVersions, daemonGates));
    const document = await readDocument(configuration.config, features);
    const completed = completeScheduler(line.options, line.given, program, document?.process);
    for (const warning of completed.warnings) context.err(`Warning: ${warning}\n`);
    const inForce = documentOf(completed, document ?? emptyDocument(features));
    if (configuration.writeConfigTo !== undefined) {
      await writeDocument(configuration.writeConfigTo, inForce);
      context.out(`Wrote configuration to: ${configuration.writeConfigTo}\n`);
      return 0;
    }
    const cache: { informers?: SchedulerInformers } = {};
    const leading: Leading = {};
    const readAhead = ({ client, log }: LeadingDaemon): (() => Promise<void>) => {
      const wholePods = inForce.scheduler.extenders.length > 0;
      const parts = { log, clock: systemClock, random: Math.random, wholePods, ...features };
      cache.informers = createSchedulerInformers(client({ part: 'scheduler' }), parts);
      const informers = allInformers(cache.informers);
      for (const informer of informers) informer.start();
      return async () => void (await Promise.all(informers.map((informer) => informer.stop())));
    };
    return runDaemon(
      {
        name: 'kube-scheduler',
        options: completed.daemon,
        given: line.given,
        featureGates: completed.featureGates,
        config: { name: 'kubescheduler.config.k8s.io', value: formatDocument(inForce) },
        standBy: inForce.process.delayCacheUntilActive ? undefined : readAhead,
        pages: (registry) => ({ '/metrics/resources': () => podResources(leading, registry) }),
        lead: (daemon) => schedule(daemon, completed, { config: inForce.scheduler, features }, { ...cache, leading }),
        emulatedVersions: configuration.emulatedVersions,
        flags: () => flagValues(schedulerFlags, line.options),
      },
      context,
    );
  };

/** What works while this process leads. */
interface Leading {
  scheduler?: Scheduler;
}

/** Only the leader shows pods, so that those of several processes are not counted twice. */
async function* podResources({ scheduler: running }: Leading, registry: MetricRegistry): AsyncGenerator<string> {
  if (running !== undefined) yield* podResourceMetrics(running.pods(), (name) => registry.shows(name));
}

export const scheduler = run('scheduler');
/** In the place of the original: with its lock. */
export const kubeScheduler = run('kube-scheduler');

async function readDocument(path: string | undefined, features: SchedulerFeatures): Promise<GivenDocument | undefined> {
  const text = await readFlagFile('config', path);
  if (text === undefined) return undefined;
  try {
    return parseDocument(text, features);
  } catch (error) {
    throw new UserError(`--config: ${path!}: ${(error as Error).message}`, { cause: error });
  }
}

/** What is in force, whether a document or flags say it. */
function documentOf(
  { daemon: { client, leaderElection, debugging } }: CompletedScheduler,
  document: GivenDocument,
): GivenDocument {
  const { kubeconfig = '', qps, burst, contentType } = client;
  return {
    ...document,
    process: {
      ...document.process,
      clientConnection: { ...document.process.clientConnection, kubeconfig, qps, burst, contentType },
      leaderElection,
      enableProfiling: debugging.profiling,
      enableContentionProfiling: debugging.contentionProfiling,
    },
  };
}

async function writeDocument(path: string, document: GivenDocument): Promise<void> {
  try {
    await writeFile(path, writeYaml(formatDocument(document)));
  } catch (error) {
    throw new UserError(`--write-config-to: open ${path}: ${describeFileError(error)}`, { cause: error });
  }
}

/** Resolves when the leadership has ended, and nothing is under way any more. */
async function schedule(
  daemon: LeadingDaemon,
  { podMaxInUnschedulableMs }: CompletedScheduler,
  { config, features }: { readonly config: SchedulerConfig; readonly features: SchedulerFeatures },
  { informers, leading }: { readonly informers?: SchedulerInformers; readonly leading: Leading },
): Promise<void> {
  const { signal, log } = daemon;
  const running = createScheduler({
    ...(informers === undefined ? {} : { informers }),
    client: daemon.client({ part: 'scheduler' }),
    eventClient: daemon.client({ part: 'events' }),
    notBefore: daemon.since,
    config,
    features,
    maxUnschedulableMs: podMaxInUnschedulableMs,
    instance: hostname(),
    metrics: createSchedulerMetrics(daemon.registry),
    log,
  });
  let isReady = false;
  const stopWatching = daemon.addHealthCheck(
    {
      name: 'sched-handler-sync',
      check() {
        if (!isReady) throw new Error('the objects of the cluster have not been read yet');
      },
    },
    'readyz',
  );
  try {
    await running.start(signal);
    isReady = true;
    leading.scheduler = running;
    log.info({}, 'scheduling');
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    });
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    stopWatching();
    delete leading.scheduler;
    await running.stop();
  }
}
