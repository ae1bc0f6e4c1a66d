import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { codecs } from '../../../../api/codecs.ts';
import { openEmbeddedStore } from '../../../../storage/embedded/open.ts';
import { StorageError } from '../../../../storage/storage-error.ts';
import type { Store } from '../../../../storage/interface.ts';
import { ControlledStore } from '../../../../storage/testing/controlled-store.ts';
import { createInternalStorageCodec } from '../../../generic/internal-storage-codec.ts';
import { RangeAllocator } from './range-allocator.ts';
import { RangeObject } from './range-object.ts';
import { StoredReleases } from './stored-releases.ts';

const key = '/registry/ranges/serviceips';
const releasesKey = '/registry/range-releases/serviceips';
const range = { text: '10.0.0.0/29', size: 6, staticSize: 0 };
const storageCodec = createInternalStorageCodec({
  apiVersion: 'v1',
  kind: 'RangeAllocation',
  typeId: 'core/v1.RangeAllocation',
  codecs,
  mediaType: 'application/vnd.kubernetes.protobuf',
});

describe('allocator of one range', () => {
  let store: Store & AsyncDisposable;
  let rebuilds: number;
  beforeEach(async () => {
    store = await openEmbeddedStore();
    rebuilds = 0;
  });
  afterEach(() => store[Symbol.asyncDispose]());

  const objectOf = (through: Store): RangeObject => new RangeObject({ store: through, key, storageCodec });
  const allocatorOn = (through: Store, text = range.text): RangeAllocator => {
    const object = objectOf(through);
    const rebuild = async (): Promise<void> => {
      rebuilds++;
      await object.write(await object.read(), text, Buffer.alloc(0));
    };
    const releases = new StoredReleases(through, releasesKey);
    return new RangeAllocator({ object, releases, range: { ...range, text }, rebuild, random: () => 0 });
  };

  test('What is stored is what upstream stores', async () => {
    const allocator = allocatorOn(store);
    await allocator.take(0);
    const { kv } = await store.get(key);
    // Envelope, empty metadata, the range's text, one byte of data.
    expect(kv!.value.toString('hex')).toBe(
      '6b387300' +
        '0a150a027631120f52616e6765416c6c6f636174696f6e' +
        '12220a100a0012001a0022002a00320038004200' +
        '120b31302e302e302e302f3239' +
        '1a0101' +
        '1a002200',
    );
  });

  test('An absent range is rebuilt before anything is taken from it', async () => {
    const allocator = allocatorOn(store);
    expect([await allocator.takeNext(), await allocator.takeNext()]).toMatchObject([{ number: 0 }, { number: 1 }]);
    expect(rebuilds).toBe(1);
  });

  test('Requests to an allocator that arrive together share a write', async () => {
    const allocator = allocatorOn(store);
    const first = (await allocator.takeNext())!;
    const before = await store.currentRevision();
    const requests = [
      allocator.takeNext(),
      allocator.takeNext(),
      allocator.take(5),
      allocator.giveBack(first),
      allocator.takeNext(),
    ];
    // The first goes at once, the others wait for it.
    expect(await Promise.all(requests)).toEqual([
      { number: 1, since: before + 1 },
      { number: 2, since: before + 2 },
      { number: 5, since: before + 2 },
      undefined,
      { number: 0, since: before + 2 },
    ]);
    expect(await store.currentRevision()).toBe(before + 2);
  });

  test('A refusal is not computed from what another server has changed since', async () => {
    const [first, second] = [allocatorOn(store), allocatorOn(store)];
    for (let i = 0; i < 6; i++) await first.takeNext();
    expect([await second.take(3), await second.takeNext()]).toEqual([undefined, undefined]);
    await first.giveBack({ number: 3, since: await store.currentRevision() });
    expect(await second.isTaken(3)).toBe(false);
    expect([await second.take(3), await first.take(3)]).toMatchObject([{ number: 3 }, undefined]);
  });

  test('What another server has taken since can be given back', async () => {
    const [first, second] = [allocatorOn(store), allocatorOn(store)];
    await first.take(0);
    await first.giveBack((await second.take(1))!);
    expect(await second.isTaken(1)).toBe(false);
  });

  test('What a repair has released since is not given back, and is no longer guarded', async () => {
    const allocator = allocatorOn(store);
    const [released, kept] = [(await allocator.take(1))!, (await allocator.take(2))!];
    expect(await allocator.guardOf([released, kept], false)).toEqual({ prefix: releasesKey, unchangedSince: 0 });
    const [object, releases] = [objectOf(store), new StoredReleases(store, releasesKey)];
    const companion = releases.companionOf(await releases.read(), [1]);
    await object.write(await object.read(), range.text, Buffer.from([0b100]), { companion });
    const other = (await allocatorOn(store).take(1))!;
    const guard = { prefix: releasesKey, unchangedSince: (await releases.read()).revision };
    expect([await allocator.guardOf([released], true), await allocator.guardOf([kept], false)]).toEqual([
      undefined,
      guard,
    ]);
    await allocator.giveBack(released);
    expect(await allocator.isTaken(1)).toBe(true);
    await allocator.giveBack(kept);
    await allocator.giveBack(other);
    expect([await allocator.isTaken(1), await allocator.isTaken(2)]).toEqual([false, false]);
  });

  test('A repair that releases while a number is given back is noticed by the write', async () => {
    const controlled = new ControlledStore(store);
    const allocator = allocatorOn(controlled);
    const owned = (await allocator.take(1))!;
    await allocator.giveBack((await allocator.take(2))!);
    const write = controlled.holdNext('update', key);
    const givingBack = allocator.giveBack(owned);
    await write.reached;
    // The log alone: the range has the same revision, so that only the guard on the log can refuse the write.
    const releases = new StoredReleases(store, releasesKey);
    await store.create(releasesKey, releases.companionOf(await releases.read(), [1]).value);
    write.release();
    await givingBack;
    expect(await allocator.isTaken(1)).toBe(true);
  });

  test('A range that another server has with other bounds is not touched', async () => {
    await allocatorOn(store, '10.9.0.0/29').take(0);
    await expect(allocatorOn(store).take(1)).rejects.toThrow('the provided range does not match the current range');
    expect(await objectOf(store).read()).toMatchObject({ range: '10.9.0.0/29' });
  });

  test('After a write whose outcome is unknown the state of an allocator is read anew', async () => {
    let failNext = false;
    const flaky = new Proxy(store, {
      get: (target, member) => {
        if (member !== 'update') return Reflect.get(target, member).bind?.(target);
        return async (...parameters: Parameters<Store['update']>) => {
          const result = await target.update(...parameters);
          if (failNext) throw new StorageError('Unavailable', 'the answer was lost');
          return result;
        };
      },
    });
    const allocator = allocatorOn(flaky);
    await allocator.take(0);
    failNext = true;
    await expect(allocator.take(1)).rejects.toThrow('the answer was lost');
    failNext = false;
    expect([await allocator.take(1), await allocator.take(2)]).toMatchObject([undefined, { number: 2 }]);
  });
});
