/**
 * Random histories compared with a plain model: every revision that is still served is read in full, every watch that
 * can still be started is replayed, before and after compaction and reopening.
 */
import { createHash } from 'node:crypto';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { KeyEvent, KeyValue, Store } from '../interface.ts';
import { openEmbeddedStore } from './open.ts';
import { temporaryDirectory } from './testing/temporary-directory.ts';

/** All there ever was, by revision. */
class Model {
  readonly states: Map<string, KeyValue>[] = [];
  readonly events: KeyEvent[] = [];
  compacted = 0;

  constructor() {
    this.states[1] = new Map();
  }

  get revision(): number {
    return this.states.length - 1;
  }

  get now(): Map<string, KeyValue> {
    return this.states[this.revision]!;
  }

  put(key: string, value: Buffer): void {
    const modRevision = this.revision + 1;
    const previous = this.now.get(key);
    const kv = { key, value, modRevision, createRevision: previous?.createRevision ?? modRevision };
    this.states.push(new Map(this.now).set(key, kv));
    this.events.push({ type: 'put', ...kv, ...(previous && { previous }) });
  }

  delete(key: string): void {
    const previous = this.now.get(key);
    const next = new Map(this.now);
    next.delete(key);
    this.states.push(next);
    this.events.push({
      type: 'delete',
      key,
      value: Buffer.alloc(0),
      modRevision: this.revision,
      createRevision: 0,
      ...(previous && { previous }),
    });
  }

  at(revision: number): KeyValue[] {
    return [...this.states[revision]!.values()].sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)));
  }

  after(revision: number): KeyEvent[] {
    const known = (event: KeyEvent): KeyEvent =>
      event.modRevision - 1 < this.compacted ? { ...event, previous: undefined } : event;
    return this.events.filter((event) => event.modRevision > revision).map(known);
  }
}

/** A version or event as a line, since comparing buffers byte by byte takes its time. */
function outline({ key, value, modRevision, createRevision, ...rest }: KeyValue | KeyEvent): string {
  const { type = 'is', previous } = rest as Partial<KeyEvent>;
  const content = createHash('sha1').update(value).digest('base64');
  return (
    `${modRevision} ${type} ${key.slice(0, 20)} ` +
    `of ${createRevision}: ${content}${previous ? `, before ${outline(previous)}` : ''}`
  );
}

/** A small generator of its own, so that a seed names a history. */
function randomOf(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const keys = ['/a', '/a/b', '/a/é', '/a/日', '/a/\u{1f600}', '/b', '/long/'.padEnd(3_000, 'x')];

async function step(store: Store, model: Model, random: (below: number) => number): Promise<void> {
  const key = keys[random(keys.length)]!;
  const current = model.now.get(key);
  if (current !== undefined && random(3) === 0) {
    expect(await store.delete(key, current.modRevision)).toEqual({ applied: true, revision: model.revision + 1 });
    model.delete(key);
    return;
  }
  const value = Buffer.alloc(random(4) === 0 ? random(20_000) : random(50), random(256));
  expect(await store.update(key, value, current?.modRevision ?? 0)).toEqual({
    applied: true,
    revision: model.revision + 1,
  });
  model.put(key, value);
}

async function compact(store: Store, model: Model, random: (below: number) => number): Promise<void> {
  const revision = 1 + random(model.revision);
  await store.compact(revision);
  model.compacted = Math.max(model.compacted, revision);
}

async function replay(store: Store, after: number, count: number): Promise<KeyEvent[]> {
  const events: KeyEvent[] = [];
  if (count === 0) return events;
  for await (const batch of store.watch('/', { after, previous: true, signal: new AbortController().signal })) {
    events.push(...batch.events);
    if (events.length >= count) break;
  }
  return events;
}

async function compare(store: Store, model: Model): Promise<void> {
  expect(await store.currentRevision()).toBe(model.revision);
  for (let revision = Math.max(model.compacted, 1); revision <= model.revision; revision++) {
    const expected = model.at(revision);
    const { kvs, ...rest } = await store.list('/', { revision });
    expect(rest).toEqual({ revision, count: expected.length });
    expect(kvs.map(outline)).toEqual(expected.map(outline));
    const within = expected.filter((kv) => kv.key.startsWith('/a/'));
    expect((await store.list('/a/', { revision, limit: 2 })).kvs.map(outline)).toEqual(within.slice(0, 2).map(outline));
  }
  for (let after = Math.max(model.compacted - 1, 1); after <= model.revision; after++) {
    const expected = model.after(after);
    expect((await replay(store, after, expected.length)).map(outline)).toEqual(expected.map(outline));
  }
  if (model.compacted < 2) return;
  await expect(store.list('/', { revision: model.compacted - 1 })).rejects.toMatchObject({
    reason: 'Compacted',
    revision: model.compacted,
  });
  if (model.compacted > 2)
    await expect(replay(store, model.compacted - 2, 1)).rejects.toMatchObject({
      reason: 'Compacted',
      revision: model.compacted,
    });
}

describe.each([{ medium: 'memory' }, { medium: 'disk' }])('a random history in $medium', ({ medium }) => {
  test.each(Array.from({ length: 6 }, (_, seed) => ({ seed })))(
    'Random histories of the embedded store are what the model says, seed $seed',
    { timeout: 60_000 },
    async ({ seed }) => {
      const random = randomOf(seed);
      const options = medium === 'disk' ? { directory: temporaryDirectory() } : {};
      let store = await openEmbeddedStore(options);
      onTestFinished(() => store[Symbol.asyncDispose]());
      const model = new Model();
      for (let round = 0; round < 8; round++) {
        for (let i = random(25); i > 0; i--) await step(store, model, random);
        if (round > 1) await compact(store, model, random);
        await compare(store, model);
        if (medium !== 'disk') continue;
        await store[Symbol.asyncDispose]();
        store = await openEmbeddedStore(options);
        await compare(store, model);
      }
    },
  );
});
