/** One hollow node of this process. */
import type { DueStage, LaneName } from '../stages/lifecycle.ts';
import { nodeAddress, nodePlace, podRange, rangeSizeFor } from './node-addresses.ts';
import { PodIPs, parseRange } from './pod-ips.ts';

export class HollowNode {
  readonly name: string;
  readonly hostIPs: readonly string[];
  readonly podIPs: PodIPs;
  /** Of its object; undefined until it is registered, and when the object is gone. */
  uid: string | undefined;
  /** It renews no lease and reports no status, and its pods stay as they are. */
  isDead = false;
  /** Its object was deleted. */
  isGone = false;
  /** When a stage wrote its object last, in milliseconds since 1970. */
  appliedAtMs = -Infinity;
  /** By lane. */
  readonly due = new Map<LaneName, DueStage>();
  #podCIDR: string | undefined;

  /** @param pods how many it can have */
  constructor(namePrefix: string, index: number, pods: number) {
    const size = rangeSizeFor(pods);
    const place = nodePlace(namePrefix, index, size);
    this.name = `${namePrefix}${index}`;
    this.hostIPs = [nodeAddress(place)];
    this.podIPs = new PodIPs(podRange(place, size));
  }

  /** Pods that start from now on get their addresses from there. */
  set podCIDR(podCIDR: string | undefined) {
    if (podCIDR === undefined || podCIDR === this.#podCIDR) return;
    const range = parseRange(podCIDR);
    if (range === undefined) return;
    this.#podCIDR = podCIDR;
    this.podIPs.range = range;
  }
}
