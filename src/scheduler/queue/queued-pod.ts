/** A pod on its way through the scheduling queue. */
import type { PodInfo } from '../state/pod-info.ts';

export class QueuedPod {
  info: PodInfo;
  /** When it came into the queue last, in milliseconds of the clock. */
  timestamp: number;
  /** How often it was taken out to be scheduled. */
  attempts = 0;
  readonly createdAt: number;
  /** When it was taken out first. */
  firstAttemptAt: number | undefined;
  /** Those that refused it last: what they wait for wakes the pod. */
  unschedulablePlugins: ReadonlySet<string> = none;
  pendingPlugins: ReadonlySet<string> = none;
  /** A plugin does not let it into the active queue. */
  isGated = false;

  constructor(info: PodInfo, now: number) {
    this.info = info;
    this.timestamp = now;
    this.createdAt = now;
  }

  get uid(): string {
    return this.info.uid;
  }

  get priority(): number {
    return this.info.priority;
  }

  get profile(): string {
    return this.info.pod.spec.schedulerName ?? '';
  }

  *rejectors(): Iterable<string> {
    yield* this.unschedulablePlugins;
    for (const plugin of this.pendingPlugins) if (!this.unschedulablePlugins.has(plugin)) yield plugin;
  }

  get hasRejectors(): boolean {
    return this.unschedulablePlugins.size + this.pendingPlugins.size > 0;
  }
}

const none: ReadonlySet<string> = new Set();

export interface BackoffLimits {
  readonly initialMs: number;
  readonly maxMs: number;
}

/** How long a pod waits after so many attempts: it doubles with each. */
export function backoffMs(attempts: number, { initialMs, maxMs }: BackoffLimits): number {
  // Beyond this power of two every limit is reached.
  return Math.min(maxMs, initialMs * 2 ** Math.min(Math.max(0, attempts - 1), 64));
}
