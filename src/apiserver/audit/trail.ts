/** The audit log of a server: its policy, where events go, and the records of the requests that are in work. */
import type { ApiRequest } from '../request/request.ts';
import type { AuditBackend } from './backend.ts';
import type { AuditEvent } from './event.ts';
import { AuditRecord, type RecordTrail } from './record.ts';
import type { AuditPolicy, Level } from './policy.ts';

/** What is counted, by the reference's metrics. */
export interface AuditCounters {
  event(): void;
  level(level: Level): void;
  rejected(): void;
}

export interface AuditTrailOptions {
  readonly policy: AuditPolicy;
  readonly backends: readonly AuditBackend[];
  readonly counters: AuditCounters;
}

/** Records that are still open when the server stops are waited for, but not by ones that never end. */
const lastRecordsMs = 1000;

export class AuditTrail implements RecordTrail {
  readonly policy: AuditPolicy;
  readonly counters: AuditCounters;
  readonly #backends: readonly AuditBackend[];
  #open = 0;
  #onIdle: () => void = () => undefined;

  constructor({ policy, backends, counters }: AuditTrailOptions) {
    this.policy = policy;
    this.counters = counters;
    this.#backends = backends;
  }

  /** A record that has nothing in it yet but what steps before the policy have to say. */
  recordOf(request: ApiRequest): AuditRecord {
    return new AuditRecord(request, this);
  }

  /** Whether the request may go on. */
  process(event: AuditEvent): Promise<boolean> | boolean {
    this.counters.event();
    let result: Promise<boolean> | boolean = true;
    for (const backend of this.#backends) result = both(result, backend.add(event));
    return result;
  }

  opened(): void {
    this.#open++;
  }

  closed(): void {
    if (--this.#open === 0) this.#onIdle();
  }

  /** Call when no request comes any more: waits for the last events of those in work, then for the backends. */
  async close(): Promise<void> {
    if (this.#open > 0) await this.#idle();
    await Promise.all(this.#backends.map((backend) => backend.close()));
  }

  #idle(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, lastRecordsMs);
      this.#onIdle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

function both(first: Promise<boolean> | boolean, second: Promise<boolean> | boolean): Promise<boolean> | boolean {
  if (first === true) return second;
  return Promise.all([first, second]).then((results) => results.every(Boolean));
}
