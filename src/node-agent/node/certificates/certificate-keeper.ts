/**
 * Keeps one certificate of the agent: the one of its folder, renewed before it expires, or at once when its names have
 * changed or there is none yet. What fails is tried again after 2 s, twice as long after each failure, at most 32 s.
 */
import { createKey } from '../../../pki/certificate.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/logger.ts';
import type { Client } from '../../../client/client.ts';
import type { KeyPair } from '../../../pki/pki.ts';
import type { ServingNames } from '../../../pki/serving-names.ts';
import { pause } from '../../../reconcile/pause.ts';
import { RetryDelay } from '../../../reconcile/retry-delay.ts';
import { type CertificateFiles, lifeOf } from './certificate-files.ts';
import { hasNames } from './certificate-names.ts';
import { renewalOf } from './rotation-time.ts';
import { type CertificateUse, obtainCertificate } from './signing-request.ts';

export interface CertificateKeeperOptions {
  readonly files: CertificateFiles;
  readonly nodeName: string;
  readonly use: CertificateUse;
  readonly client: Client;
  /** Those of a serving certificate; undefined while the node has none, and nothing is asked for. */
  readonly names?: () => ServingNames | undefined;
  /** What counts where the folder has none: of the kubeconfig. */
  readonly first?: KeyPair | undefined;
  /** A certificate is there, or another one. */
  readonly onRenewed?: (pair: KeyPair) => void;
  /** How long the agent goes on after its certificate has expired. Absent: without end. */
  readonly lostAfterMs?: number;
  /** A request failed. */
  readonly onFailure?: () => void;
  readonly log: Logger;
  readonly clock: Clock;
  readonly wallTime: () => number;
  readonly random: () => number;
}

const retry = { firstMs: 2000, maxMs: 32_000, jitter: 0.1 };
/** How often is looked whether it is time, or names have changed. */
const lookEveryMs = 10_000;
/** How long a request may wait for its approval, before another one is made. */
const answerTimeoutMs = 15 * 60_000;

/** There is no valid certificate any more, and the server that answers does not give another one. */
export class CertificateLost extends Error {}

export class CertificateKeeper {
  readonly #options: CertificateKeeperOptions;
  #pair: KeyPair | undefined;
  #renewAt = -Infinity;
  #validAt: number;

  constructor(options: CertificateKeeperOptions) {
    this.#options = options;
    this.#validAt = options.clock.now();
  }

  get pair(): KeyPair | undefined {
    return this.#pair;
  }

  /** When it ends to count, in milliseconds since 1970; undefined without one. */
  get expiresAt(): number | undefined {
    return this.#pair === undefined ? undefined : lifeOf(this.#pair.certificate).until;
  }

  /** Reads what the folder has. */
  async load(): Promise<void> {
    const { files, first } = this.#options;
    const pair = (await files.current()) ?? first;
    if (pair !== undefined) this.#take(pair);
  }

  /** Until the signal aborts. Call `load` before. Rejects with {@link CertificateLost}. */
  async run(signal: AbortSignal): Promise<void> {
    const { log, clock, random, use, onFailure } = this.#options;
    const delay = new RetryDelay(retry, random);
    while (!signal.aborted)
      try {
        if (this.#isDue()) await this.#renew(signal);
        delay.reset();
        await pause(clock, lookEveryMs, signal);
      } catch (error) {
        if (signal.aborted) return;
        log.warn({ err: error, use }, 'the certificate could not be renewed');
        onFailure?.();
        await this.#checkLost(signal);
        await pause(clock, delay.next(), signal);
      }
  }

  /** A supervisor starts the agent anew, which then asks with the credentials of its bootstrap. */
  async #checkLost(signal: AbortSignal): Promise<void> {
    const { clock, wallTime, client, lostAfterMs = Infinity } = this.#options;
    if ((this.expiresAt ?? 0) > wallTime()) this.#validAt = clock.now();
    if (clock.now() - this.#validAt < lostAfterMs || !(await answers(client, signal))) return;
    throw new CertificateLost(`there is no valid client certificate since ${lostAfterMs / 1000} s`);
  }

  #isDue(): boolean {
    const { names, wallTime } = this.#options;
    const wanted = names?.();
    if (names !== undefined && wanted === undefined) return false;
    if (this.#pair === undefined || wallTime() >= this.#renewAt) return true;
    return wanted !== undefined && !hasNames(this.#pair.certificate, wanted);
  }

  async #renew(signal: AbortSignal): Promise<void> {
    const { client, files, nodeName, use, names, wallTime, log } = this.#options;
    const wanted = names?.();
    const key = createKey().export({ type: 'pkcs8', format: 'pem' }) as string;
    const limit = AbortSignal.any([signal, AbortSignal.timeout(answerTimeoutMs)]);
    const pair = await obtainCertificate(
      client,
      { nodeName, use, key, ...(wanted === undefined ? {} : { names: wanted }) },
      limit,
    );
    await files.save(pair, new Date(wallTime()));
    this.#take(pair);
    log.info({ use, until: new Date(this.expiresAt!).toISOString() }, 'a new certificate');
  }

  #take(pair: KeyPair): void {
    const { random, onRenewed } = this.#options;
    this.#pair = pair;
    this.#renewAt = renewalOf(lifeOf(pair.certificate), random());
    onRenewed?.(pair);
  }
}

/** Whether there is a server, whatever it says. */
async function answers(client: Client, signal: AbortSignal): Promise<boolean> {
  try {
    const answer = await client.request({ method: 'GET', path: '/healthz', signal, timeoutMs: 5000 });
    for await (const _ of answer.body);
    answer.end();
    return true;
  } catch {
    return false;
  }
}
