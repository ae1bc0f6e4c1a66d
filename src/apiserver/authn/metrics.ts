import type { MetricRegistry } from '../metric-registry.ts';
import { type CounterSeries, SeriesCounter } from '../series-counter.ts';
import { type GaugeSeries, SeriesGauge } from '../series-gauge.ts';
import { type HistogramSeries, SeriesHistogram } from '../series-histogram.ts';

/** `failure`: nobody knew the credential; `error`: something is wrong with it, or with those who were asked. */
export type AuthenticationResult = 'success' | 'failure' | 'error';

/** What a cache of tokens tells of itself. */
export interface TokenCacheObserver {
  /** @param seconds from the question to the answer */
  asked(status: 'hit' | 'miss', seconds: number): void;
  /** Somebody else is asked from now on. @returns what to call with how it went */
  fetching(): (status: 'ok' | 'error') => void;
  /** A question waits for the answer to the same one of another request. @returns what to call when it is there */
  waiting(): () => void;
}

const hour = 3600;
const day = 24 * hour;

/** What authentication counts, under the reference's names. */
export class AuthenticationMetrics implements TokenCacheObserver {
  readonly #users: SeriesCounter;
  readonly #attempts: Readonly<Record<AuthenticationResult, () => { total: CounterSeries; duration: HistogramSeries }>>;
  readonly #expiration: HistogramSeries;
  readonly #asked: Readonly<Record<'hit' | 'miss', () => { total: CounterSeries; duration: HistogramSeries }>>;
  readonly #fetched: SeriesCounter;
  readonly #inFlight: GaugeSeries;
  readonly #blocked: GaugeSeries;

  constructor(registry: MetricRegistry) {
    this.#users = new SeriesCounter({ name: 'authenticated_user_requests', help: 'Requests of authenticated users; few have a name of their own here.', registry });
    const attempts = new SeriesCounter({ name: 'authentication_attempts', help: 'Requests whose caller was looked for, by result.', registry });
    const durations = new SeriesHistogram({ name: 'authentication_duration_seconds', help: 'Time until the caller of a request was known, in seconds.', buckets: Array.from({ length: 15 }, (_, i) => 0.001 * 2 ** i), registry });
    const attempt = (result: AuthenticationResult) => once(() => ({ total: attempts.series({ result }), duration: durations.series({ result }) }));
    this.#attempts = { success: attempt('success'), failure: attempt('failure'), error: attempt('error') };
    this.#expiration = new SeriesHistogram({
      name: 'apiserver_client_certificate_expiration_seconds', help: 'Time that is left to the client certificate of a request, in seconds.', registry,
      buckets: [0, hour / 2, hour, 2 * hour, 6 * hour, 12 * hour, day, 2 * day, 4 * day, 7 * day, 30 * day, 90 * day, 180 * day, 360 * day],
    }).series({});
    const questions = new SeriesCounter({ name: 'authentication_token_cache_request_total', help: 'Tokens that were looked up, by whether they were remembered.', registry });
    const waits = new SeriesHistogram({ name: 'authentication_token_cache_request_duration_seconds', help: 'Time until the owner of a token was known, in seconds.', buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10], registry });
    const asked = (status: 'hit' | 'miss') => once(() => ({ total: questions.series({ status }), duration: waits.series({ status }) }));
    this.#asked = { hit: asked('hit'), miss: asked('miss') };
    this.#fetched = new SeriesCounter({ name: 'authentication_token_cache_fetch_total', help: 'Tokens whose owner was found out, by how it went.', registry });
    const active = new SeriesGauge({ name: 'authentication_token_cache_active_fetch_count', help: 'Tokens whose owner is being found out, and requests that wait for one.', registry });
    this.#inFlight = active.series({ status: 'in_flight' });
    this.#blocked = active.series({ status: 'blocked' });
  }

  /** @param user undefined unless it was a success */
  authenticated(result: AuthenticationResult, user: string | undefined, seconds: number): void {
    const { total, duration } = this.#attempts[result]();
    total.inc();
    duration.observe(seconds);
    if (user !== undefined) this.#users.series({ username: shown(user) }).inc();
  }

  /** @param seconds left; below zero for one that has ended */
  certificateLasts(seconds: number): void {
    this.#expiration.observe(seconds);
  }

  asked(status: 'hit' | 'miss', seconds: number): void {
    const { total, duration } = this.#asked[status]();
    total.inc();
    duration.observe(seconds);
  }

  fetching(): (status: 'ok' | 'error') => void {
    this.#inFlight.add(1);
    return (status) => {
      this.#inFlight.add(-1);
      this.#fetched.series({ status }).inc();
    };
  }

  waiting(): () => void {
    this.#blocked.add(1);
    return () => this.#blocked.add(-1);
  }
}

/** A series is shown from its first use on. */
function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

/** There may be as many users as callers like: those that every cluster has are told apart. */
const known: ReadonlySet<string> = new Set(['admin', 'client', 'kube_proxy', 'kubelet', 'system:serviceaccount:kube-system:default']);

const shown = (user: string): string => (known.has(user) ? user : user.includes('@') ? 'email_id' : 'other');
