/**
 * What a candidate of a coordinated election says of itself: a LeaseCandidate with its versions. When the API server
 * asks whether the candidate is alive (`pingTime`), it renews the object; else now and then, because candidates that do
 * not are not elected.
 * @see {@link https://kep.k8s.io/4355 | KEP-4355: coordinated leader election}
 */
import type { LeaseCandidate } from '../../api/gen/types/coordination-v1alpha2.ts';
import { type Clock, systemClock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { formatMicroTime, parseMicroTime } from '../../machinery/time.ts';
import { changesOf, Controller, type SyncResult } from '../../reconcile/controller.ts';
import { Informer } from '../../reconcile/informer.ts';
import type { Client } from '../client.ts';
import { isConflict } from '../api-error.ts';
import { deadline } from '../deadline.ts';
import { undefinedWhenGone } from '../undefined-when-gone.ts';

export interface LeaseCandidacyOptions {
  readonly client: Client;
  readonly namespace: string;
  /** Identity of the candidate: the holder that its lease names once it is elected. */
  readonly name: string;
  readonly leaseName: string;
  /** `1.32.13` */
  readonly binaryVersion: string;
  /** `1.31.0`; of several candidates the one with the oldest leads. */
  readonly emulationVersion: string;
  readonly log: Logger;
  readonly clock?: Clock;
  /** Milliseconds since 1970. */
  readonly wallTime?: () => number;
}

/** The API server forgets candidates after five minutes. */
const renewMs = 60_000;
const withdrawalMs = 2000;
const withdrawalTries = 3;

const toMs = (time: string | undefined): number => {
  if (time === undefined) return -Infinity;
  const { seconds, nanos } = parseMicroTime(time);
  return seconds * 1000 + nanos / 1_000_000;
};

/** Whether the API server waits for an answer. */
export const isAsked = ({ pingTime, renewTime }: LeaseCandidate['spec']): boolean => toMs(pingTime) > toMs(renewTime);

/** Not before the question: the clock of the API server can be ahead. */
export function renewalAt(now: number, { pingTime }: Pick<LeaseCandidate['spec'], 'pingTime'>): string {
  // Of half a microsecond that is lost the answer would be too early.
  const ms = Math.max(Math.ceil(now), Math.ceil(toMs(pingTime)));
  return formatMicroTime(Math.floor(ms / 1000), (ms % 1000) * 1_000_000);
}

export class LeaseCandidacy {
  readonly #informer: Informer<LeaseCandidate>;
  readonly #controller: Controller;
  readonly #options: LeaseCandidacyOptions;
  readonly #clock: Clock;
  #isStopped = false;

  constructor(options: LeaseCandidacyOptions) {
    const { name, log, clock = systemClock } = options;
    this.#options = options;
    this.#clock = clock;
    const source = this.#candidates().source({ fieldSelector: `metadata.name=${name}` });
    this.#informer = new Informer({ source, log, clock });
    this.#controller = new Controller({
      sync: (_, signal) => this.#sync(signal),
      onFailure: (_, error) => log.warn({ err: error, candidate: name }, 'a lease candidate was not written'),
      workers: 1,
      triggers: [changesOf(this.#informer, () => [name])],
      clock,
    });
  }

  start(): void {
    this.#informer.start();
    this.#controller.start();
    this.#controller.add(this.#options.name);
  }

  /** The candidate is not elected any more. To be called before it gives a lease up, or it would get that back. */
  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    await this.#controller.stop();
    await this.#informer.stop();
    const limited = deadline(
      this.#clock,
      withdrawalMs,
      new AbortController().signal,
      'the lease candidate was not written',
    );
    try {
      await this.#withdraw(limited.signal);
    } catch (error) {
      this.#options.log.warn({ err: error, candidate: this.#options.name }, 'a lease candidate was not withdrawn');
    } finally {
      limited.end();
    }
  }

  /** A candidate that never renewed is not elected. Candidates need not have the right to delete. */
  async #withdraw(signal: AbortSignal): Promise<void> {
    const candidates = this.#candidates();
    for (let tries = 0; ; tries++) {
      const found = await candidates.get(this.#options.name, { signal }).catch(undefinedWhenGone);
      if (found === undefined) return;
      const { renewTime: _, ...spec } = found.spec;
      try {
        await candidates.update({ ...found, spec }, { signal });
        return;
      } catch (error) {
        // It was asked meanwhile.
        if (!isConflict(error) || tries >= withdrawalTries) throw error;
      }
    }
  }

  #candidates() {
    const { client, namespace } = this.#options;
    return client.coordination.v1alpha2.leasecandidates.namespace(namespace);
  }

  async #sync(signal: AbortSignal): Promise<SyncResult> {
    const { namespace, name, wallTime = Date.now } = this.#options;
    const candidates = this.#candidates();
    const found = this.#informer.lister.get(namespace, name);
    const now = wallTime();
    if (found === undefined) {
      await candidates.create({ metadata: { name, namespace }, spec: this.#spec(renewalAt(now, {})) }, { signal });
      return { requeueAfterMs: renewMs };
    }
    const dueMs = toMs(found.spec.renewTime) + renewMs - now;
    if (dueMs > 0 && dueMs <= renewMs && !isAsked(found.spec)) return { requeueAfterMs: dueMs };
    const spec = { ...found.spec, ...this.#spec(renewalAt(now, found.spec)) };
    await candidates.update({ ...found, spec }, { signal });
    return { requeueAfterMs: renewMs };
  }

  #spec(renewTime: string): LeaseCandidate['spec'] {
    const { leaseName, binaryVersion, emulationVersion } = this.#options;
    return { leaseName, binaryVersion, emulationVersion, strategy: 'OldestEmulationVersion', renewTime };
  }
}
