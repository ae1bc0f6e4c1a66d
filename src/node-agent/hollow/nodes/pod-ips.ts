/** The addresses of the pods of one node, from a range that is the node's alone. */

export interface AddressRange {
  /** The first address, as a number. */
  readonly first: number;
  readonly size: number;
}

export class PodIPs {
  readonly #used = new Set<number>();
  #range: AddressRange;
  #next = 0;

  constructor(range: AddressRange) {
    this.#range = range;
  }

  /** Addresses from now on; what is in use stays. */
  set range(range: AddressRange) {
    this.#range = range;
    this.#next = 0;
  }

  /** Undefined when all are in use. The network's own address, the gateway's and the last one are left out. */
  take(): string | undefined {
    const { first, size } = this.#range;
    const usable = Math.max(1, size - reserved - 1);
    for (let tried = 0; tried < usable; tried++) {
      const address = first + Math.min(reserved, size - 1) + ((this.#next + tried) % usable);
      if (this.#used.has(address)) continue;
      this.#next = (this.#next + tried + 1) % usable;
      this.#used.add(address);
      return formatAddress(address);
    }
    return undefined;
  }

  reserve(addresses: readonly string[]): void {
    for (const address of addresses) this.#used.add(parseAddress(address) ?? -1);
  }

  release(addresses: readonly string[]): void {
    for (const address of addresses) this.#used.delete(parseAddress(address) ?? -1);
  }
}

const reserved = 2;

/** Undefined for what is no IPv4 range. */
export function parseRange(text: string): AddressRange | undefined {
  const match = /^([\d.]+)\/(\d{1,2})$/.exec(text);
  const address = match === null ? undefined : parseAddress(match[1]!);
  const bits = Number(match?.[2]);
  if (address === undefined || bits > 32) return undefined;
  const size = 2 ** (32 - bits);
  return { first: address - (address % size), size };
}

export function parseAddress(text: string): number | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || parts.some((part) => !/^\d{1,3}$/.test(part) || Number(part) > 255)) return undefined;
  return parts.reduce((sum, part) => sum * 256 + Number(part), 0);
}

export const formatAddress = (address: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.');
