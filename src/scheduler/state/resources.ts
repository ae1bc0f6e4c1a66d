/**
 * Amounts of resources as numbers: what a pod asks for, what a node has and what is taken of it. Filters and scores
 * read them for every node, so the common ones are fields.
 */
import { quantityOf } from '../../api/core/resources/quantities.ts';
import { remembered } from '../../base/bounded-cache.ts';

export class Resources {
  milliCpu = 0;
  /** Bytes. */
  memory = 0;
  /** Bytes. */
  ephemeralStorage = 0;
  /** How many pods a node takes; nothing in what a pod asks for. */
  pods = 0;
  /** Extended resources and huge pages, by name. Absent where there are none. */
  scalars: Map<string, number> | undefined;

  add(other: Resources): void {
    this.#combine(other, 1);
  }

  subtract(other: Resources): void {
    this.#combine(other, -1);
  }

  set(name: string, amount: number): void {
    switch (name) {
      case 'cpu':
        this.milliCpu = amount;
        break;
      case 'memory':
        this.memory = amount;
        break;
      case 'ephemeral-storage':
        this.ephemeralStorage = amount;
        break;
      case 'pods':
        this.pods = amount;
        break;
      default:
        (this.scalars ??= new Map()).set(name, amount);
    }
  }

  get(name: string): number {
    switch (name) {
      case 'cpu':
        return this.milliCpu;
      case 'memory':
        return this.memory;
      case 'ephemeral-storage':
        return this.ephemeralStorage;
      case 'pods':
        return this.pods;
      default:
        return this.scalars?.get(name) ?? 0;
    }
  }

  clone(): Resources {
    const copy = new Resources();
    copy.add(this);
    copy.pods = this.pods;
    return copy;
  }

  #combine({ milliCpu, memory, ephemeralStorage, scalars }: Resources, sign: 1 | -1): void {
    this.milliCpu += sign * milliCpu;
    this.memory += sign * memory;
    this.ephemeralStorage += sign * ephemeralStorage;
    if (scalars === undefined) return;
    const own = (this.scalars ??= new Map());
    for (const [name, amount] of scalars) own.set(name, (own.get(name) ?? 0) + sign * amount);
  }
}

const texts = { maxBytes: 1024 * 1024, maxKeyLength: 64 };
const milliValueOf = remembered((text) => Number(quantityOf(text).milliValue()), texts);
const valueOf = remembered((text) => Number(quantityOf(text).value()), texts);

/** CPU in thousandths, everything else in whole units, rounded up. */
export const amountOf = (name: string, quantity: string): number =>
  name === 'cpu' ? milliValueOf(quantity) : valueOf(quantity);

export function resourcesOf(amounts: Readonly<Record<string, string>> | undefined): Resources {
  const resources = new Resources();
  for (const name in amounts) resources.set(name, amountOf(name, amounts[name]!));
  return resources;
}
