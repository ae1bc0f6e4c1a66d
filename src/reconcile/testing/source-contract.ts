/** What every source of an informer keeps to. One suite judges the source over a store and the one over HTTP. */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { silentLogger } from '../../base/logger.ts';
import { isStatusError } from '../../machinery/status.ts';
import { matchesLabels, requirementsOfMap } from '../../machinery/label-selector.ts';
import { Informer } from '../informer.ts';
import type { Source, SourceEvent, SourceListOptions, SourceWatch } from '../source.ts';

/** A resource whose objects only the suite changes. */
export interface SourceFixture<T> extends AsyncDisposable {
  readonly source: Source<T>;
  /** Where the objects lie; empty for cluster-wide ones. */
  readonly namespace: string;
  /** Each write resolves with its version. */
  create(name: string, labels?: Readonly<Record<string, string>>): Promise<string>;
  update(name: string): Promise<string>;
  remove(name: string): Promise<string>;
  /** A version that is too old to watch from. */
  expiredVersion(): Promise<string>;
  /** Ends open watches as a fault of the network or of the store does. */
  breakWatches(): void;
}

export function describeSourceContract<T>(name: string, open: () => Promise<SourceFixture<T>>): void {
  describe(`a source of an informer: ${name}`, () => {
    let fixture: SourceFixture<T>;
    let names = 0;
    const newName = (): string => `object-${++names}`;
    beforeAll(async () => {
      fixture = await open();
    });
    afterAll(() => fixture[Symbol.asyncDispose]());

    const key = (object: string): string => fixture.source.view.keyFor(fixture.namespace, object);
    const list = async (options: Partial<SourceListOptions>): Promise<{ objects: T[]; version: string }> => {
      const { signal } = new AbortController();
      const all: { objects: T[]; version: string | undefined } = { objects: [], version: undefined };
      for await (const page of fixture.source.list({ notBefore: undefined, inPages: true, signal, ...options })) {
        all.objects.push(...page.objects);
        all.version ??= page.version;
      }
      return { objects: all.objects, version: all.version! };
    };
    const keysIn = (objects: readonly T[]): string[] => objects.map((object) => fixture.source.view.keyOf(object));
    const watch = async (after: string): Promise<Watched<T>> => {
      const watched = await Watched.open(fixture.source, after);
      onTestFinished(() => void watched.close());
      return watched;
    };

    test.each([{ inPages: true }, { inPages: false }])(
      'Lists the state at a version, pages: $inPages',
      async ({ inPages }) => {
        const [a, b, c] = [newName(), newName(), newName()];
        await fixture.create(a);
        await fixture.create(b);
        await fixture.create(c);
        const version = await fixture.remove(b);
        const keys = keysIn((await list({ notBefore: version, inPages })).objects);
        expect([a, b, c].map((each) => keys.includes(key(each)))).toEqual([true, false, true]);
        expect(new Set(keys).size).toBe(keys.length);
      },
    );

    test('A source of an informer watches each change once, in order, with the content of what is gone', async () => {
      const [a, b] = [newName(), newName()];
      const { version } = await list({ notBefore: await fixture.create(a) });
      const watched = await watch(version);
      await fixture.create(b);
      await fixture.update(a);
      await fixture.remove(b);
      expect(await watched.take(3)).toEqual([`ADDED ${key(b)}`, `MODIFIED ${key(a)}`, `DELETED ${key(b)}`]);
    });

    test('A source of an informer has the changes that were made before the watch began', async () => {
      const a = newName();
      const { version } = await list({ notBefore: await fixture.create(a) });
      await fixture.update(a);
      await fixture.update(a);
      await fixture.remove(a);
      expect(await (await watch(version)).take(3)).toEqual([
        `MODIFIED ${key(a)}`,
        `MODIFIED ${key(a)}`,
        `DELETED ${key(a)}`,
      ]);
    });

    test('A source of an informer goes on at the version of a closed watch, with no gap or repetition', async () => {
      const [a, b, c] = [newName(), newName(), newName()];
      const { version } = await list({ notBefore: await fixture.create(a) });
      const first = await watch(version);
      await fixture.create(b);
      await first.take(1);
      const reached = first.close();
      await fixture.create(c);
      await fixture.update(b);
      expect(await (await watch(reached)).take(2)).toEqual([`ADDED ${key(c)}`, `MODIFIED ${key(b)}`]);
    });

    test('A source of an informer ends a broken watch with an error that allows to go on', async () => {
      const [a, b] = [newName(), newName()];
      const { version } = await list({ notBefore: await fixture.create(a) });
      const first = await watch(version);
      await fixture.update(a);
      await first.take(1);
      fixture.breakWatches();
      const error = await first.end();
      expect(error).toBeDefined();
      expect(isStatusError(error) && error.code === 410).toBe(false);
      await fixture.create(b);
      expect(await (await watch(first.close())).take(1)).toEqual([`ADDED ${key(b)}`]);
    });

    test('A source of an informer tells nothing after a watch was closed', async () => {
      const a = newName();
      const [closed, open] = [await watch(await fixture.create(a)), await watch((await list({})).version)];
      closed.close();
      await fixture.update(a);
      await open.take(1);
      expect(closed.lines).toEqual([]);
    });

    test('A source of an informer answers 410 to a watch from a version that is forgotten', async () => {
      const version = await fixture.expiredVersion();
      const error = await Watched.open(fixture.source, version).then(
        async (watched) => {
          onTestFinished(() => void watched.close());
          return watched.end();
        },
        (failure: unknown) => failure,
      );
      expect(error).toMatchObject({ code: 410 });
    });

    test('A source of an informer says of an object its key, namespace, labels and version', async () => {
      const { view } = fixture.source;
      const a = newName();
      const created = await fixture.create(a, { app: 'web' });
      const find = async (notBefore: string): Promise<T> =>
        (await list({ notBefore })).objects.find((object) => view.keyOf(object) === key(a))!;
      const object = await find(created);
      expect(view.namespaceOf(object)).toBe(fixture.namespace);
      expect(matchesLabels(requirementsOfMap({ app: 'web' }), view.labelsOf(object))).toBe(true);
      expect(view.versionOf(await find(created))).toBe(view.versionOf(object));
      expect(view.versionOf(await find(await fixture.update(a)))).not.toBe(view.versionOf(object));
    });

    test('A source of an informer feeds an informer to its own state in spite of broken watches', async () => {
      const { source } = fixture;
      const informer = new Informer({ source, log: silentLogger, retry: { firstMs: 1, maxMs: 10, jitter: 0 } });
      onTestFinished(() => informer.stop());
      let look: () => void = () => undefined;
      informer.addHandler({ onAdd: () => look(), onUpdate: () => look(), onDelete: () => look() });
      const has = (object: string): Promise<void> =>
        new Promise((resolve) => {
          look = () => (informer.objects.get(key(object)) === undefined ? undefined : resolve());
          look();
        });
      informer.start();
      await informer.untilSynced(new AbortController().signal);
      const there: string[] = [];
      for (let round = 0; round < 12; round++) {
        const object = newName();
        await fixture.create(object);
        there.push(object);
        if (round % 3 === 1) fixture.breakWatches();
        if (round % 3 === 2) await fixture.remove(there.splice(0, 1)[0]!);
        if (round % 2 === 0) await fixture.update(there[0]!);
      }
      const last = newName();
      const version = await fixture.create(last);
      await has(last);
      const { objects } = await list({ notBefore: version });
      const versions = (all: Iterable<T>): [string, string | number][] =>
        [...all]
          .map((object): [string, string | number] => [source.view.keyOf(object), source.view.versionOf(object)])
          .sort();
      expect(versions(informer.objects.values())).toEqual(versions(objects));
    });
  });
}

