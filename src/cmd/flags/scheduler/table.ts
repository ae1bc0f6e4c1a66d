/** Every option of the scheduler, by section: those of kube-scheduler 1.32. None is refused. */
import { duration, file, optionalText, type OptionsOf, section } from '../flag.ts';
import { clientConnectionFlags } from '../shared/client-connection.ts';
import { daemonSections } from '../shared/daemon.ts';
import { emulatedVersionFlag } from '../shared/emulated-version.ts';
import { daemonGates, featureGatesFlag } from '../shared/feature-gates.ts';
import type { LockNames } from '../shared/lock.ts';

export const schedulerLocks: LockNames = {
  own: { namespace: 'orch-system', name: 'scheduler' },
  original: { namespace: 'kube-system', name: 'kube-scheduler' },
};

const { debugging, logs, metrics, program, ...daemon } = daemonSections({
  securePort: 10259,
  pairName: 'kube-scheduler',
  lock: schedulerLocks.own,
  tolerateLookupFailure: true,
});

const { master, ...connection } = clientConnectionFlags({ qps: 50, burst: 100 });

export const schedulerFlags = {
  configuration: section('Configuration', {
    config: file('config', 'supported', {
      help:
        'KubeSchedulerConfiguration document. What it says of the API server and of profiles of the process is not ' +
        'looked for in flags then; flags of leader election go before it.',
    }),
    writeConfigTo: optionalText('write-config-to', 'supported', {
      help: 'Write the configuration, with defaults, to this file, and stop.',
    }),
    featureGates: featureGatesFlag(daemonGates),
    emulatedVersions: emulatedVersionFlag,
  }),
  access: section('API access', {
    ...connection,
    master,
    podMaxInUnschedulableMs: duration('pod-max-in-unschedulable-pods-duration', 'supported', {
      default: '5m0s',
      help: 'How long a pod that fits nowhere waits at most before it is tried again.',
    }),
  }),
  ...daemon,
  logs,
  metrics,
  debugging,
  program,
} as const;

export type SchedulerFlagOptions = OptionsOf<typeof schedulerFlags>;
