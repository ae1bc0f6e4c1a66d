/**
 * Keeps the status of quotas: what is used of them. Admission charges what is created; this controller gives back what
 * is gone, and measures anew from time to time.
 * @see {@link https://kubernetes.io/docs/concepts/policy/resource-quotas/ | Resource Quotas}
 */
import type { ResourceQuota } from '../../api/gen/types/core-v1.ts';
import type { PodResourcesOptions } from '../../api/core/pods/pod-requests.ts';
import { countsAs } from '../../api/core/resource-quotas/usage.ts';
import type { KubeObject } from '../../machinery/object-meta.ts';
import type { Quantity } from '../../machinery/quantity.ts';
import type { Controller, Trigger } from '../../reconcile/controller.ts';
import type { ControllerContext } from '../manager/context.ts';
import { CountedObjects } from './counted-objects.ts';
import {
  areEqual,
  type CountedResource,
  countedBy,
  hardNames,
  isNew,
  isReplenished,
  measure,
  statusOf,
} from './sync.ts';

/** Deletions that come together are measured together. */
const gatherMs = 100;

export function startResourceQuotas(context: ControllerContext): void {
  const { client, options, isGateOn, wallTime } = context;
  const { concurrentSyncs: workers, syncPeriodMs } = options.resourceQuota;
  const { resourcequotas } = client.core.v1;
  const quotas = context.informer(resourcequotas);
  const podResources: PodResourcesOptions = {
    podLevel: isGateOn('PodLevelResources'),
    fromStatus: isGateOn('InPlacePodVerticalScaling'),
    overhead: true,
  };
  const queues: { normal?: Controller; first?: Controller } = {};
  const add = (quota: ResourceQuota): void => (isNew(quota) ? queues.first : queues.normal)?.add(quotas.keyOf(quota));
  const addAll = (): void => {
    for (const quota of quotas.objects.values()) add(quota);
  };
  const counts = (quota: ResourceQuota, { group, resource }: CountedResource): boolean =>
    hardNames(quota).some((name) => countsAs(group, resource, name));
  // Quotas of other resources stay as they are: what another client wrote into their status is not measured again.
  const addThoseOf = (added: readonly CountedResource[]): void => {
    for (const quota of quotas.objects.values()) if (added.some((counted) => counts(quota, counted))) add(quota);
  };
  const replenish = (counted: CountedResource, { metadata }: KubeObject): void => {
    for (const quota of quotas.lister.listIn(metadata?.namespace ?? ''))
      if (counts(quota, counted)) queues.normal?.addAfter(quotas.keyOf(quota), gatherMs);
  };
  const replenishment = {
    deleted: replenish,
    updated(counted: CountedResource, before: KubeObject, after: KubeObject): void {
      if (isReplenished(counted, before, after, { podResources, nowMs: wallTime() })) replenish(counted, after);
    },
  };
  const objects = new CountedObjects(context, replenishment, addThoseOf);

  const measureAll = async (quota: ResourceQuota, signal: AbortSignal) => {
    const measured = new Map<string, Quantity>();
    const failures: unknown[] = [];
    for (const counted of countedBy(hardNames(quota))) {
      try {
        const found = await objects.in(quota.metadata.namespace!, counted, signal);
        if (found === undefined) continue;
        const usage = measure(quota, { counted, objects: found, podResources, nowMs: wallTime() });
        for (const [name, amount] of usage) measured.set(name, amount);
      } catch (error) {
        failures.push(error);
      }
    }
    return { measured, failures };
  };
  const sync = async (key: string, signal: AbortSignal): Promise<undefined> => {
    const quota = quotas.objects.get(key);
    if (quota === undefined) return;
    const { measured, failures } = await measureAll(quota, signal);
    const status = statusOf(quota, measured);
    if (status !== undefined)
      await resourcequotas.namespace(quota.metadata.namespace!).status.update({ ...quota, status });
    if (failures.length > 0) throw failures[0];
  };
  const synced: Trigger = { attach: () => () => undefined, untilSynced: (signal) => quotas.untilSynced(signal) };
  queues.normal = context.work({ queue: 'resourcequota_primary', workers, triggers: [synced], sync });
  queues.first = context.work({ queue: 'resourcequota_priority', workers, triggers: [synced], sync });
  const wantAll = (): void => objects.want([...quotas.objects.values()].flatMap(hardNames));
  context.handle(quotas, {
    onAdd(quota) {
      wantAll();
      add(quota);
    },
    // A status that another one wrote stays until something is to be measured.
    onUpdate(before, after) {
      if (before !== after && areEqual(before.spec?.hard ?? {}, after.spec?.hard ?? {})) return;
      wantAll();
      add(after);
    },
    onDelete: wantAll,
  });
  if (syncPeriodMs > 0) context.every(syncPeriodMs, async () => addAll());
}