/** A watch whose events are taken as they come. */
class Watched<T> {
  readonly lines: string[] = [];
  readonly #source: Source<T>;
  #watch: SourceWatch<T> | undefined;
  #changed: () => void = () => undefined;

  private constructor(source: Source<T>) {
    this.#source = source;
  }

  static async open<T>(source: Source<T>, after: string): Promise<Watched<T>> {
    const watched = new Watched(source);
    const { signal } = new AbortController();
    watched.#watch = await source.watch({ after, signal, onReady: () => watched.#take() });
    watched.#take();
    return watched;
  }

  /** The first events that are no bookmarks, as type and key, once so many have come. */
  async take(count: number): Promise<string[]> {
    while (this.lines.length < count) {
      if (this.#watch!.ended !== undefined) throw new Error('the watch has ended', { cause: this.#watch!.ended.error });
      await new Promise<void>((resolve) => (this.#changed = resolve));
    }
    return this.lines.splice(0);
  }

  /** Resolves with the error that the watch ends with. */
  async end(): Promise<unknown> {
    while (this.#watch!.ended === undefined) await new Promise<void>((resolve) => (this.#changed = resolve));
    return this.#watch!.ended.error;
  }

  /** @returns where it was */
  close(): string {
    const { version } = this.#watch!;
    this.#watch!.close();
    return version;
  }

  #take(): void {
    for (const event of this.#watch?.take() ?? []) if (event.object !== undefined) this.lines.push(this.#lineOf(event));
    this.#changed();
  }

  #lineOf({ type, object }: SourceEvent<T>): string {
    return `${type} ${this.#source.view.keyOf(object!)}`;
  }
}
