/**
 * Random histories: objects come, change and go while watches end, history is forgotten and the source is away. However
 * these interleave, the informer ends with the state of the source, and each handler has seen each key's changes in
 * order.
 */
import { expect, test } from 'vitest';
import { silentLogger } from '../base/logger.ts';
import { FakeClock } from '../base/testing/fake-clock.ts';
import { internalError } from '../machinery/status.ts';
import { resourceExpired } from '../machinery/resource-expired.ts';
import { Informer } from './informer.ts';
import type { InformerHandler } from './handlers.ts';
import { namespaceIndex, namespaceIndexer } from './lister.ts';
import { type MemoryObject, MemorySource } from './testing/memory-source.ts';
import { pick, randomInt, randomSource, type RandomSource } from '../../test/support/random.ts';

/** Believes nothing: each call must follow from the ones before. */
class Witness implements InformerHandler<MemoryObject> {
  readonly known = new Map<string, MemoryObject>();
  readonly #newest = new Map<string, number>();
  missed = 0;

  onAdd(object: MemoryObject): void {
    const key = keyOf(object);
    expect(this.known.has(key), `${key} was added twice`).toBe(false);
    this.#see(key, object);
  }

  onUpdate(before: MemoryObject, after: MemoryObject): void {
    const key = keyOf(after);
    expect(this.known.get(key), `${key} changed from what was not told`).toBe(before);
    if (before !== after) this.#see(key, after);
  }

  onDelete(last: MemoryObject, final: MemoryObject | undefined): void {
    const key = keyOf(last);
    expect(this.known.get(key), `${key} went as what was not told`).toBe(last);
    this.known.delete(key);
    if (final === undefined) this.missed++;
    else this.#newest.set(key, final.version);
  }

  #see(key: string, object: MemoryObject): void {
    expect(object.version, `${key} went back in time`).toBeGreaterThan(this.#newest.get(key) ?? 0);
    this.#newest.set(key, object.version);
    this.known.set(key, object);
  }
}

const keyOf = ({ namespace, name }: MemoryObject): string => `${namespace}/${name}`;
const sorted = (objects: Iterable<MemoryObject>): MemoryObject[] =>
  [...objects].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));

class History {
  readonly clock = new FakeClock();
  readonly source = new MemorySource();
  readonly witnesses: Witness[] = [new Witness()];
  readonly informer: Informer<MemoryObject>;
  readonly #random: RandomSource;

  constructor(seed: number) {
    this.#random = randomSource(seed);
    this.source.pageSize = 1 + randomInt(this.#random, 4);
    this.source.onPage = () => this.#maybe(0.2, () => this.#write());
    this.informer = new Informer({
      source: this.source,
      log: silentLogger,
      clock: this.clock,
      random: this.#random,
      indexers: namespaceIndexer(this.source.view),
      ...(this.#random() < 0.3 ? { resyncMs: 700 } : {}),
    });
    this.informer.addHandler(this.witnesses[0]!);
  }

  async run(steps: number): Promise<void> {
    for (let i = 0; i < randomInt(this.#random, 6); i++) this.#write();
    this.informer.start();
    for (let step = 0; step < steps; step++) await this.#step();
    this.source.isAway = false;
    this.source.onPage = () => undefined;
    // What ended just now first begins to wait.
    await this.clock.advance(0);
    await this.clock.advance(120_000);
    await this.informer.stop();
  }

  async #step(): Promise<void> {
    const kind = this.#random();
    if (kind < 0.5) this.#write();
    else if (kind < 0.6) this.source.compact();
    else if (kind < 0.7)
      this.source.endWatches(
        pick(this.#random, [{}, {}, { error: resourceExpired('') }, { error: internalError('') }]),
      );
    else if (kind < 0.75) this.source.endWatches();
    else if (kind < 0.8) this.source.isAway = !this.source.isAway;
    else if (kind < 0.85) this.source.bookmark();
    else if (kind < 0.87) this.#addWitness();
    else await this.clock.advance(pick(this.#random, [0, 0, 1, 100, 2000]));
  }

  #write(): void {
    const namespace = pick(this.#random, ['x', 'y']);
    const name = pick(this.#random, ['a', 'b', 'c', 'd']);
    if (this.source.objects.has(`${namespace}/${name}`) && this.#random() < 0.4) this.source.remove(name, namespace);
    else this.source.set(name, String(randomInt(this.#random, 100)), { namespace });
  }

  #addWitness(): void {
    const witness = new Witness();
    this.witnesses.push(witness);
    this.informer.addHandler(witness);
  }

  #maybe(probability: number, act: () => void): void {
    if (this.#random() < probability) act();
  }
}

const histories = 100;

test('Random histories end with the state of the source, and handlers see the changes of a key in order', async () => {
  let [lists, resumed, missed] = [0, 0, 0];
  for (let seed = 1; seed <= histories; seed++) {
    const history = new History(seed);
    await history.run(60);
    const { source, informer, witnesses } = history;
    const expected = sorted(source.objects.values());
    expect(sorted(informer.objects.values()), `seed ${seed}`).toEqual(expected);
    for (const { known } of witnesses) expect(sorted(known.values()), `seed ${seed}`).toEqual(expected);
    for (const namespace of ['x', 'y'])
      expect(sorted(informer.objects.byIndex(namespaceIndex, namespace))).toEqual(
        expected.filter((object) => object.namespace === namespace),
      );
    lists += source.lists.length;
    resumed += source.watchedAfter.length - source.lists.length;
    missed += witnesses.reduce((sum, witness) => sum + witness.missed, 0);
  }
  // The histories are not all of one kind.
  expect(lists).toBeGreaterThan(2 * histories);
  expect(resumed).toBeGreaterThan(histories / 2);
  expect(missed).toBeGreaterThan(histories / 2);
});
