/**
 * What becomes of events that are alike, as client-go's recorder decides it, so that an object in a loop does not fill
 * the store:
 *
 * 1. From the tenth message on that has the same source, object, type and reason as others within ten minutes, they
 *    become one event, whose message begins with "(combined from similar events): ".
 * 2. An event that was recorded before is counted and not recorded again.
 * 3. Of one source and object there are 25 at once, and one more every five minutes. What is beyond is dropped.
 */
import type { Event } from '../../api/gen/types/core-v1.ts';
import type { Clock } from '../../base/clock.ts';
import { TokenBucket } from '../../base/token-bucket.ts';
import { RecentMap } from './recent-map.ts';

export interface CorrelatorLimits {
  /** Different messages of one reason, from which on they are combined. */
  readonly maxSimilar: number;
  readonly similarWithinMs: number;
  readonly burst: number;
  readonly perSecond: number;
}

export const defaultCorrelatorLimits: CorrelatorLimits = {
  maxSimilar: 10,
  similarWithinMs: 600_000,
  burst: 25,
  perSecond: 1 / 300,
};

/** What is to be written. */
export interface Correlated {
  readonly event: Event;
  /** It was written before, under this name. */
  readonly isRepeated: boolean;
}

interface Similar {
  readonly messages: Set<string>;
  lastAt: number;
}

interface Recorded {
  readonly name: string;
  readonly firstTimestamp: string | undefined;
  count: number;
}

/** As client-go's caches. */
const remembered = 4096;

export class EventCorrelator {
  readonly #clock: Clock;
  readonly #limits: CorrelatorLimits;
  readonly #similar = new RecentMap<Similar>(remembered);
  readonly #recorded = new RecentMap<Recorded>(remembered);
  readonly #buckets = new RecentMap<TokenBucket>(remembered);

  constructor(clock: Clock, limits: CorrelatorLimits = defaultCorrelatorLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Undefined for an event that is dropped. */
  correlate(event: Event): Correlated | undefined {
    const { event: combined, key } = this.#combine(event);
    const counted = this.#count(combined, key);
    return this.#isAllowed(event) ? counted : undefined;
  }

  #combine(event: Event): { event: Event; key: string } {
    const { maxSimilar, similarWithinMs } = this.#limits;
    const key = similarityOf(event);
    const now = this.#clock.now();
    const before = this.#similar.get(key);
    const similar =
      before === undefined || now - before.lastAt > similarWithinMs
        ? { messages: new Set<string>(), lastAt: now }
        : before;
    const { message = '' } = event;
    similar.messages.add(message);
    similar.lastAt = now;
    this.#similar.set(key, similar);
    if (similar.messages.size < maxSimilar) return { event, key: `${key}\0${message}` };
    const [oldest] = similar.messages;
    similar.messages.delete(oldest!);
    return { event: { ...event, message: `(combined from similar events): ${message}` }, key };
  }

  #count(event: Event, key: string): Correlated {
    const before = this.#recorded.get(key);
    if (before === undefined) {
      this.#recorded.set(key, { name: event.metadata.name!, firstTimestamp: event.firstTimestamp, count: 1 });
      return { event, isRepeated: false };
    }
    before.count++;
    this.#recorded.set(key, before);
    const { name, firstTimestamp, count } = before;
    const times = firstTimestamp === undefined ? {} : { firstTimestamp };
    return { event: { ...event, ...times, metadata: { ...event.metadata, name }, count }, isRepeated: true };
  }

  #isAllowed(event: Event): boolean {
    const { burst, perSecond } = this.#limits;
    const key = originOf(event);
    let bucket = this.#buckets.get(key);
    if (bucket === undefined) bucket = new TokenBucket({ burst, perSecond }, this.#clock);
    this.#buckets.set(key, bucket);
    return bucket.take();
  }
}

function originOf({ source, involvedObject: of }: Event): string {
  return [source.component, source.host, of.kind, of.namespace, of.name, of.uid, of.apiVersion].join('\0');
}

const similarityOf = (event: Event): string =>
  [originOf(event), event.involvedObject.fieldPath, event.type, event.reason].join('\0');
