import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { codecs } from '../../../../api/codecs.ts';
import { openEmbeddedStore } from '../../../../storage/embedded/open.ts';
import { StorageError } from '../../../../storage/errors.ts';
import type { Store } from '../../../../storage/interface.ts';
import { createInternalDoor } from '../../../generic/internal-door.ts';
import { RangeAllocator } from './range-allocator.ts';
import { RangeObject } from './range-object.ts';

const key = '/registry/ranges/serviceips';
const range = { text: '10.0.0.0/29', size: 6, staticSize: 0 };
const door = createInternalDoor({ apiVersion: 'v1', kind: 'RangeAllocation', typeId: 'core/v1.RangeAllocation', codecs, mediaType: 'application/vnd.kubernetes.protobuf' });

describe('allocator of one range', () => {
  let store: Store & AsyncDisposable;
  let rebuilds: number;
  beforeEach(async () => {
    store = await openEmbeddedStore();
    rebuilds = 0;
  });
  afterEach(() => store[Symbol.asyncDispose]());

  const objectOf = (through: Store): RangeObject => new RangeObject({ store: through, key, door });
  const allocatorOn = (through: Store, text = range.text): RangeAllocator => {
    const object = objectOf(through);
    const rebuild = async (): Promise<void> => {
      rebuilds++;
      await object.write(await object.read(), text, Buffer.alloc(0));
    };
    return new RangeAllocator({ object, range: { ...range, text }, rebuild, random: () => 0 });
  };

  test('what is stored is what upstream stores', async () => {
    const allocator = allocatorOn(store);
    await allocator.take(0);
    const { kv } = await store.get(key);
    // Envelope, empty metadata, the range's text, one byte of data.
    expect(kv!.value.toString('hex')).toBe('6b387300' + '0a150a027631120f52616e6765416c6c6f636174696f6e' + '12220a100a0012001a0022002a00320038004200' + '120b31302e302e302e302f3239' + '1a0101' + '1a002200');
  });

  test('an absent range is rebuilt before anything is taken from it', async () => {
    const allocator = allocatorOn(store);
    expect([await allocator.takeNext(), await allocator.takeNext(), rebuilds]).toEqual([0, 1, 1]);
  });

  test('requests that arrive together share a write', async () => {
    const allocator = allocatorOn(store);
    await allocator.takeNext();
    const before = await store.currentRevision();
    const numbers = await Promise.all([allocator.takeNext(), allocator.takeNext(), allocator.take(5), allocator.giveBack(0), allocator.takeNext()]);
    expect(numbers).toEqual([1, 2, true, undefined, 0]);
    // The first goes at once, the others wait for it.
    expect((await store.currentRevision()) - before).toBe(2);
  });

  test('a refusal is not computed from what another server has changed since', async () => {
    const [first, second] = [allocatorOn(store), allocatorOn(store)];
    for (let i = 0; i < 6; i++) await first.takeNext();
    expect([await second.take(3), await second.takeNext()]).toEqual([false, undefined]);
    await first.giveBack(3);
    expect(await second.isTaken(3)).toBe(false);
    expect([await second.take(3), await first.take(3)]).toEqual([true, false]);
  });

  test('what another server has taken since can be given back', async () => {
    const [first, second] = [allocatorOn(store), allocatorOn(store)];
    await first.take(0);
    await second.take(1);
    await first.giveBack(1);
    expect(await second.isTaken(1)).toBe(false);
  });

  test('a range that another server has with other bounds is not touched', async () => {
    await allocatorOn(store, '10.9.0.0/29').take(0);
    await expect(allocatorOn(store).take(1)).rejects.toThrow('the provided range does not match the current range');
    expect(await objectOf(store).read()).toMatchObject({ range: '10.9.0.0/29' });
  });

  test('after a write whose outcome is unknown the state is read anew', async () => {
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
    expect([await allocator.take(1), await allocator.take(2)]).toEqual([false, true]);
  });
});
