/**
 * How many endpoints of a service each zone should use, by its part of the CPU, so that no endpoint gets much more
 * traffic than the others.
 * @see {@link https://kubernetes.io/docs/concepts/services-networking/topology-aware-routing/ | Topology aware routing}
 */
import type { ZoneRatios } from './zone-cpu.ts';

/** How much more traffic than its share an endpoint may get. */
const overloadThreshold = 0.2;

export interface Allocation {
  /** Fewer would overload them. */
  readonly minimum: number;
  /** More would leave too few for the other zones. */
  readonly maximum: number;
  readonly desired: number;
}

export type Allocations = ReadonlyMap<string, Allocation>;

/** Endpoints of a service by the zone that they are for. */
export type ZoneCounts = ReadonlyMap<string, number>;

const minimumOf = (desired: number): number => Math.ceil(desired * (1 / (1 + overloadThreshold)));

/** @returns the allocations, or why there are none */
export function allocate(ratios: ZoneRatios | undefined, endpoints: number): Allocations | string {
  if (ratios === undefined)
    return 'Insufficient Node information: allocatable CPU or zone not specified on one or more nodes';
  const numbers = `(${endpoints} endpoints, ${ratios.size} zones)`;
  if (ratios.size > endpoints) return `Insufficient number of endpoints ${numbers}`;
  const wanted = [...ratios].map(([zone, ratio]) => ({ zone, desired: ratio * endpoints }));
  const left = endpoints - wanted.reduce((sum, { desired }) => sum + minimumOf(desired), 0);
  if (left < 0) {
    const reason = 'Unable to allocate minimum required endpoints to each zone without exceeding overload threshold';
    return `${reason} ${numbers}`;
  }
  return new Map(
    wanted.map(({ zone, desired }) => {
      const minimum = minimumOf(desired);
      return [zone, { minimum, maximum: minimum + left, desired: Math.max(desired, minimum) }];
    }),
  );
}

/** Whether a zone has too few endpoints since nodes came or went. */
export function isOverloaded(counts: ZoneCounts, ratios: ZoneRatios | undefined): boolean {
  if (counts.size === 0) return false;
  if (ratios === undefined) return true;
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  return [...ratios].some(([zone, ratio]) => {
    const count = counts.get(zone);
    return count === undefined || count < minimumOf(total * ratio);
  });
}

export interface Transfers {
  readonly giving: Map<string, number>;
  readonly receiving: Map<string, number>;
}

/** How many endpoints go from zones that have too many to zones that have too few. */
export function transfersOf(allocations: Allocations, counts: ZoneCounts): Transfers {
  const surplus = new Map<string, number>();
  const deficit = new Map<string, number>();
  for (const [zone, { desired }] of allocations) {
    const difference = (counts.get(zone) ?? 0) - desired;
    if (difference > 0) surplus.set(zone, difference);
    else if (difference < 0) deficit.set(zone, -difference);
  }
  const giving = new Map<string, number>();
  const receiving = new Map<string, number>();
  for (;;) {
    const give = largest(surplus);
    const take = largest(deficit);
    const isWorthIt = Math.min(give.count, take.count) >= 0.5 && Math.max(give.count, take.count) >= 1;
    if (give.zone === '' || take.zone === '' || !isWorthIt) return { giving, receiving };
    giving.set(give.zone, (giving.get(give.zone) ?? 0) + 1);
    receiving.set(take.zone, (receiving.get(take.zone) ?? 0) + 1);
    surplus.set(give.zone, give.count - 1);
    deficit.set(take.zone, take.count - 1);
  }
}

function largest(zones: ReadonlyMap<string, number>): { readonly zone: string; readonly count: number } {
  let found = { zone: '', count: 0 };
  for (const [zone, count] of zones) if (count > found.count) found = { zone, count };
  return found;
}
