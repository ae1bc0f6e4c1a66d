import { createHash } from 'node:crypto';
import { Gauge } from 'prom-client';
import type { MetricRegistry } from '../../server/metrics/metric-registry.ts';
import { type CounterSeries, SeriesCounter } from '../../server/metrics/series-counter.ts';
import { type GaugeSeries, SeriesGauge } from '../../server/metrics/series-gauge.ts';
import { type HistogramSeries, SeriesHistogram } from '../../server/metrics/series-histogram.ts';
import type { TokenCacheObserver } from '../../auth/authentication/token-cache.ts';

/** `failure`: no authenticator knew the credential; `error`: it is invalid, or an authenticator failed. */
export type AuthenticationResult = 'success' | 'failure' | 'error';

/**
 * What is noticed about a token of a service account when it is judged, which is once while it is remembered. One from
 * a secret is `legacy`, and when nothing is wrong with it, of a secret that a controller or a user created;
 * `invalid-legacy-auto` is one that was marked since. Bound tokens that were extended are `valid` until clients should
 * have read them anew, and `stale` from then on.
 */
export type AccountTokenUse = 'legacy' | 'legacy-auto' | 'legacy-manual' | 'invalid-legacy-auto' | 'valid' | 'stale';

const accountTokenMetrics: Readonly<Record<AccountTokenUse, { readonly name: string; readonly help: string }>> = {
  legacy: {
    name: 'serviceaccount_legacy_tokens_total',
    help: 'Tokens of service accounts from secrets that were used.',
  },
  'legacy-auto': {
    name: 'serviceaccount_legacy_auto_token_uses_total',
    help: 'Uses of tokens from secrets that were made for their service accounts.',
  },
  'legacy-manual': {
    name: 'serviceaccount_legacy_manual_token_uses_total',
    help: 'Uses of tokens from secrets that a user created.',
  },
  'invalid-legacy-auto': {
    name: 'serviceaccount_invalid_legacy_auto_token_uses_total',
    help: 'Uses of tokens from secrets that had been marked invalid.',
  },
  valid: {
    name: 'serviceaccount_valid_tokens_total',
    help: 'Extended tokens of service accounts that were used in time.',
  },
  stale: {
    name: 'serviceaccount_stale_tokens_total',
    help: 'Extended tokens of service accounts that were used after clients should have read them anew.',
  },
};

const hour = 3600;
const day = 24 * hour;

/** What authentication counts, under the reference's names. */
export class AuthenticationMetrics implements TokenCacheObserver {
  readonly #users: SeriesCounter;
  /** As few as there are names that {@link shown} gives. */
  readonly #userSeries = new Map<string, CounterSeries>();
  readonly #attempts: Readonly<Record<AuthenticationResult, () => { total: CounterSeries; duration: HistogramSeries }>>;
  readonly #expiration: HistogramSeries;
  readonly #asked: Readonly<Record<'hit' | 'miss', () => { total: CounterSeries; duration: HistogramSeries }>>;
  readonly #fetched: SeriesCounter;
  readonly #inFlight: GaugeSeries;
  readonly #blocked: GaugeSeries;
  readonly #jwtLatency: SeriesHistogram;
  readonly #reloads: SeriesCounter;
  readonly #reloadedAt: Gauge;
  readonly #serverHash: string;
  readonly #accountTokens: Readonly<Record<AccountTokenUse, CounterSeries>>;

