import { expect, test } from 'vitest';
import { silentLogger } from '../../base/logger.ts';
import { FakeClock } from '../../base/testing/fake-clock.ts';
import { StatusError } from '../../machinery/status.ts';
import { ConnectionError } from '../transport/message.ts';
import { EventWriter } from './event-writer.ts';

test.each([
  { name: 'tries for two minutes while the server is away', error: new ConnectionError('away'), tries: 12 },
  { name: 'does not repeat what the server refuses', error: new StatusError(403, 'Forbidden', 'no'), tries: 1 },
])('A writer of events $name', async ({ error, tries }) => {
  const clock = new FakeClock();
  const writer = new EventWriter(clock, silentLogger);
  let count = 0;
  writer.add(() => {
    count++;
    return Promise.reject(error);
  });
  await clock.advance(0);
  await clock.advance(200_000);
  await writer.flush();
  expect(count).toBe(tries);
});

test('A writer of events writes them in order, and drops what waits when it stops', async () => {
  const writer = new EventWriter(new FakeClock(), silentLogger);
  const written: string[] = [];
  for (const name of ['a', 'b']) writer.add(() => Promise.resolve(written.push(name)));
  await writer.flush();
  writer.add((signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('over')))));
  writer.add(() => Promise.resolve(written.push('c')));
  await writer.stop();
  writer.add(() => Promise.resolve(written.push('d')));
  expect(written).toEqual(['a', 'b']);
});

test('At most eight events of different keys are written at once, and those of one key in order', async () => {
  const writer = new EventWriter(new FakeClock(), silentLogger);
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const write = (name: string) => () => {
    begun.push(name);
    return new Promise<void>((resolve) => ends.push(resolve));
  };
  for (let i = 0; i < 9; i++) writer.add(write(`k${i}`), `k${i}`);
  writer.add(write('k0 again'), 'k0');
  expect(begun).toEqual(['k0', 'k1', 'k2', 'k3', 'k4', 'k5', 'k6', 'k7']);
  while (begun.length < 10 || ends.length > 0) {
    ends.shift()!();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await writer.flush();
  expect(begun.slice(8).sort()).toEqual(['k0 again', 'k8']);
});

test.each([
  { name: 'a thousand when nothing is said', max: undefined, written: 1001 },
  { name: 'as many as are wanted', max: 1050, written: 1051 },
])('A writer of events keeps no more than $name', async ({ max, written }) => {
  const writer = new EventWriter(new FakeClock(), silentLogger, max);
  let count = 0;
  for (let i = 0; i < 1100; i++) writer.add(() => Promise.resolve(count++));
  await writer.flush();
  expect(count).toBe(written);
});
