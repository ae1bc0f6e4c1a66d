/** The node ports that one write takes and gives back: all of it or nothing. */
import { AllocationError } from './allocation-errors.ts';
import type { PortAllocator } from './port-allocator.ts';
import type { Owned } from './value-allocator.ts';

export interface PortOperation {
  readonly taken: readonly Owned<number>[];
  /** Throws AllocationError. */
  take(port: number): Promise<void>;
  takeAny(): Promise<number>;
  /** Not before the write has succeeded. */
  releaseLater(port: number): void;
  /** @param revision at which what is to be released was the service's */
  commit(revision: number): Promise<void>;
  revert(): Promise<void>;
}

export const startPortOperation = (ports: PortAllocator, dryRun: boolean): PortOperation =>
  dryRun ? new DryRunOperation(ports) : new RealOperation(ports);

class RealOperation implements PortOperation {
  readonly #ports: PortAllocator;
  readonly taken: Owned<number>[] = [];
  readonly #unused = new Set<number>();

  constructor(ports: PortAllocator) {
    this.#ports = ports;
  }

  async take(port: number): Promise<void> {
    this.taken.push(await this.#ports.allocate(port));
  }

  async takeAny(): Promise<number> {
    const port = await this.#ports.allocateNext();
    this.taken.push(port);
    return port.value;
  }

  releaseLater(port: number): void {
    this.#unused.add(port);
  }

  async commit(revision: number): Promise<void> {
    for (const value of this.#unused) await this.#ports.release({ value, since: revision });
  }

  async revert(): Promise<void> {
    for (const port of this.taken) await this.#ports.release(port);
  }
}

/** The port that a dry run begins to count from when it has to name one: the first above the usual range. */
const firstDummy = 32_768;

class DryRunOperation implements PortOperation {
  readonly taken = [];
  readonly #ports: PortAllocator;
  readonly #taken = new Set<number>();

  constructor(ports: PortAllocator) {
    this.#ports = ports;
  }

  async take(port: number): Promise<void> {
    await this.#ports.checkFree(port);
    if (this.#taken.has(port)) throw new AllocationError('provided port is already allocated');
    this.#taken.add(port);
  }

  takeAny(): Promise<number> {
    const port = this.#taken.size === 0 ? firstDummy : Math.max(...this.#taken) + 1;
    this.#taken.add(port);
    return Promise.resolve(port);
  }

  releaseLater(): void {}

  async commit(): Promise<void> {}

  async revert(): Promise<void> {}
}
