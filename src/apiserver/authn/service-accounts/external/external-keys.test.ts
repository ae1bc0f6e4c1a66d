import { generateKeyPairSync } from 'node:crypto';
import { Registry } from 'prom-client';
import { expect, onTestFinished, test } from 'vitest';
import { silentLogger } from '../../../../base/logger.ts';
import { FakeClock } from '../../../../base/testing/fake-clock.ts';
import { ExternalKeys } from './external-keys.ts';
import type { FetchedKeys } from './messages.ts';
import { SignerMetrics } from './signer-client.ts';

const der = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ type: 'spki', format: 'der' });

/** Keys of a signer that answers as the test says, on a clock that the test moves. */
async function started() {
  const clock = new FakeClock();
  const state = { names: ['a'], hint: 60n, fails: false, asked: 0 };
  const fetchKeys = (): Promise<FetchedKeys> => {
    state.asked++;
    if (state.fails) return Promise.reject(new Error('away'));
    return Promise.resolve({
      keys: state.names.map((keyId) => ({ keyId, key: der, excludeFromOidcDiscovery: false })),
      dataTimestamp: 1,
      refreshHintSeconds: state.hint,
    });
  };
  const keys = new ExternalKeys({
    client: { fetchKeys },
    metrics: new SignerMetrics(new Registry()),
    clock,
    log: silentLogger,
  });
  await keys.start(new AbortController().signal);
  onTestFinished(() => keys.close());
  return { clock, state, keys };
}

const names = (keys: ExternalKeys): string[] => keys.published.map(({ id }) => id);

test('Keys are read again when the signer says', async () => {
  const { clock, state, keys } = await started();
  expect(keys.maxAgeSeconds).toBe(60);
  state.names = ['b'];
  state.hint = 5n;
  await clock.advance(59_000);
  expect([names(keys), keys.maxAgeSeconds]).toEqual([['a'], 1]);
  await clock.advance(1000);
  expect([names(keys), keys.maxAgeSeconds]).toEqual([['b'], 5]);
  await clock.advance(5000);
  expect(state.asked).toBe(3);
});

test('Keys stay good while the signer is away, and it is asked every ten seconds', async () => {
  const { clock, state, keys } = await started();
  state.fails = true;
  await clock.advance(60_000);
  expect([names(keys), state.asked, keys.maxAgeSeconds]).toEqual([['a'], 2, 0]);
  state.fails = false;
  state.names = ['b'];
  await clock.advance(9000);
  expect(state.asked).toBe(2);
  await clock.advance(1000);
  expect([names(keys), state.asked]).toEqual([['b'], 3]);
});

test('An answer that cannot be used changes nothing', async () => {
  const { clock, state, keys } = await started();
  state.names = ['b', ''];
  await clock.advance(60_000);
  expect([names(keys), state.asked]).toEqual([['a'], 2]);
});

test('For unknown keys the signer is asked once a second, for any number of tokens', async () => {
  const { clock, state, keys } = await started();
  expect(await Promise.all([keys.find('x'), keys.find('y'), keys.find('x')])).toEqual([[], [], []]);
  expect(await keys.find('z')).toEqual([]);
  expect(state.asked).toBe(2);
  await clock.advance(1000);
  state.names = ['a', 'z'];
  expect((await keys.find('z')).map(({ id }) => id)).toEqual(['z']);
  expect(state.asked).toBe(3);
});

test('A token that names no key may be of any', async () => {
  const { keys } = await started();
  expect((await keys.find(undefined)).map(({ id }) => id)).toEqual(['a']);
});
