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

/**
 * Nodes per second for each zone. When no zone has a node that is ready nothing is evicted: it is then likely that this
 * process is the one that is cut off.
 */
export function ratesOf(zones: ReadonlyMap<string, ZoneCounts>, rates: EvictionRates): ReadonlyMap<string, number> {
  const states = [...zones].map(([zone, { ready, notReady }]) => {
    const state = zoneState(ready, notReady, rates.unhealthyZoneThreshold);
    return { zone, state, size: ready + notReady };
  });
  const isAllDisrupted = states.every(({ state }) => state === 'FullDisruption');
  const rate = (state: ZoneState, size: number): number => {
    if (isAllDisrupted) return 0;
    if (state !== 'PartialDisruption') return rates.evictionRate;
    return size > rates.largeClusterSizeThreshold ? rates.secondaryEvictionRate : 0;
  };
  return new Map(states.map(({ zone, state, size }) => [zone, rate(state, size)]));
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
