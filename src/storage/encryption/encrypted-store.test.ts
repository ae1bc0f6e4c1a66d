import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openEmbeddedStore } from '../embedded/open.ts';
import type { Store } from '../interface.ts';
import { EncryptedStore } from './encrypted-store.ts';
import type { ValueTransformer } from './transformer.ts';

const bytes = (text: string): Buffer => Buffer.from(text);
/** Shows what was sealed, and under which key. */
const transformer: ValueTransformer = {
  toStorage: (value, { key }) => [Buffer.from(`${key}=${Buffer.from(value).toString()}`)],
  fromStorage: (value) => ({ value: value.subarray(value.indexOf('=') + 1), stale: false }),
};

describe('a store whose values are encrypted', () => {
  let plain: Store & AsyncDisposable;
  let store: EncryptedStore;
  beforeEach(async () => {
    plain = await openEmbeddedStore();
    store = new EncryptedStore({ store: plain, resource: 'things', transformer: () => transformer });
  });
  afterEach(() => plain[Symbol.asyncDispose]());

  test('A store whose values are encrypted seals a companion as it seals the value', async () => {
    await store.create('/own', bytes('1'), { companion: { key: '/companion', value: bytes('2'), expected: 0 } });
    expect((await plain.list('/')).kvs.map(({ value }) => value.toString())).toEqual(['/companion=2', '/own=1']);
  });

  test('A store whose values are encrypted passes the guards of a write to the store below', async () => {
    const { revision } = await plain.create('/others/a', bytes('x'));
    const guards = [{ prefix: '/others/', unchangedSince: revision - 1 }];
    await expect(store.create('/own', bytes('1'), { guards })).rejects.toMatchObject({ reason: 'Conflict' });
    expect(await store.update('/own', bytes('1'), 0, { guards })).toMatchObject({ applied: false, current: undefined });
  });
});
