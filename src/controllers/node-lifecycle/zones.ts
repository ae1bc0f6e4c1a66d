/**
 * How fast pods are evicted from the nodes of a zone: slower where so many nodes are away that the fault may be the
 * network's, and not at all where all nodes of all zones are.
 * @see {@link https://kubernetes.io/docs/concepts/architecture/nodes/#rate-limits-on-eviction | Rate limits on
 *   eviction}
 */
import type { Node } from '../../api/gen/types/core-v1.ts';
import type { Clock } from '../../base/clock.ts';
import { TokenBucket } from '../../base/token-bucket.ts';

export type ZoneState = 'Normal' | 'PartialDisruption' | 'FullDisruption';

export interface EvictionRates {
  /** Nodes per second. */
  readonly evictionRate: number;
  readonly secondaryEvictionRate: number;
  readonly largeClusterSizeThreshold: number;
  readonly unhealthyZoneThreshold: number;
}

/** Region and zone as one text; empty where the node says neither. */
export function zoneOf({ metadata }: Node): string {
  const { labels = {} } = metadata;
  const region = labels['topology.kubernetes.io/region'] ?? labels['failure-domain.beta.kubernetes.io/region'] ?? '';
  const zone = labels['topology.kubernetes.io/zone'] ?? labels['failure-domain.beta.kubernetes.io/zone'] ?? '';
  return region === '' && zone === '' ? '' : `${region}:\0:${zone}`;
}

export function zoneState(ready: number, notReady: number, unhealthyZoneThreshold: number): ZoneState {
  if (ready === 0 && notReady > 0) return 'FullDisruption';
  return notReady > 2 && notReady / (ready + notReady) >= unhealthyZoneThreshold ? 'PartialDisruption' : 'Normal';
}

export interface ZoneCounts {
  ready: number;
  notReady: number;
}

/** No zone has a node that is ready: it is then likely that this process is the one that is cut off. */
export function isAllDisrupted(zones: ReadonlyMap<string, ZoneCounts>): boolean {
  const counted = [...zones.values()].filter(({ ready, notReady }) => ready + notReady > 0);
  return counted.length > 0 && counted.every(({ ready }) => ready === 0);
}

/** Nodes per second for each zone. Nothing is evicted while all zones are disrupted. */
export function ratesOf(zones: ReadonlyMap<string, ZoneCounts>, rates: EvictionRates): ReadonlyMap<string, number> {
  const isStopped = isAllDisrupted(zones);
  const rate = ({ ready, notReady }: ZoneCounts): number => {
    if (isStopped) return 0;
    if (zoneState(ready, notReady, rates.unhealthyZoneThreshold) !== 'PartialDisruption') return rates.evictionRate;
    return ready + notReady > rates.largeClusterSizeThreshold ? rates.secondaryEvictionRate : 0;
  };
  return new Map([...zones].map(([zone, counts]) => [zone, rate(counts)]));
}

/** Lets one node of a zone pass at once, and others at the rate of the zone; none while the rate is 0. */
export class ZonePace {
  readonly #bucket: TokenBucket;
  #rate: number;

  /** @param rate nodes per second */
  constructor(clock: Clock, rate: number) {
    this.#bucket = new TokenBucket({ perSecond: rate, burst: 1 }, clock);
    this.#rate = rate;
  }

  set rate(rate: number) {
    this.#bucket.perSecond = rate;
    this.#rate = rate;
  }

  tryTake(): boolean {
    return this.#rate > 0 && this.#bucket.take();
  }
}
