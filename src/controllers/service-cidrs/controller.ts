/**
 * Keeps ranges of service addresses until no service needs them, and says of each whether addresses are taken from it.
 * @see {@link https://kubernetes.io/docs/tasks/network/extend-service-ip-ranges/ | Extend service IP ranges}
 */
import type { Condition } from '../../api/gen/types/meta-v1.ts';
import type { ServiceCIDR } from '../../api/gen/types/networking-v1beta1.ts';
import { undefinedWhenGone } from '../../client/undefined-when-gone.ts';
import type { Patch } from '../../client/index.ts';
import { timeMs } from '../shared/pod-conditions.ts';
import type { SyncResult } from '../../reconcile/controller.ts';
import type { ControllerContext } from '../manager/context.ts';
import { eventsOf } from '../shared/triggers.ts';
import { conditionFor, containsAddress, deletionGraceMs, finalizer, mayEnd, overlaps } from './sync.ts';

const workers = 5;

export function startServiceCidrs(context: ControllerContext): void {
  const { client, events, wallTime } = context;
  const { servicecidrs, ipaddresses } = client.networking.v1beta1;
  const ranges = context.informer(servicecidrs);
  const addresses = context.informer(ipaddresses);
  const cache = context.mutationCache(ranges);

  const sync = async (name: string): Promise<SyncResult> => {
    const range = cache.get(name);
    if (range === undefined) return undefined;
    try {
      return await (range.metadata.deletionTimestamp === undefined ? keep(range) : end(range));
    } catch (error) {
      return undefinedWhenGone(error);
    }
  };

  const end = async (range: ServiceCIDR): Promise<SyncResult> => {
    const { name, deletionTimestamp, finalizers = [] } = range.metadata;
    if (!finalizers.includes(finalizer)) return undefined;
    if (!mayEnd(range, [...ranges.objects.values()], addresses.objects.values())) {
      await say(range, conditionFor(range, true, wallTime()));
      return undefined;
    }
    const leftMs = timeMs(deletionTimestamp!) + deletionGraceMs - wallTime();
    if (leftMs > 0) return { requeueAfterMs: leftMs };
    const patch = { strategic: { metadata: { '$deleteFromPrimitiveList/finalizers': [finalizer] } } };
    await servicecidrs.patch(name!, patch as unknown as Patch);
    return undefined;
  };

  const keep = async (range: ServiceCIDR): Promise<undefined> => {
    const { name, finalizers = [] } = range.metadata;
    if (!finalizers.includes(finalizer))
      cache.wrote(
        await servicecidrs.patch(name!, { strategic: { metadata: { finalizers: [finalizer] } } } as unknown as Patch),
      );
    const condition = conditionFor(range, false, wallTime());
    await say(range, condition).catch((error: unknown) => {
      const message = 'The ServiceCIDR Status can not be set to Ready=True';
      events.event(range, 'Warning', 'KubernetesServiceCIDRError', message);
      throw error;
    });
  };

  const say = async ({ metadata: { name } }: ServiceCIDR, condition: Condition | undefined): Promise<void> => {
    if (condition === undefined) return;
    const applied = { metadata: { name: name! }, status: { conditions: [condition] } };
    cache.wrote(await servicecidrs.status.apply(applied, { fieldManager: context.name, force: true }));
  };

  /** A range that comes or goes can free others, or hold them. */
  const wakeOverlapping = (add: (key: string) => void, range: ServiceCIDR): void => {
    for (const other of ranges.objects.values())
      if (other.metadata.deletionTimestamp !== undefined && overlaps(other, range)) add(other.metadata.name!);
  };

  context.work({
    queue: 'servicecidrs',
    workers,
    triggers: [
      eventsOf(ranges, (add) => ({
        onAdd: (range) => {
          add(range.metadata.name!);
          wakeOverlapping(add, range);
        },
        onUpdate: (_, range) => {
          add(range.metadata.name!);
          wakeOverlapping(add, range);
        },
        onDelete: (range) => wakeOverlapping(add, range),
      })),
      eventsOf(addresses, (add) => ({
        onDelete: (address) => {
          for (const range of ranges.objects.values())
            if (range.metadata.deletionTimestamp !== undefined && containsAddress(range, address))
              add(range.metadata.name!);
        },
      })),
    ],
    sync,
  });
}
