/**
 * Scales workloads by what their pods use.
 * @see {@link https://kubernetes.io/docs/tasks/run-application/horizontal-pod-autoscale/ | Horizontal pod autoscaling}
 */
import { changesOf } from '../../reconcile/controller.ts';
import type { RateLimiter } from '../../reconcile/rate-limiter.ts';
import type { ControllerContext } from '../manager/context.ts';
import { Scales } from '../shared/scales.ts';
import { eventsOf } from '../shared/triggers.ts';
import { Autoscaler } from './autoscaler.ts';
import { MetricsClient } from './metrics-client.ts';

export function startHorizontalPodAutoscalers(context: ControllerContext): void {
  const { client, clock, options } = context;
  const { concurrentSyncs, syncPeriodMs } = options.horizontalPodAutoscaler;
  const autoscalers = context.informer(client.autoscaling.v2.horizontalpodautoscalers);
  const pods = context.informer(client.core.v1.pods);
  const scales = new Scales(client, clock);
  const autoscaler = new Autoscaler(context, {
    autoscalers,
    pods,
    scales,
    metrics: new MetricsClient(client, scales),
  });
  context.work({
    queue: 'horizontalpodautoscaler',
    workers: concurrentSyncs,
    triggers: [
      eventsOf(autoscalers, (add) => ({
        onAdd: (object) => add(autoscalers.keyOf(object), syncPeriodMs),
        onDelete: (object) => add(autoscalers.keyOf(object)),
      })),
      changesOf(pods, () => []),
    ],
    sync: async (key) => {
      await autoscaler.sync(key);
      return autoscalers.objects.get(key) === undefined ? undefined : { requeueAfterMs: syncPeriodMs };
    },
    rateLimiter: each(syncPeriodMs),
  });
}

/** Metrics are as old as a period: a failure is no reason to look sooner, or later. */
const each = (periodMs: number): RateLimiter => ({
  when: () => periodMs,
  forget: () => undefined,
  numRequeues: () => 0,
});
