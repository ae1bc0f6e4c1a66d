/**
 * Brings the bitmaps of the ranges in line with the services that are there. Servers can end between taking a value and
 * writing the service; a store can be restored without its ranges; the range itself can change.
 *
 * 1. Read the bitmap. 2. List the services: what they hold is taken. 3. What is taken and held by nobody may belong to
 * a service that is being written: it is kept for a few rounds, then it has leaked. 4. Write what came out, unless
 * somebody has taken or released something since 1: then from the beginning.
 */
import { clusterIpsOf, familyOf, noClusterIp } from '../../../../api/core/service/fields.ts';
import type { Service } from '../../../../api/gen/types/core-v1.ts';
import type { Logger } from '../../../../base/logger.ts';
import { AllocationBitmap } from './bitmap.ts';
import type { Finding, FindingType } from './observer.ts';
import type { RangeObject, RangeState } from './range-object.ts';
import type { IpRange, PortRange, ValueRange } from './ranges.ts';

/** A value and the service that holds it. */
interface Held<V extends string | number> {
  readonly value: V;
  readonly service: Service;
}

export interface RepairedRange<V extends string | number> {
  readonly object: RangeObject;
  readonly range: ValueRange<V>;
  /** What a service holds of this range, whether it is in it or not. */
  heldBy(service: Service): V[];
}

export interface RangeRepairOptions<V extends string | number> extends RepairedRange<V> {
  /** Every service, as of now. */
  readonly services: () => AsyncIterable<Service>;
  readonly found: (finding: Finding) => void;
  readonly log: Logger;
}

/** In so many rounds a value that nobody holds is given up. */
const roundsUntilLeaked = 3;
/** How often a round begins again because somebody was faster: where much is written, the next round will do. */
const maxAttempts = 5;

export class RangeRepair<V extends string | number> {
  readonly #options: RangeRepairOptions<V>;
  /** Numbers that nobody holds, and how many more rounds they are kept. */
  #suspects: ReadonlyMap<number, number> = new Map();

  constructor(options: RangeRepairOptions<V>) {
    this.#options = options;
  }

  /** One round. Throws StorageError. */
  async run(): Promise<void> {
    const { object, range, log } = this.#options;
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const state = await object.read();
      const { rebuilt, suspects } = await this.#rebuild(state);
      const data = rebuilt.toBytes();
      const isSame = state.revision !== 0 && state.range === range.text && state.data.equals(data);
      if (!isSame && !(await object.write(state, range.text, data)).applied) continue;
      this.#suspects = suspects;
      return;
    }
    log.debug({ range: object.key }, 'the range changed all the time while it was repaired; left for the next round');
  }

  async #rebuild(state: RangeState): Promise<{ rebuilt: AllocationBitmap; suspects: Map<number, number> }> {
    const { range, services, heldBy } = this.#options;
    const rebuilt = new AllocationBitmap(range);
    // Numbers of another range mean other values.
    const stored = new AllocationBitmap(range, state.range === range.text ? state.data : undefined);
    for await (const service of services()) for (const value of heldBy(service)) this.#hold({ value, service }, rebuilt, stored, state.revision !== 0);
    return { rebuilt, suspects: this.#keepSuspects(rebuilt, stored) };
  }

  #hold({ value, service }: Held<V>, rebuilt: AllocationBitmap, stored: AllocationBitmap, isKnown: boolean): void {
    const { range, object, found, log } = this.#options;
    const tell = (type: FindingType, message: string): void => {
      log.warn(type === 'outOfRange' ? { ...about, of: range.text } : about, message);
      found({ type, value, service });
    };
    const about = { range: object.key, value, service: `${service.metadata.namespace ?? ''}/${service.metadata.name ?? ''}` };
    const number = range.numberOf(value);
    if (number === undefined) return tell('outOfRange', 'a service holds a value that is not of the range; recreate the service');
    if (!rebuilt.take(number)) return tell('duplicate', 'a value is held by several services; recreate this one');
    if (isKnown && !stored.has(number)) tell('repair', 'a value that a service holds was not taken; repaired');
    stored.giveBack(number);
  }

  /** `stored` is what was taken and is held by nobody. */
  #keepSuspects(rebuilt: AllocationBitmap, stored: AllocationBitmap): Map<number, number> {
    const { range, object, found, log } = this.#options;
    const suspects = new Map<number, number>();
    for (const number of stored.taken()) {
      const rounds = this.#suspects.get(number) ?? roundsUntilLeaked - 1;
      const about = { range: object.key, value: range.valueOf(number) };
      if (rounds > 0) {
        if (!this.#suspects.has(number)) log.warn(about, 'a value is taken and held by no service; kept for now');
        rebuilt.take(number);
        suspects.set(number, rounds - 1);
      } else {
        log.warn(about, 'a value is taken and held by no service; released');
        found({ type: 'leak', value: about.value });
      }
    }
    return suspects;
  }
}

export const repairedIps = (object: RangeObject, range: IpRange): RepairedRange<string> => ({
  object, range,
  heldBy: (service) => (service.spec.type === 'ExternalName' ? [] : clusterIpsOf(service).filter((ip) => ip !== noClusterIp && familyOf(ip) === range.family)),
});

export const repairedPorts = (object: RangeObject, range: PortRange): RepairedRange<number> => ({ object, range, heldBy: heldPorts });

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
