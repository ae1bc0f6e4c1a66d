/** From flags and the configuration document to what the scheduler is started with. */
import { FlagError, type GivenFlags } from '../parse.ts';
import { daemonProblems, type DaemonOptions } from '../shared/daemon.ts';
import { emulatedGateProblems, emulatedGates, emulatedVersionProblems } from '../shared/emulated-version.ts';
import { daemonGates, gateWarnings } from '../shared/feature-gates.ts';
import { lockOf } from '../shared/lock.ts';
import type { GateSettings } from '../../../api/feature-gates.ts';
import { defaultParallelism } from '../../../scheduler/config/read-process.ts';
import type { ProcessSettings } from './document.ts';
import { type SchedulerFlagOptions, schedulerLocks } from './table.ts';

export interface CompletedScheduler {
  readonly daemon: DaemonOptions;
  readonly featureGates: GateSettings;
  readonly podMaxInUnschedulableMs: number;
  /** What the operator should know, a sentence each. */
  readonly warnings: readonly string[];
}

/** What flags say that is in the document too: it is ignored when there is one. */
const replacedByDocument = [
  'kubeconfig',
  'kube-api-qps',
  'kube-api-burst',
  'kube-api-content-type',
  'profiling',
] as const;

const parallelismWarning = 'parallelism in the file of --config has no effect: nodes are looked at in one thread';

const electionFlags = {
  leaderElect: 'leader-elect',
  leaseDurationMs: 'leader-elect-lease-duration',
  renewDeadlineMs: 'leader-elect-renew-deadline',
  retryPeriodMs: 'leader-elect-retry-period',
  resourceLock: 'leader-elect-resource-lock',
  resourceName: 'leader-elect-resource-name',
  resourceNamespace: 'leader-elect-resource-namespace',
} as const;

/**
 * Throws {@link FlagError} with every problem there is.
 * @param document what that of `--config` says of the process
 * @param program the name that the process was started by
 */
export function completeScheduler(
  options: SchedulerFlagOptions,
  given: GivenFlags,
  program: string,
  document: ProcessSettings | undefined,
): CompletedScheduler {
  const { configuration } = options;
  const featureGates = emulatedGates(configuration.featureGates, configuration.emulatedVersions, daemonGates);
  const daemon = daemonOptions(options, given, program, document);
  const { podMaxInUnschedulableMs } = options.access;
  const problems = [
    ...emulatedVersionProblems(configuration.emulatedVersions),
    ...emulatedGateProblems(configuration.featureGates, configuration.emulatedVersions, daemonGates),
    ...daemonProblems(daemon, featureGates, (name) => given.get(name) ?? `--${name}`),
    podMaxInUnschedulableMs < 0 && '--pod-max-in-unschedulable-pods-duration can not be negative value',
  ].filter((problem) => typeof problem === 'string');
  if (problems.length > 0) throw new FlagError(problems);
  return {
    daemon,
    featureGates,
    podMaxInUnschedulableMs,
    warnings: [
      ...(document === undefined
        ? []
        : replacedByDocument
            .filter((flag) => given.has(flag))
            .map((flag) => `${given.get(flag)!} is ignored: the file of --config decides`)),
      ...((document?.parallelism ?? defaultParallelism) === defaultParallelism ? [] : [parallelismWarning]),
      ...gateWarnings(options.configuration.featureGates, daemonGates),
    ],
  };
}

function daemonOptions(
  options: SchedulerFlagOptions,
  given: GivenFlags,
  program: string,
  document: ProcessSettings | undefined,
): DaemonOptions {
  const { leaderElection, debugging, access } = options;
  const lock = lockOf(schedulerLocks, leaderElection, given, { isOriginal: program === schedulerLocks.original.name });
  const election = { ...leaderElection, resourceNamespace: lock.namespace, resourceName: lock.name };
  if (document === undefined) return { ...options, client: access, leaderElection: election };
  const fromFlags = Object.fromEntries(
    Object.entries(electionFlags)
      .filter(([, flag]) => given.has(flag))
      .map(([key]) => [key, election[key as keyof typeof electionFlags]]),
  );
  const { acceptContentTypes } = document.clientConnection;
  // A document is one of the original, and so is the lock that it does not name.
  return {
    ...options,
    client: {
      kubeconfig: document.clientConnection.kubeconfig || undefined,
      qps: document.clientConnection.qps,
      burst: document.clientConnection.burst,
      contentType: document.clientConnection.contentType || access.contentType,
      ...(acceptContentTypes === '' ? {} : { acceptContentTypes }),
      master: access.master,
    },
    leaderElection: { ...document.leaderElection, ...fromFlags },
    debugging: {
      ...debugging,
      profiling: document.enableProfiling,
      contentionProfiling: document.enableContentionProfiling,
    },
  };
}
