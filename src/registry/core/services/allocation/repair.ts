/**
 * Brings the bitmaps of the ranges in line with the services that are there. Servers can end between taking a value and
 * writing the service; a store can be restored without its ranges; the range itself can change.
 *
 * 1. Read the bitmap. 2. List the services: what they hold is taken. 3. What is taken and held by no service may belong
 * to a service that is being written: it is kept for a few rounds, then it has leaked. 4. Write what came out, unless
 * the bitmap has changed since 1: then from the beginning.
 *
 * The rounds make it unlikely that a value is released whose service is still being written; that alone would not keep
 * two services from having it. So what is released is proved to be unused at the revision of the write:
 *
 * - No service that is stored holds it. None of the list of step 2 does, and the write is guarded: no service was
 *   written since that list.
 * - No service that is still to be written can get it. The same transaction writes down what is released
 *   (`release-log.ts`), and servers write a service with new values under the guard that this log has not changed since
 *   they found their values not to be in it.
 *
 * @NOTE differs from upstream: there, the rounds are all that stands between a slow write and a value given twice. A
 * kube-apiserver on the same store writes services without that guard; for those it is the rounds here as well.
 */
import { clusterIpsOf, familyOf, noClusterIp } from '../../../../api/core/services/fields.ts';
import type { Service } from '../../../../api/gen/types/core-v1.ts';
import type { Clock } from '../../../../base/clock.ts';
import type { Logger } from '../../../../base/logger.ts';
import type { StoredObject } from '../../../../storage/objects.ts';
import { AllocationBitmap } from './bitmap.ts';
import type { Finding } from './observer.ts';
import { RepairReport } from './repair-report.ts';
import type { RangeObject, RangeState, RangeWrite } from './range-object.ts';
import type { IpRange, PortRange, ValueRange } from './ranges.ts';
import type { ServiceReader } from './service-reader.ts';
import type { ReleaseState, StoredReleases } from './stored-releases.ts';

export interface HeldValues<V extends string | number> {
  readonly range: ValueRange<V>;
  /** What a service holds of this range, whether it is in it or not. */
  heldBy(service: Service): V[];
}

export interface RangeRepairOptions<V extends string | number> extends HeldValues<V> {
  readonly object: RangeObject;
  readonly releases: StoredReleases;
  readonly services: ServiceReader;
  readonly found: (finding: Finding) => void;
  readonly log: Logger;
  readonly clock: Clock;
  /** How long a value that no service uses is kept at least: the time between rounds is short when some fail. */
  readonly leakAgeMs: number;
}

/** In so many rounds a value that no service holds is given up, but not before it has leaked for some time. */
const roundsUntilLeaked = 3;
/** A little less than the rounds take when none of them fails. */
export const usualLeakAgeMs = 5 * 60 * 1000;
/** How often a round begins again because something was written meanwhile. The next round will do then. */
const maxAttempts = 10;

/** What one look at the range and the services has shown. */
interface Rebuilt {
  readonly bitmap: AllocationBitmap;
  /** The revision at which the services were looked at. */
  readonly seenAt: number;
  /** Taken, held by no service, and kept no longer. */
  readonly leaked: readonly number[];
  readonly suspects: ReadonlyMap<number, Suspect>;
}

interface Rebuilding {
  readonly bitmap: AllocationBitmap;
  /** What was taken and has not been found with a service yet. */
  readonly stored: AllocationBitmap;
  /** Whether there was a range at all. */
  readonly isKnown: boolean;
  readonly report: RepairReport;
}

/** A number that is taken and held by no service. */
interface Suspect {
  /** In how many rounds it was found so. */
  readonly rounds: number;
  readonly sinceMs: number;
}

export class RangeRepair<V extends string | number> {
  readonly #options: RangeRepairOptions<V>;
  #suspects: ReadonlyMap<number, Suspect> = new Map();
  /** A storage that shares its objects shows the same ones again: most of a second look is known by then. */
  readonly #held = new WeakMap<StoredObject, readonly V[]>();

  constructor(options: RangeRepairOptions<V>) {
    this.#options = options;
  }