  /** @param serverId tells servers of one cluster apart */
  constructor(registry: MetricRegistry, serverId: string) {
    this.#serverHash = hashOf(serverId);
    this.#jwtLatency = new SeriesHistogram({
      name: 'apiserver_authentication_jwt_authenticator_latency_seconds',
      help: 'Time until an ID token was judged, in seconds, by its issuer and the result.',
      buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registry,
    });
    this.#reloads = new SeriesCounter({
      name: 'apiserver_authentication_config_controller_automatic_reloads_total',
      help: 'Reloads of the authentication configuration.',
      registry,
    });
    this.#reloadedAt = new Gauge({
      name: 'apiserver_authentication_config_controller_automatic_reload_last_timestamp_seconds',
      help: 'When the authentication configuration was last reloaded.',
      labelNames: ['status', 'apiserver_id_hash'],
      registers: [registry],
    });
    this.#users = new SeriesCounter({
      name: 'authenticated_user_requests',
      help: 'Requests of authenticated users; few have a name of their own here.',
      registry,
    });
    const attempts = new SeriesCounter({
      name: 'authentication_attempts',
      help: 'Requests whose caller was looked for, by result.',
      registry,
    });
    const durations = new SeriesHistogram({
      name: 'authentication_duration_seconds',
      help: 'Time until the caller of a request was known, in seconds.',
      buckets: Array.from({ length: 15 }, (_, i) => 0.001 * 2 ** i),
      registry,
    });
    const attempt = (result: AuthenticationResult) =>
      once(() => ({ total: attempts.series({ result }), duration: durations.series({ result }) }));
    this.#attempts = { success: attempt('success'), failure: attempt('failure'), error: attempt('error') };
    this.#expiration = new SeriesHistogram({
      name: 'apiserver_client_certificate_expiration_seconds',
      help: 'Time that is left to the client certificate of a request, in seconds.',
      registry,
      buckets: [
        0,
        hour / 2,
        hour,
        2 * hour,
        6 * hour,
        12 * hour,
        day,
        2 * day,
        4 * day,
        7 * day,
        30 * day,
        90 * day,
        180 * day,
        360 * day,
      ],
    }).series({});
    const questions = new SeriesCounter({
      name: 'authentication_token_cache_request_total',
      help: 'Tokens that were looked up, by whether they were remembered.',
      registry,
    });
    const waits = new SeriesHistogram({
      name: 'authentication_token_cache_request_duration_seconds',
      help: 'Time until the owner of a token was known, in seconds.',
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registry,
    });
    const asked = (status: 'hit' | 'miss') =>
      once(() => ({ total: questions.series({ status }), duration: waits.series({ status }) }));
    this.#asked = { hit: asked('hit'), miss: asked('miss') };
    this.#fetched = new SeriesCounter({
      name: 'authentication_token_cache_fetch_total',
      help: 'Tokens whose owner was found out, by how it went.',
      registry,
    });
    const active = new SeriesGauge({
      name: 'authentication_token_cache_active_fetch_count',
      help: 'Tokens whose owner is being found out, and requests that wait for one.',
      registry,
    });
    this.#inFlight = active.series({ status: 'in_flight' });
    this.#blocked = active.series({ status: 'blocked' });
    const uses = Object.entries(accountTokenMetrics).map(([use, metric]) => [
      use,
      new SeriesCounter({ ...metric, registry }).series({}),
    ]);
    this.#accountTokens = Object.fromEntries(uses) as Record<AccountTokenUse, CounterSeries>;
  }

  /** @param user undefined unless it was a success */
  authenticated(result: AuthenticationResult, user: string | undefined, seconds: number): void {
    const { total, duration } = this.#attempts[result]();
    total.inc();
    duration.observe(seconds);
    if (user !== undefined) this.#usersOf(shown(user)).inc();
  }

  #usersOf(username: string): CounterSeries {
    let series = this.#userSeries.get(username);
    if (series === undefined) this.#userSeries.set(username, (series = this.#users.series({ username })));
    return series;
  }

  /** A token of the issuer was judged. */
  idTokenJudged(issuer: string, isValid: boolean, seconds: number): void {
    const result = isValid ? 'success' : 'failure';
    this.#jwtLatency.series({ result, jwt_issuer_hash: hashOf(issuer) }).observe(seconds);
  }

  configurationReloaded(isUsed: boolean): void {
    const labels = { status: isUsed ? 'success' : 'failure', apiserver_id_hash: this.#serverHash };
    this.#reloads.series(labels).inc();
    this.#reloadedAt.set(labels, Date.now() / 1000);
  }

  /** @param seconds left; below zero for one that has ended */
  certificateLasts(seconds: number): void {
    this.#expiration.observe(seconds);
  }

  accountTokenUsed(use: AccountTokenUse): void {
    this.#accountTokens[use].inc();
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

const hashOf = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`;

/** A series is shown from its first use on. */
function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

/** There may be as many users as callers like: those that every cluster has are told apart. */
const known: ReadonlySet<string> = new Set([
  'admin',
  'client',
  'kube_proxy',
  'kubelet',
  'system:serviceaccount:kube-system:default',
]);

const shown = (user: string): string => (known.has(user) ? user : user.includes('@') ? 'email_id' : 'other');
