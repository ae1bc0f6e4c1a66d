/**
 * Deletes Jobs some time after they are over, with their pods.
 * @see {@link https://kubernetes.io/docs/concepts/workloads/controllers/ttlafterfinished/ | Automatic cleanup for
 *   finished Jobs}
 */
import { Histogram } from 'prom-client';
import type { Job } from '../../api/gen/types/batch-v1.ts';
import { undefinedWhenGone } from '../../client/undefined-when-gone.ts';
import { changesOf, type SyncResult } from '../../reconcile/controller.ts';
import type { ControllerContext } from '../manager/context.ts';
import { perRegistry } from '../shared/per-registry.ts';
import { expiryOf } from './sync.ts';

const deletionDelay = perRegistry(
  (registry) =>
    new Histogram({
      name: 'ttl_after_finished_controller_job_deletion_duration_seconds',
      help: 'Seconds from when a Job should have been deleted to its deletion.',
      buckets: Array.from({ length: 14 }, (_, i) => 0.1 * 2 ** i),
      registers: [registry],
    }),
);

export function startTtlAfterFinished(context: ControllerContext): void {
  const { client, options, wallTime } = context;
  const jobs = context.informer(client.batch.v1.jobs);
  const metric = deletionDelay(context.metrics);

  const sync = async (key: string): Promise<SyncResult> => {
    const job = jobs.objects.get(key);
    const remainingMs = job === undefined ? undefined : remainingOf(job);
    if (remainingMs === undefined) return undefined;
    if (remainingMs > 0) return { requeueAfterMs: remainingMs };
    return deleteExpired(job!);
  };

  const remainingOf = (job: Job): number | undefined => {
    const expiry = expiryOf(job);
    return expiry === undefined ? undefined : expiry - wallTime();
  };

  /** The time may have been prolonged since: the server has the last word. */
  const deleteExpired = async ({ metadata: { namespace, name } }: Job): Promise<SyncResult> => {
    const namespaced = client.batch.v1.jobs.namespace(namespace!);
    try {
      const fresh = await namespaced.get(name!);
      const remainingMs = remainingOf(fresh);
      if (remainingMs === undefined) return undefined;
      if (remainingMs > 0) return { requeueAfterMs: remainingMs };
      const preconditions = { uid: fresh.metadata.uid! };
      await namespaced.delete(name!, { propagationPolicy: 'Foreground', preconditions });
      metric?.observe(-remainingMs / 1000);
    } catch (error) {
      undefinedWhenGone(error);
    }
    return undefined;
  };

  // Only Jobs with a TTL that are over are worth a place in the queue.
  const keys = (job: Job): string[] => (job.spec.ttlSecondsAfterFinished === undefined ? [] : [jobs.keyOf(job)]);
  context.work({
    queue: 'ttl_jobs_to_delete',
    workers: options.ttlAfterFinished.concurrentSyncs,
    triggers: [changesOf(jobs, keys)],
    sync,
  });
}