  /** One round. Throws StorageError. */
  async run(): Promise<void> {
    const { object, range, releases, log } = this.#options;
    for (let attempt = 1; attempt <= maxAttempts; attempt++) {
      // Where services are written all the time, the last attempt takes what they hold and releases nothing.
      const mayRelease = attempt < maxAttempts;
      const [released, state] = await Promise.all([releases.read(), object.read()]);
      const report = new RepairReport({ range: object.key, of: range.text, found: this.#options.found, log });
      const rebuilt = await this.#rebuild(state, mayRelease, report);
      if (!(await this.#write(state, released, rebuilt))) continue;
      this.#suspects = rebuilt.suspects;
      report.tell();
      return;
    }
    log.debug({ range: object.key }, 'the range changed all the time while it was repaired; left for the next round');
  }

  /** Whether the range is what was rebuilt. */
  async #write(state: RangeState, released: ReleaseState, { bitmap, leaked, seenAt }: Rebuilt): Promise<boolean> {
    const { object, range, releases, services } = this.#options;
    const data = bitmap.toBytes();
    const isAnew = this.#isAnew(state);
    if (!isAnew && state.data.equals(data)) return true;
    const proof: RangeWrite = {
      guards: [{ prefix: services.prefix, unchangedSince: seenAt }],
      companion: releases.companionOf(released, isAnew ? 'everything' : leaked),
    };
    const { applied } = await object.write(state, range.text, data, isAnew || leaked.length > 0 ? proof : {});
    return applied;
  }

  /** Without a stored range, or with another one, nothing is known of what has been taken and not been written yet. */
  #isAnew(state: RangeState): boolean {
    return state.revision === 0 || state.range !== this.#options.range.text;
  }

  async #rebuild(state: RangeState, mayRelease: boolean, report: RepairReport): Promise<Rebuilt> {
    const { range, services } = this.#options;
    const bitmap = new AllocationBitmap(range);
    // Numbers of another range mean other values.
    const stored = new AllocationBitmap(range, state.range === range.text ? state.data : undefined);
    const isKnown = state.revision !== 0;
    const seenAt = await services.visit((object) => {
      for (const value of this.#heldBy(object)) this.#hold(value, object, { bitmap, stored, isKnown, report });
    });
    const { suspects, leaked } = this.#judge(stored, mayRelease, report);
    for (const number of suspects.keys()) bitmap.take(number);
    return { bitmap, seenAt, leaked, suspects };
  }

  #heldBy(object: StoredObject): readonly V[] {
    const { services, heldBy } = this.#options;
    const known = this.#held.get(object);
    if (known !== undefined) return known;
    const held = heldBy(services.decode(object));
    this.#held.set(object, held);
    return held;
  }

  #hold(value: V, object: StoredObject, { bitmap, stored, isKnown, report }: Rebuilding): void {
    const { range, services } = this.#options;
    const service = (): Service => services.decode(object);
    const number = range.numberOf(value);
    if (number === undefined) return report.add('outOfRange', value, service);
    if (!bitmap.take(number)) return report.add('duplicate', value, service);
    if (isKnown && !stored.has(number)) report.add('repair', value, service);
    stored.giveBack(number);
  }

  /** `stored` is what was taken and is held by no service. */
  #judge(stored: AllocationBitmap, mayRelease: boolean, report: RepairReport): Pick<Rebuilt, 'suspects' | 'leaked'> {
    const { range, clock, leakAgeMs } = this.#options;
    const now = clock.now();
    const suspects = new Map<number, Suspect>();
    const leaked: number[] = [];
    for (const number of stored.taken()) {
      const { rounds, sinceMs } = this.#suspects.get(number) ?? { rounds: 0, sinceMs: now };
      if (mayRelease && rounds + 1 >= roundsUntilLeaked && now - sinceMs >= leakAgeMs) {
        leaked.push(number);
        report.add('leak', range.valueOf(number));
      } else {
        if (rounds === 0) report.suspect(range.valueOf(number));
        suspects.set(number, { rounds: rounds + 1, sinceMs });
      }
    }
    return { suspects, leaked };
  }
}

export const repairedIps = (range: IpRange): HeldValues<string> => ({
  range,
  heldBy: (service) =>
    service.spec.type === 'ExternalName'
      ? []
      : clusterIpsOf(service).filter((ip) => ip !== noClusterIp && familyOf(ip) === range.family),
});

export const repairedPorts = (range: PortRange): HeldValues<number> => ({ range, heldBy: heldPorts });

/** A number counts once for all protocols, and again when one protocol has it twice. */
function heldPorts({ spec }: Service): number[] {
  const held: number[] = [];
  const byPort = new Map<number, Set<string>>();
  const add = (port: number, protocol: string): void => {
    if (port === 0) return;
    const protocols = byPort.get(port) ?? new Set<string>();
    if (protocols.size === 0 || protocols.has(protocol)) held.push(port);
    byPort.set(port, protocols.add(protocol));
  };
  for (const { nodePort = 0, protocol = 'TCP' } of spec.ports ?? []) add(nodePort, protocol);
  add(spec.healthCheckNodePort ?? 0, 'TCP');
  return held;
}
