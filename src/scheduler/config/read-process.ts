/** Reads what a configuration says of the process around the scheduler. */
import { invalid } from '../../machinery/field-error.ts';
import type { FieldErrors } from '../../machinery/field-errors.ts';
import { FieldPath } from '../../machinery/field-path.ts';
import type { SchedulerDocument } from './document.ts';
import type { ProcessConfig } from './types.ts';

/** Upstream's. */
export const defaultParallelism = 16;

export function readProcess(document: SchedulerDocument, errors: FieldErrors): ProcessConfig {
  const {
    parallelism = defaultParallelism,
    leaderElection = {},
    clientConnection = {},
    enableProfiling = true,
  } = document;
  const { enableContentionProfiling = true, delayCacheUntilActive = false } = document;
  if (parallelism <= 0)
    errors.push(invalid(FieldPath.of('parallelism'), parallelism, 'should be an integer value greater than zero'));
  const election = {
    leaderElect: leaderElection.leaderElect ?? true,
    leaseDurationMs: leaderElection.leaseDuration ?? 15_000,
    renewDeadlineMs: leaderElection.renewDeadline ?? 10_000,
    retryPeriodMs: leaderElection.retryPeriod ?? 2000,
    resourceLock: leaderElection.resourceLock ?? 'leases',
    resourceName: leaderElection.resourceName ?? 'kube-scheduler',
    resourceNamespace: leaderElection.resourceNamespace ?? 'kube-system',
  };
  checkElection(election, FieldPath.of('leaderElection'), errors);
  return {
    parallelism,
    leaderElection: election,
    clientConnection: {
      kubeconfig: clientConnection.kubeconfig ?? '',
      acceptContentTypes: clientConnection.acceptContentTypes ?? '',
      contentType: clientConnection.contentType ?? 'application/vnd.kubernetes.protobuf',
      qps: clientConnection.qps ?? 50,
      burst: clientConnection.burst ?? 100,
    },
    enableProfiling,
    enableContentionProfiling,
    delayCacheUntilActive,
  };
}

function checkElection(election: ProcessConfig['leaderElection'], path: FieldPath, errors: FieldErrors): void {
  const { leaderElect, leaseDurationMs, renewDeadlineMs, retryPeriodMs, resourceLock } = election;
  if (!leaderElect) return;
  const positive = { leaseDuration: leaseDurationMs, renewDeadline: renewDeadlineMs, retryPeriod: retryPeriodMs };
  for (const [name, ms] of Object.entries(positive))
    if (ms <= 0) errors.push(invalid(path.child(name), ms, 'must be greater than zero'));
  if (leaseDurationMs < renewDeadlineMs)
    errors.push(
      invalid(path.child('leaseDuration'), renewDeadlineMs, 'LeaseDuration must be greater than RenewDeadline'),
    );
  if (resourceLock !== 'leases')
    errors.push(invalid(path.child('resourceLock'), resourceLock, 'resourceLock value must be "leases"'));
}
