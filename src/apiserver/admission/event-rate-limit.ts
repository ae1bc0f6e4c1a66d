/**
 * Events beyond a rate are refused with 429, so that a client in a loop does not fill the store: for the whole server,
 * per namespace, per user, or per source and object.
 * @see {@link https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#eventratelimit |
 *   EventRateLimit}
 */
import { createHash } from 'node:crypto';
import type { Event } from '../../api/gen/types/core-v1.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import { TokenBucket } from '../../base/token-bucket.ts';
import { StatusError } from '../../machinery/status.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../../registry/admission.ts';
import type { EventLimit } from './configuration/plugin-configuration.ts';

type LimitType = EventLimit['type'];
/** What an event counts under, by type of limit. */
export type EventKeys = Readonly<Record<LimitType, string>>;
/** Takes an event off all limits. @returns the last limit that refuses it */
export type TakeEvent = (keys: EventKeys) => LimitType | undefined | Promise<LimitType | undefined>;

/** @param take of the server, which the thread for large requests asks too */
export const createEventRateLimit = ({ take }: { readonly take: TakeEvent }): AdmissionPlugin => ({
  name: 'EventRateLimit',
  handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
  async validate(attributes) {
    const { kind } = attributes;
    // As upstream: events of the group events.k8s.io do not count.
    if (kind.group !== '' || kind.kind !== 'Event') return;
    const keys = keysOf(attributes);
    const type = await take(keys);
    if (type === undefined) return;
    const text = `Too many requests: limit reached on type ${type} for key ${keys[type]}`;
    throw new StatusError(429, 'TooManyRequests', text);
  },
});

function keysOf({ namespace, user, object }: AdmissionAttributes): EventKeys {
  const { source = {}, involvedObject: about = {} } = object as Partial<Event>;
  const parts = [source.component, source.host, about.kind, about.namespace, about.name, about.uid, about.apiVersion];
  return { Server: '', Namespace: namespace, User: user.name, SourceAndObject: parts.join('') };
}

export function createEventLimits(limits: readonly EventLimit[], clock: Clock = systemClock): TakeEvent {
  const counters = limits.map((limit) => ({ type: limit.type, buckets: new Buckets(limit, clock) }));
  return (keys) => {
    let refusing: LimitType | undefined;
    // Each limit counts each event, also one that another limit refuses.
    for (const { type, buckets } of counters) if (!buckets.of(keys[type]).take()) refusing = type;
    return refusing;
  };
}

/** A longer key is kept as its digest: clients choose the names that keys are made of. */
const maxKeyLength = 256;

/** A bucket per key, of which the one that was unused for longest is forgotten. */
class Buckets {
  readonly #limit: EventLimit;
  readonly #clock: Clock;
  readonly #byKey = new Map<string, TokenBucket>();

  constructor(limit: EventLimit, clock: Clock) {
    this.#limit = limit;
    this.#clock = clock;
  }

  of(text: string): TokenBucket {
    const key = text.length <= maxKeyLength ? text : createHash('sha256').update(text).digest('base64');
    const { qps, burst, cacheSize } = this.#limit;
    const bucket = this.#byKey.get(key) ?? new TokenBucket({ perSecond: qps, burst }, this.#clock);
    this.#byKey.delete(key);
    this.#byKey.set(key, bucket);
    if (this.#byKey.size > cacheSize) this.#byKey.delete(this.#byKey.keys().next().value!);
    return bucket;
  }
}
