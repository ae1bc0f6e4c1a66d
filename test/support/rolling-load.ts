/** Clients that write and watch through one address while the servers behind it are restarted. */
import { readFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { type Client, createClient } from '../../src/client/client.ts';

const writers = 4;
const watchers = 2;
/** Of one writer at least, and at most. */
const rounds = { least: 20, most: 2000 };

export interface Address {
  /** Of this machine. */
  readonly port: number;
  readonly caFile: string;
}

export class RollingLoad implements AsyncDisposable {
  readonly #address: Address;
  readonly #clients: Client[] = [];
  #isOver = false;

  constructor(address: Address) {
    this.#address = address;
  }

  /**
   * Each request of a client that retries must succeed, and each watch must be told of every change, once and in order.
   * @param restart replaces the servers one after the other
   */
  async during(restart: () => Promise<void>): Promise<void> {
    const { resourceVersion = '' } = (await (await this.#connect()).list()).metadata ?? {};
    const watching = Array.from({ length: watchers }, () => this.#watch(resourceVersion, 'last'));
    const writing = Promise.all(Array.from({ length: writers }, (_, i) => this.#write(i)));
    for (const promise of [writing, ...watching]) promise.catch(() => (this.#isOver = true));

    await restart().finally(() => (this.#isOver = true));
    const names = (await writing).flat();
    await (await this.#connect()).create({ metadata: { name: 'last' } });

    const expected = new Map(names.map((name) => [name, ['ADDED', 'MODIFIED', 'DELETED']]));
    for (const { told, versions } of await Promise.all(watching)) {
      expect(told.get('last')).toEqual(['ADDED']);
      for (const [name, types] of expected) expect([name, told.get(name)]).toEqual([name, types]);
      expect(versions).toEqual(versions.toSorted((a, b) => a - b));
      expect(new Set(versions).size).toBe(versions.length);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close()));
  }

  async #connect() {
    const { port, caFile } = this.#address;
    const ca = await readFile(caFile, 'utf8');
    const authorization = () => Promise.resolve('Bearer admintoken');
    const client = createClient({ url: `https://127.0.0.1:${port}`, ca, authorization }, { qps: 0 });
    this.#clients.push(client);
    return client.core.v1.configmaps.namespace('default');
  }

  /** Makes, changes and deletes objects until it is told to stop. @returns their names */
  async #write(writer: number): Promise<string[]> {
    const maps = await this.#connect();
    const names: string[] = [];
    for (let round = 0; round < rounds.most && (round < rounds.least || !this.#isOver); round++) {
      const name = `w${writer}-${round}`;
      await maps.create({ metadata: { name }, data: { round: `${round}` } });
      await maps.patch(name, { merge: { data: { changed: 'yes' } } });
      expect((await maps.get(name)).data).toEqual({ round: `${round}`, changed: 'yes' });
      await maps.delete(name);
      names.push(name);
    }
    return names;
  }

  /** What a watch is told of each object, until it is told of the last one. */
  async #watch(
    resourceVersion: string,
    until: string,
  ): Promise<{ readonly told: Map<string, string[]>; readonly versions: number[] }> {
    const told = new Map<string, string[]>();
    const versions: number[] = [];
    const maps = await this.#connect();
    for await (const { type, object } of maps.watch({ resourceVersion })) {
      if (type === 'BOOKMARK') continue;
      const name = object.metadata.name!;
      told.set(name, [...(told.get(name) ?? []), type]);
      versions.push(Number(object.metadata.resourceVersion));
      if (name === until) break;
    }
    return { told, versions };
  }
}
