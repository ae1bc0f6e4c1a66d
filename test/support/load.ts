/** Writers that go on whatever happens to the server, and remember what they were told was written. */
import type { ApiClient } from './api-client.ts';

export interface Write {
  readonly name: string;
  /** The content; undefined once it was deleted. */
  readonly value: string | undefined;
  readonly version: number;
}

const configMaps = '/api/v1/namespaces/default/configmaps';

export class Load {
  /** The last acknowledged write of each object. Each object has one writer, so there is no other write in between. */
  readonly acknowledged = new Map<string, Write>();
  /** Objects whose last write got no answer: they may have it or not. */
  readonly unknown = new Set<string>();
  /** Answers that were neither success nor one that a client may repeat. */
  readonly odd: string[] = [];
  /** How often a status came. 0: no answer at all. */
  readonly statuses = new Map<number, number>();
  /** The longest that a request took, in milliseconds. */
  longestMs = 0;
  #count = 0;
  #stopped = false;
  #heard: () => void = () => {};
  readonly #writers: Promise<void>[];
  readonly #client: () => ApiClient;

  constructor(client: () => ApiClient, writers: number, prefix: string) {
    this.#client = client;
    this.#writers = Array.from({ length: writers }, (_, id) => this.#write(`${prefix}-${id}`));
  }

  get count(): number {
    return this.#count;
  }

  async until(more: number): Promise<void> {
    const goal = this.#count + more;
    while (this.#count < goal) await new Promise<void>((resolve) => (this.#heard = resolve));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#writers);
  }

  async #write(prefix: string): Promise<void> {
    const names = Array.from({ length: 7 }, (_, i) => `${prefix}-${i}`);
    for (let n = 0; !this.#stopped; n++) {
      // What became of a write without an answer is found out by the test, at the end.
      const known = names.filter((name) => !this.unknown.has(name));
      if (known.length === 0) return;
      await this.#writeOne(known[n % known.length]!, `${n}-`.padEnd(50 + ((n * 997) % 3_000), 'v'), n);
    }
  }

  async #writeOne(name: string, value: string, n: number): Promise<void> {
    const before = this.acknowledged.get(name);
    const exists = before?.value !== undefined;
    const isDeletion = exists && n % 5 === 4;
    const started = performance.now();
    const path = exists ? `${configMaps}/${name}` : configMaps;
    const object = {
      metadata: { name, ...(exists ? { resourceVersion: String(before.version) } : {}) },
      data: { value },
    };
    const sent = isDeletion
      ? this.#client().send('DELETE', path)
      : this.#client().send(exists ? 'PUT' : 'POST', path, object);
    const answer = await sent.catch(() => undefined);
    this.longestMs = Math.max(this.longestMs, performance.now() - started);
    const status = answer?.status ?? 0;
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    if (answer !== undefined && status < 300) {
      const version = Number(isDeletion ? before.version : answer.object.metadata!.resourceVersion);
      this.acknowledged.set(name, { name, value: isDeletion ? undefined : value, version });
      this.#count++;
      this.#heard();
      return;
    }
    if (status !== 429) this.unknown.add(name);
    if (status !== 0 && status !== 429 && status < 500) this.odd.push(`${name}: ${status} ${answer!.body.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** What of the acknowledged is not there: empty when nothing was lost. */
export async function lost(client: ApiClient, load: Load): Promise<string[]> {
  const { object } = await client.send('GET', configMaps);
  const held = new Map(
    (object['items'] as { metadata: { name: string; resourceVersion: string }; data?: { value?: string } }[]).map(
      (item) => [item.metadata.name, item],
    ),
  );
  const missing: string[] = [];
  for (const { name, value, version } of load.acknowledged.values()) {
    if (load.unknown.has(name)) {
      // The write without an answer may have come after; what is not allowed is to be older.
      const found = held.get(name);
      if (found !== undefined && Number(found.metadata.resourceVersion) < version)
        missing.push(`${name}: went back to ${found.metadata.resourceVersion}, had ${version}`);
      continue;
    }
    const found = held.get(name);
    if (found?.data?.value !== value)
      missing.push(
        `${name}: wrote ${String(value).slice(0, 12)} at ${version}, ` +
          `found ${String(found?.data?.value).slice(0, 12)} at ${found?.metadata.resourceVersion}`,
      );
  }
  return missing;
}
