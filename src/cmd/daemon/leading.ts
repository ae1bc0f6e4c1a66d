/** Leader election of a daemon: its lock, its metric and its health check around the elector of the client. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Counter, Gauge } from 'prom-client';
import { type Clock, sleep, systemClock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { Client } from '../../client/client.ts';
import { createEventRecorder, type EventRecorder } from '../../client/events/recorder.ts';
import { createLock, type LockKind } from '../../client/leader-election/create-lock.ts';
import { createElector, type ElectionEnd } from '../../client/leader-election/elector.ts';
import type { Leadership } from '../../client/leader-election/leadership.ts';
import { LeaseCandidacy } from '../../client/leader-election/lease-candidacy.ts';
import type { HealthCheck } from '../../server/health.ts';
import type { MetricRegistry } from '../../server/metrics/metric-registry.ts';
import type { LeaderElectionOptions } from '../flags/shared/leader-election.ts';

export interface LeaderElectionParts {
  readonly options: LeaderElectionOptions;
  /** Must not be held up by the limits of those that work. */
  readonly client: Client;
  /** Who reports its events: `kube-controller-manager`. */
  readonly component: string;
  readonly log: Logger;
  readonly registry: MetricRegistry;
  readonly clock?: Clock;
}

/** What a candidate of a coordinated election is: `1.32.13` and `1.31.0`. */
export interface CandidateVersions {
  readonly binaryVersion: string;
  readonly emulationVersion: string;
}

export interface LockName {
  readonly namespace: string;
  readonly name: string;
  readonly kind: LockKind;
  /** The API server elects (feature gate CoordinatedLeaderElection); undefined: the candidates among themselves. */
  readonly candidate?: CandidateVersions | undefined;
}

/** How long after the end of its lease a leader that still believes to be one counts as healthy. As upstream. */
const graceMs = 20_000;
const flushMs = 1000;

/** Whether a leader should have noticed long ago that it leads no more. */
export const isOverdue = (
  { deadline }: Pick<Leadership, 'deadline'>,
  { leaseDurationMs, renewDeadlineMs }: Pick<LeaderElectionOptions, 'leaseDurationMs' | 'renewDeadlineMs'>,
  now: number,
): boolean => now > deadline - renewDeadlineMs + leaseDurationMs + graceMs;

export class LeaderElections {
  readonly #parts: LeaderElectionParts;
  readonly #clock: Clock;
  readonly #status: Gauge<'name'>;
  readonly #slowRenewals: Counter<'name'>;
  /** Those that this process has now. */
  readonly #leaderships = new Map<string, Leadership>();
  readonly #events: EventRecorder;
  readonly identity = `${hostname()}_${randomUUID()}`;

  constructor(parts: LeaderElectionParts) {
    this.#parts = parts;
    this.#clock = parts.clock ?? systemClock;
    const { client, component, log } = parts;
    this.#events = createEventRecorder({ client, component, log, clock: this.#clock });
    this.#status = new Gauge({
      name: 'leader_election_master_status',
      help: 'Whether this process leads, by the name of the lock.',
      labelNames: ['name'],
      registers: [parts.registry],
    });
    this.#slowRenewals = new Counter({
      name: 'leader_election_slowpath_total',
      help: 'Renewals that had to read the lock again, by its name.',
      labelNames: ['name'],
      registers: [parts.registry],
    });
  }

  /** Fails when the lease of this process was not renewed in time, and it has not noticed. */
  get healthCheck(): HealthCheck {
    return {
      name: 'leaderElection',
      check: () => {
        for (const [lock, leadership] of this.#leaderships)
          if (isOverdue(leadership, this.#parts.options, this.#clock.now()))
            throw new Error(`failed election to renew leadership on lease ${lock}`);
      },
    };
  }

  /** Waits for the lead, and leads once. See {@link createElector}. */
  async run(
    lock: LockName,
    signal: AbortSignal,
    lead: (leadership: Leadership) => Promise<void>,
  ): Promise<ElectionEnd> {
    const { options, client, log } = this.#parts;
    this.#status.set({ name: lock.name }, 0);
    const candidacy = this.#candidacyFor(lock);
    candidacy?.start();
    let hasLed = false;
    const elector = createElector({
      lock: createLock(lock.kind, { client, namespace: lock.namespace, name: lock.name }),
      identity: this.identity,
      isCoordinated: candidacy !== undefined,
      leaseDurationMs: options.leaseDurationMs,
      renewDeadlineMs: options.renewDeadlineMs,
      retryPeriodMs: options.retryPeriodMs,
      onNewLeader: (identity) => {
        if (identity !== '') log.info({ lock: `${lock.namespace}/${lock.name}`, identity }, 'new leader');
      },
      onSlowRenewal: () => this.#slowRenewals.inc({ name: lock.name }),
      log,
      clock: this.#clock,
      lead: async (leadership) => {
        this.#leaderships.set(lock.name, leadership);
        this.#status.set({ name: lock.name }, 1);
        leadership.signal.addEventListener(
          'abort',
          () => {
            this.#leaderships.delete(lock.name);
            this.#status.set({ name: lock.name }, 0);
          },
          { once: true },
        );
        hasLed = true;
        this.#tell(lock, 'became leader');
        await lead(leadership);
        await candidacy?.stop();
      },
    });
    const end = await elector.run(signal).finally(() => candidacy?.stop());
    if (hasLed) this.#tell(lock, 'stopped leading');
    return end;
  }

  #candidacyFor({ namespace, name, kind, candidate }: LockName): LeaseCandidacy | undefined {
    if (candidate === undefined || kind !== 'leases') return undefined;
    const { client, log } = this.#parts;
    const of = { namespace, name: this.identity, leaseName: name };
    return new LeaseCandidacy({ client, ...of, ...candidate, log, clock: this.#clock });
  }

  /** Events that are not written yet are dropped, after a moment. */
  async stop(): Promise<void> {
    await Promise.race([this.#events.flush(), sleep(this.#clock, flushMs)]);
    await this.#events.stop();
  }

  #tell({ namespace, name }: LockName, what: string): void {
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', namespace, name };
    this.#events.event(lease, 'Normal', 'LeaderElection', `${this.identity} ${what}`);
  }
}
