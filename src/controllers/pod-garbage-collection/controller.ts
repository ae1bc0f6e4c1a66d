/**
 * Deletes pods that no kubelet deletes: their node is gone or out of service, or they never had one; and the oldest of
 * those that are over, beyond `--terminated-pod-gc-threshold`.
 * @see {@link https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-garbage-collection | Garbage
 *   collection of Pods}
 */
import type { Pod } from '../../api/gen/types/core-v1.ts';
import { isNotFound } from '../../client/api-error.ts';
import { undefinedWhenGone } from '../../client/undefined-when-gone.ts';
import { SeriesCounter } from '../../server/metrics/series-counter.ts';
import type { ControllerContext } from '../manager/context.ts';
import { metricOf } from '../shared/metrics.ts';
import { inParallel } from '../shared/parallel.ts';
import { failurePatch, missingNodes, podsToDelete, type Reason } from './sync.ts';

const periodMs = 20_000;
/** How long a node must have been unknown. */
const quarantineMs = 40_000;
/** Pods that are deleted at a time. */
const width = 10;

export function startPodGarbageCollection(context: ControllerContext): void {
  const { client, clock, log } = context;
  const pods = context.informer(client.core.v1.pods);
  const nodes = context.informer(client.core.v1.nodes);
  const count = counters(context);
  const quarantine = new Quarantine(() => clock.now());
  const isGone = async (name: string): Promise<boolean> => {
    try {
      await client.core.v1.nodes.get(name);
      return false;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return true;
    }
  };
  const collect = async (): Promise<void> => {
    const all = pods.lister.list();
    const missing = missingNodes(all, (name) => nodes.objects.get(name) !== undefined);
    const goneNodes = new Set<string>();
    for (const name of quarantine.over(missing)) if (await isGone(name)) goneNodes.add(name);
    const { terminatedPodThreshold: threshold } = context.options.podGarbageCollector;
    const nodeOf = (name: string) => nodes.objects.get(name);
    const found = [...podsToDelete({ pods: all, nodeOf, goneNodes, threshold })];
    await inParallel(found, width, async ([pod, reason]) => {
      const { namespace, name } = pod.metadata;
      try {
        await endPod(context, pod, reason);
        count('deleted', namespace!, reason);
      } catch (error) {
        count('failed', namespace!, reason);
        log.error({ err: error, pod: `${namespace}/${name}`, reason }, 'a pod could not be collected');
      }
    });
  };
  context.every(
    periodMs,
    async (signal) => {
      await Promise.all([pods.untilSynced(signal), nodes.untilSynced(signal)]);
      await collect();
    },
    0,
  );
}

/** The pod is marked as failed first: those who count on it see that it did not run to its end. */
async function endPod({ client, wallTime }: ControllerContext, pod: Pod, reason: Reason): Promise<void> {
  const { namespace, name, uid } = pod.metadata;
  const ofNamespace = client.core.v1.pods.namespace(namespace!);
  const patch = failurePatch(pod, reason, wallTime());
  try {
    if (patch !== undefined) await ofNamespace.status.patch(name!, { strategic: patch });
    await ofNamespace.delete(name!, { gracePeriodSeconds: 0, preconditions: { uid: uid! } });
  } catch (error) {
    undefinedWhenGone(error);
  }
}

/** Since when nodes have been unknown. */
class Quarantine {
  readonly #now: () => number;
  readonly #since = new Map<string, number>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** @returns those of the missing nodes that have been missing for long enough */
  over(missing: ReadonlySet<string>): string[] {
    for (const name of this.#since.keys()) if (!missing.has(name)) this.#since.delete(name);
    for (const name of missing) if (!this.#since.has(name)) this.#since.set(name, this.#now());
    return [...missing].filter((name) => this.#now() - this.#since.get(name)! >= quarantineMs);
  }
}

function counters({ metrics }: ControllerContext) {
  const made = (name: string, help: string) =>
    metrics === undefined
      ? undefined
      : metricOf(metrics, name, () => new SeriesCounter({ name, help, registry: metrics }));
  const counted = {
    deleted: made('pod_gc_collector_force_delete_pods_total', 'Pods that the collector of pods deleted.'),
    failed: made('pod_gc_collector_force_delete_pod_errors_total', 'Pods that the collector of pods could not delete.'),
  };
  return (outcome: 'deleted' | 'failed', namespace: string, reason: Reason): void =>
    counted[outcome]?.series({ namespace, reason }).inc();
}
