/**
 * Elects the holders of leases among their candidates. Whether the time of a lease is over is counted by the clock of
 * this server from when it saw the lease change, as candidates do: times in a lease are of other machines.
 */
import type { Lease } from '../../api/gen/types/coordination-v1.ts';
import type { LeaseCandidate } from '../../api/gen/types/coordination-v1alpha2.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { isStatusError } from '../../machinery/status.ts';
import { formatMicroTime } from '../../machinery/time.ts';
import { Controller, type SyncResult, type Trigger } from '../../reconcile/controller.ts';
import type { LoopbackClient, ObjectName } from '../loopback/loopback-client.ts';
import { isCandidateExpired, nextStep, type Step } from './election.ts';

const leases = { group: 'coordination.k8s.io', resource: 'leases' };
const candidates = { group: 'coordination.k8s.io', resource: 'leasecandidates' };

/** Of the lease that a candidate gets; from its first renewal on it is what the candidate says. */
const firstLeaseSeconds = 5;
const retryMs = 5000;
export const candidateCollectionMs = 1_800_000;

export interface CoordinatedElectionOptions {
  readonly writer: LoopbackClient;
  /** Wake the keys of leases, `kube-system/kube-scheduler`, that change themselves or whose candidates do. */
  readonly triggers: readonly Trigger[];
  readonly log: Logger;
  readonly now: () => Date;
  readonly clock?: Clock;
}

const keyParts = (key: string): ObjectName => {
  const slash = key.indexOf('/');
  return { ...leases, namespace: key.slice(0, slash), name: key.slice(slash + 1) };
};

/** The lease was written since it was judged. */
class ChangedError extends Error {
  override readonly name = 'ChangedError';
}

export class CoordinatedElection {
  readonly #options: CoordinatedElectionOptions;
  readonly #controller: Controller;
  readonly #clock: Clock;
  /** By key: the version that was seen last, and when it was seen first. */
  readonly #seen = new Map<string, { readonly version: string; readonly at: number }>();

  constructor(options: CoordinatedElectionOptions) {
    const { triggers, log, clock = systemClock } = options;
    this.#options = options;
    this.#clock = clock;
    this.#controller = new Controller({
      sync: (key) => this.sync(key),
      onFailure: (key, error) => log.warn({ err: error, lease: key }, 'an election failed'),
      workers: 1,
      triggers,
      clock,
    });
  }

  /** Until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const stopped = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    this.#controller.start();
    await stopped;
    await this.#controller.stop();
  }

  async sync(key: string): Promise<SyncResult> {
    const { writer, now, log } = this.#options;
    const target = keyParts(key);
    const lease = await writer.find<Lease>(target);
    const all = (await writer.list<LeaseCandidate>(candidates, 'mostRecent')).filter(
      ({ metadata, spec }) => metadata.namespace === target.namespace && spec.leaseName === target.name,
    );
    if (all.length === 0) {
      this.#seen.delete(key);
      return undefined;
    }
    const leftMs = this.#leftMs(key, lease);
    const step = nextStep(lease, all, { nowMs: now().getTime(), isEnded: leftMs <= 0 });
    try {
      return (await this.#take(step, target, lease)) ?? (leftMs > 0 ? { requeueAfterMs: leftMs } : undefined);
    } catch (error) {
      if (error instanceof ChangedError || (isStatusError(error) && error.reason === 'NotFound')) return 'retry';
      throw error;
    } finally {
      if (step.kind === 'fail') log.warn({ lease: key }, `no leader was elected: ${step.message}`);
    }
  }

  /** How long the lease lasts if it is not renewed. */
  #leftMs(key: string, lease: Lease | undefined): number {
    const { holderIdentity = '', leaseDurationSeconds, renewTime } = lease?.spec ?? {};
    const version = lease?.metadata.resourceVersion ?? '';
    const now = this.#clock.now();
    if (this.#seen.get(key)?.version !== version) this.#seen.set(key, { version, at: now });
    if (holderIdentity === '' || leaseDurationSeconds === undefined || renewTime === undefined) return 0;
    return this.#seen.get(key)!.at + leaseDurationSeconds * 1000 - now;
  }

  async #take(step: Step, target: ObjectName, lease: Lease | undefined): Promise<SyncResult> {
    switch (step.kind) {
      case 'nothing':
        return undefined;
      case 'wait':
        return { requeueAfterMs: step.ms };
      case 'fail':
        return { requeueAfterMs: retryMs };
      case 'ask':
        await Promise.all(step.candidates.map((candidate) => this.#ask(candidate)));
        return { requeueAfterMs: retryMs };
      case 'elect':
        await this.#elect(target, lease, step.winner);
        return { requeueAfterMs: firstLeaseSeconds * 1000 };
      case 'prefer':
        await this.#change(target, lease!, (spec) => {
          spec.preferredHolder = step.winner;
          spec.strategy = 'OldestEmulationVersion';
        });
        return { requeueAfterMs: retryMs };
    }
  }

  async #ask({ metadata }: LeaseCandidate): Promise<void> {
    const target = { ...candidates, namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
    await this.#options.writer.change<LeaseCandidate>(target, ({ spec }) => {
      spec.pingTime = this.#time();
    });
  }

  async #elect(target: ObjectName, lease: Lease | undefined, winner: string): Promise<void> {
    const { writer, log } = this.#options;
    log.info({ lease: `${target.namespace}/${target.name}`, winner }, 'a leader was elected');
    const elected: Lease['spec'] = {
      holderIdentity: winner,
      leaseDurationSeconds: firstLeaseSeconds,
      renewTime: this.#time(),
      strategy: 'OldestEmulationVersion',
    };
    if (lease !== undefined)
      return this.#change(target, lease, (spec) => {
        Object.assign(spec, elected, { acquireTime: undefined, preferredHolder: undefined });
      });
    if (!(await writer.createNew(target, { metadata: {}, spec: elected } as Lease))) throw new ChangedError();
  }

  async #change(target: ObjectName, judged: Lease, change: (spec: Lease['spec']) => void): Promise<void> {
    await this.#options.writer.change<Lease>(target, ({ metadata, spec }) => {
      if (metadata.resourceVersion !== judged.metadata.resourceVersion) throw new ChangedError();
      change(spec);
    });
  }

  #time(): string {
    const ms = this.#options.now().getTime();
    return formatMicroTime(Math.floor(ms / 1000), (ms % 1000) * 1_000_000);
  }
}

/** Deletes candidates that have ended. */
export async function collectCandidates({
  writer,
  now,
}: Pick<CoordinatedElectionOptions, 'writer' | 'now'>): Promise<void> {
  for (const found of await writer.list<LeaseCandidate>(candidates, 'any')) {
    const target = { ...candidates, namespace: found.metadata.namespace ?? '', name: found.metadata.name ?? '' };
    const candidate = await writer.find<LeaseCandidate>(target);
    if (candidate !== undefined && isCandidateExpired(candidate, now().getTime()))
      await writer.remove(target, candidate.metadata.uid);
  }
}
