import type { EtcdClient } from '../../etcd/client.ts';
import { abortedBy } from '../../etcd/etcd-error.ts';
import type { KeyValue, RangeResponse } from '../../etcd/messages.ts';

/** More wait for the next transaction: etcd allows 128 operations, and values can be large. */
const maxBatch = 32;
/** Transactions under way. Reads that come meanwhile gather for the next one. */
const maxUnderWay = 2;
/** Any key does to learn the revision; this one is never there. */
const probeKey = '\u0000probe';

interface Answer {
  readonly revision: number;
  readonly kv: KeyValue | undefined;
}

interface Waiting {
  /** Undefined when only the revision is asked for. */
  readonly key: string | undefined;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/**
 * Linearizable reads of single keys, several in one read-only transaction when many are asked for at once, and probes
 * of the revision, which ride along for nothing.
 *
 * A read goes out with a transaction that is sent after the read was asked for, never with one that was under way
 * already: what it sees is not older than any write acknowledged before.
 */
export class ReadBatcher {
  readonly #client: Pick<EtcdClient, 'range' | 'txn'>;
  #waiting: Waiting[] = [];
  #underWay = 0;
  #scheduled = false;

  constructor(client: Pick<EtcdClient, 'range' | 'txn'>) {
    this.#client = client;
  }

  read(key: string | undefined, signal?: AbortSignal): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (signal === undefined) return this.#add({ key, resolve, reject });
      const onAbort = (): void => reject(abortedBy(signal));
      if (signal.aborted) return onAbort();
      signal.addEventListener('abort', onAbort, { once: true });
      const settled = (): void => signal.removeEventListener('abort', onAbort);
      this.#add({
        key,
        resolve: (answer) => (settled(), resolve(answer)),
        reject: (error) => (settled(), reject(error as Error)),
      });
    });
  }

  #add(read: Waiting): void {
    this.#waiting.push(read);
    if (this.#scheduled || this.#underWay >= maxUnderWay) return;
    this.#scheduled = true;
    queueMicrotask(() => {
      this.#scheduled = false;
      this.#sendNext();
    });
  }

  #sendNext(): void {
    while (this.#waiting.length > 0 && this.#underWay < maxUnderWay) {
      const batch = this.#waiting.length <= maxBatch ? this.#waiting : this.#waiting.slice(0, maxBatch);
      this.#waiting = this.#waiting.length <= maxBatch ? [] : this.#waiting.slice(maxBatch);
      this.#underWay++;
      this.#send(batch).then(
        () => this.#sent(),
        (error: unknown) => {
          for (const read of batch) read.reject(error);
          this.#sent();
        },
      );
    }
  }

  #sent(): void {
    this.#underWay--;
    this.#sendNext();
  }

  async #send(batch: readonly Waiting[]): Promise<void> {
    const gets = batch.filter((read) => read.key !== undefined);
    if (gets.length <= 1) {
      const key = gets[0]?.key;
      const response = await this.#client.range(key === undefined ? { key: probeKey, countOnly: true } : { key });
      for (const read of batch)
        read.resolve(
          read.key === undefined
            ? { revision: response.revision, kv: undefined }
            : answerOf(response, response.revision),
        );
      return;
    }
    const { revision, responses } = await this.#client.txn(
      { compare: [], success: gets.map((read) => ({ range: { key: read.key! } })), failure: [] },
      { idempotent: true },
    );
    let next = 0;
    for (const read of batch)
      read.resolve(read.key === undefined ? { revision, kv: undefined } : answerOf(responses[next++], revision));
  }
}

const answerOf = (response: RangeResponse | undefined, revision: number): Answer => ({
  revision,
  kv: response?.kvs[0],
});
