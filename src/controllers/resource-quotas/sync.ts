/** What a quota says of the use of its namespace. */
import type { Pod, ResourceQuota } from '../../api/gen/types/core-v1.ts';
import type { PodResourcesOptions } from '../../api/core/pods/pod-requests.ts';
import { isInScope } from '../../api/core/resource-quotas/scopes.ts';
import { countName, countsAs, isCharged, usageOf } from '../../api/core/resource-quotas/usage.ts';
import { quantityOf } from '../../api/core/resources/quantities.ts';
import type { KubeObject } from '../../machinery/object-meta.ts';
import type { Quantity } from '../../machinery/quantity.ts';

export interface CountedResource {
  /** Empty for the core group. */
  readonly group: string;
  readonly resource: string;
}

/** Resources that count under other names than their number. */
const withOwnNames = [
  'pods',
  'services',
  'persistentvolumeclaims',
  'configmaps',
  'secrets',
  'replicationcontrollers',
  'resourcequotas',
].map((resource): CountedResource => ({ group: '', resource }));

/** The resources whose objects count under names of a quota. */
export function countedBy(names: readonly string[]): CountedResource[] {
  const found = new Map<string, CountedResource>();
  for (const name of names) {
    const counted = numbered(name);
    if (counted !== undefined) found.set(countName(counted.group, counted.resource), counted);
    for (const each of withOwnNames)
      if (countsAs(each.group, each.resource, name)) found.set(countName(each.group, each.resource), each);
  }
  return [...found.values()];
}

/** `count/deployments.apps` */
function numbered(name: string): CountedResource | undefined {
  if (!name.startsWith('count/')) return undefined;
  const [resource = '', ...group] = name.slice('count/'.length).split('.');
  return { group: group.join('.'), resource };
}

export const hardNames = ({ spec }: ResourceQuota): string[] => Object.keys(spec?.hard ?? {});

export interface Measure {
  readonly counted: CountedResource;
  /** All in the namespace of the quota. */
  readonly objects: Iterable<KubeObject>;
  readonly podResources: PodResourcesOptions;
  /** Milliseconds since 1970. */
  readonly nowMs: number;
}

/** What the objects use of a quota: an amount for each of its names that they can count under. */
export function measure(
  quota: ResourceQuota,
  { counted, objects, podResources, nowMs }: Measure,
): Map<string, Quantity> {
  const { group, resource } = counted;
  const used = new Map<string, Quantity>();
  for (const name of hardNames(quota)) if (countsAs(group, resource, name)) used.set(name, quantityOf('0'));
  const isPod = group === '' && resource === 'pods';
  const total = countName(group, resource);
  for (const object of objects) {
    const pod = isPod ? (object as Pod) : undefined;
    if (!isInScope(quota, pod, podResources.podLevel)) continue;
    if (pod !== undefined && !isCharged(pod, nowMs)) add(used, total, quantityOf('1'));
    else for (const [name, amount] of usageOf(group, resource, object, podResources)) add(used, name, amount);
  }
  return used;
}

function add(used: Map<string, Quantity>, name: string, amount: Quantity): void {
  const before = used.get(name);
  if (before !== undefined) used.set(name, before.add(amount));
}

/**
 * The status of the quota. Names whose use could not be measured keep what they have.
 *
 * @returns undefined when it says so already
 */
export function statusOf(
  { spec, status }: ResourceQuota,
  measured: ReadonlyMap<string, Quantity>,
): NonNullable<ResourceQuota['status']> | undefined {
  const hard = spec?.hard ?? {};
  const used: Record<string, string> = {};
  for (const name of Object.keys(hard)) {
    const amount = measured.get(name)?.toString() ?? status?.used?.[name];
    if (amount !== undefined) used[name] = amount;
  }
  const isSaid = status?.hard !== undefined && status.used !== undefined;
  return isSaid && areEqual(status!.hard!, hard) && areEqual(status!.used!, used) ? undefined : { hard, used };
}

/** Whether the limits are not those of the status yet: no use is known of what was added. */
export const isNew = ({ spec, status }: ResourceQuota): boolean =>
  status?.hard === undefined ||
  status.used === undefined ||
  !areEqual(spec?.hard ?? {}, status.hard) ||
  Object.keys(status.hard).some((name) => status.used![name] === undefined);

type Amounts = Readonly<Record<string, string>>;

/** The same amounts, however they are written. */
export function areEqual(a: Amounts, b: Amounts): boolean {
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => b[name] !== undefined && quantityOf(a[name]!).compare(quantityOf(b[name]!)) === 0)
  );
}

/** Whether a change of an object gives something back. */
export function isReplenished(
  { group, resource }: CountedResource,
  before: KubeObject,
  after: KubeObject,
  { podResources, nowMs }: Pick<Measure, 'podResources' | 'nowMs'>,
): boolean {
  if (group !== '' || before === after) return false;
  switch (resource) {
    case 'pods':
      return isCharged(before as Pod, nowMs) && !isCharged(after as Pod, nowMs);
    case 'services':
    case 'persistentvolumeclaims': {
      const left = usageOf(group, resource, after, podResources);
      return [...usageOf(group, resource, before, podResources)].some(
        ([name, amount]) => amount.compare(left.get(name) ?? quantityOf('0')) > 0,
      );
    }
    default:
      return false;
  }
}
