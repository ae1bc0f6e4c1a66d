/**
 * The keys of an external signer: read at the start, again when it says so, and when a token names one that is not
 * there. While the signer is away those that were read last stay good.
 */
import { timeLimit } from '../../../../base/time-limit.ts';
import { createPublicKey } from 'node:crypto';
import { type Clock, sleep } from '../../../../base/clock.ts';
import type { Logger } from '../../../../base/logger.ts';
import { goQuote } from '../../../../machinery/go-quote.ts';
import { algorithmOf, type KeySource, type VerificationKey } from '../../../../auth/service-accounts/keys.ts';
import type { FetchedKey, FetchedKeys } from './messages.ts';
import { codeOf, type SignerClient, type SignerMetrics } from './signer-client.ts';

export interface ExternalKey extends VerificationKey {
  /** Good for tokens of before only. */
  readonly isExcluded: boolean;
}

export interface ExternalKeysOptions {
  readonly client: Pick<SignerClient, 'fetchKeys'>;
  readonly metrics: Pick<SignerMetrics, 'fetches' | 'keysFetched' | 'dataTimestamp'>;
  readonly clock: Clock;
  readonly log: Logger;
}

const maxKeyIdLength = 1024;
const timeoutMs = 60_000;
/** After an attempt that failed. */
const retryMs = 10_000;
/**
 * @NOTE differs from upstream: any client can name an unknown key, so the signer is asked for that at most so
 *   often.
 */
const cooldownMs = 1000;

export class ExternalKeys implements KeySource {
  readonly #options: ExternalKeysOptions;
  readonly #stop = new AbortController();
  #keys: readonly ExternalKey[] = [];
  #refreshAt = 0;
  #askedAt = -Infinity;
  #fetching: Promise<void> | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(options: ExternalKeysOptions) {
    this.#options = options;
  }

  /** Reads the keys for the first time, and from then on when they are due. */
  async start(signal: AbortSignal): Promise<void> {
    await this.#fetch(AbortSignal.any([signal, timeLimit(timeoutMs)]));
    this.#running = this.#keepUp();
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  get published(): readonly VerificationKey[] {
    return this.#keys.filter(({ isExcluded }) => !isExcluded);
  }

  get maxAgeSeconds(): number {
    return Math.max(0, Math.floor((this.#refreshAt - this.#options.clock.now()) / 1000));
  }

  async find(keyId: string | undefined): Promise<readonly ExternalKey[]> {
    if (keyId === undefined || keyId === '') return this.#keys;
    const known = this.#named(keyId);
    if (known.length > 0) return known;
    await this.#refresh();
    return this.#named(keyId);
  }

  #named(keyId: string): readonly ExternalKey[] {
    return this.#keys.filter(({ id }) => id === keyId);
  }

  /** One answer for all callers that miss a key. */
  async #refresh(): Promise<void> {
    const { clock, log } = this.#options;
    if (this.#fetching === undefined) {
      if (clock.now() - this.#askedAt < cooldownMs) return;
      this.#askedAt = clock.now();
    }
    await this.#fetch(AbortSignal.any([this.#stop.signal, timeLimit(timeoutMs)])).catch((error: unknown) =>
      log.warn({ err: error }, 'the keys of the external signer could not be read'),
    );
  }

  async #keepUp(): Promise<void> {
    const { clock, log } = this.#options;
    let waitMs = this.#refreshAt - clock.now();
    while (!this.#stop.signal.aborted) {
      await sleep(clock, Math.min(waitMs, maxTimerMs), this.#stop.signal);
      if (this.#stop.signal.aborted) return;
      // A caller may have missed a key, and all keys were read.
      if (this.#refreshAt > clock.now()) {
        waitMs = this.#refreshAt - clock.now();
        continue;
      }
      try {
        await this.#fetch(AbortSignal.any([this.#stop.signal, timeLimit(timeoutMs)]));
        waitMs = this.#refreshAt - clock.now();
      } catch (error) {
        if (!this.#stop.signal.aborted)
          log.warn(
            { err: error },
            'the keys of the external signer could not be read again; those from before stay good',
          );
        waitMs = retryMs;
      }
    }
  }

  #fetch(signal: AbortSignal): Promise<void> {
    this.#fetching ??= this.#fetchNow(signal).finally(() => (this.#fetching = undefined));
    return this.#fetching;
  }

  async #fetchNow(signal: AbortSignal): Promise<void> {
    const { client, metrics, clock } = this.#options;
    let fetched: FetchedKeys & { readonly checked: readonly ExternalKey[] };
    try {
      const answer = await client.fetchKeys(signal).catch((error: unknown) => {
        throw new Error(`while getting externally supported jwt signing keys: ${(error as Error).message}`, {
          cause: error,
        });
      });
      fetched = { ...answer, checked: checkKeys(answer) };
    } catch (error) {
      metrics.fetches.inc({ code: codeOf(error) });
      throw new Error(`while fetching token verification keys: ${(error as Error).message}`, { cause: error });
    }
    metrics.fetches.inc({ code: 'OK' });
    metrics.keysFetched.setToCurrentTime();
    metrics.dataTimestamp.set(fetched.dataTimestamp!);
    this.#keys = fetched.checked;
    this.#refreshAt = clock.now() + Number(fetched.refreshHintSeconds) * 1000;
  }
}

/** What a timer can wait at most. */
const maxTimerMs = 2 ** 31 - 1;

/** What the reference refuses of an answer, in its words. */
function checkKeys({ keys, dataTimestamp, refreshHintSeconds }: FetchedKeys): ExternalKey[] {
  if (refreshHintSeconds <= 0n) throw new Error(`found invalid refresh hint (${refreshHintSeconds}s)`);
  if (keys.length === 0) throw new Error('found no keys');
  if (dataTimestamp === undefined) throw new Error('invalid data timestamp: invalid nil Timestamp');
  return keys.map(checkKey);
}

function checkKey({ keyId, key: der, excludeFromOidcDiscovery }: FetchedKey): ExternalKey {
  const length = Buffer.byteLength(keyId);
  if (length === 0 || length > maxKeyIdLength) throw new Error(`found invalid public key id ${goQuote(keyId)}`);
  if (der.length === 0) throw new Error('found empty public key');
  try {
    const key = createPublicKey({ key: der, type: 'spki', format: 'der' });
    return { id: keyId, algorithm: algorithmOf(key), key, isExcluded: excludeFromOidcDiscovery };
  } catch (error) {
    throw new Error(`while parsing external public keys: ${(error as Error).message}`, { cause: error });
  }
}
