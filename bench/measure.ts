/** The clock of a phase, and callers that work through its operations. */
import { usageOf } from './process-usage.ts';

export interface Measured {
  readonly operations: number;
  readonly errors: number;
  readonly firstError: string | undefined;
  readonly seconds: number;
  readonly operationsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of the server, per operation; undefined where it cannot be known. */
  readonly cpuMicroseconds: number | undefined;
  /** Of the server, at the end of the phase. */
  readonly residentMegabytes: number | undefined;
  /** Of this process. Near 1, the driver is what limits operations per second. */
  readonly driverCpuShare: number;
}

export class Failures {
  count = 0;
  first: string | undefined;

  add(error: unknown): void {
    this.count++;
    this.first ??= error instanceof Error ? error.message : String(error);
  }
}

/** Runs from its construction to `stop`. */
export class Meter {
  readonly #pids: readonly number[];
  readonly #start = performance.now();
  readonly #driverAtStart = process.cpuUsage();
  readonly #serverAtStart;

  constructor(pids: readonly number[]) {
    this.#pids = pids;
    this.#serverAtStart = usageOf(pids);
  }

  stop(): (latenciesMs: Float64Array, failures: Failures) => Measured {
    const seconds = (performance.now() - this.#start) / 1000;
    const server = usageOf(this.#pids);
    const driver = process.cpuUsage(this.#driverAtStart);
    const cpu =
      server === undefined || this.#serverAtStart === undefined
        ? undefined
        : server.cpuMicroseconds - this.#serverAtStart.cpuMicroseconds;
    return (latenciesMs, failures) => {
      const operations = latenciesMs.length;
      const sorted = latenciesMs.toSorted();
      return {
        operations,
        errors: failures.count,
        firstError: failures.first,
        seconds,
        operationsPerSecond: operations / seconds,
        p50Ms: percentile(sorted, 0.5),
        p99Ms: percentile(sorted, 0.99),
        cpuMicroseconds: cpu === undefined || operations === 0 ? undefined : cpu / operations,
        residentMegabytes: server === undefined ? undefined : server.residentBytes / 1e6,
        driverCpuShare: (driver.user + driver.system) / 1e6 / seconds,
      };
    };
  }
}

const percentile = (sorted: Float64Array, p: number): number => sorted[Math.floor(p * (sorted.length - 1))] ?? 0;

export interface Work {
  readonly operations: number;
  readonly concurrency: number;
  readonly pids: readonly number[];
  readonly signal: AbortSignal;
}

/**
 * So many callers at once, each taking the next operation as soon as its last one is done. A failed operation counts as
 * one, with its time. Rejects when the signal says so, after operations that are under way.
 *
 * @param check looks at what came back once the clock has stopped; what it throws counts as a failure
 */
export async function runWorkers(
  { operations, concurrency, pids, signal }: Work,
  operation: (i: number) => Promise<unknown>,
  check?: () => void,
): Promise<Measured> {
  const latenciesMs = new Float64Array(operations);
  const failures = new Failures();
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < operations && !signal.aborted) {
      const i = next++;
      const start = performance.now();
      await operation(i).catch((error: unknown) => failures.add(error));
      latenciesMs[i] = performance.now() - start;
    }
  };
  const meter = new Meter(pids);
  await Promise.all(Array.from({ length: concurrency }, work));
  const measured = meter.stop();
  signal.throwIfAborted();
  try {
    check?.();
  } catch (error) {
    failures.add(error);
  }
  return measured(latenciesMs, failures);
}
