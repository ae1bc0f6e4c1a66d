import { expect, test } from 'vitest';
import { FakeClock } from '../../base/testing/fake-clock.ts';
import { createElector, type ElectionEnd } from './elector.ts';
import { isAsked, renewalAt } from './lease-candidacy.ts';
import { MemoryLock } from './testing/memory-lock.ts';

/** A candidate of a coordinated election, and what became of it. */
function candidate(clock: FakeClock, lock: MemoryLock) {
  const state = { leads: false, ended: undefined as ElectionEnd | undefined, reason: '' };
  const abort = new AbortController();
  const elector = createElector({
    lock,
    identity: 'a',
    isCoordinated: true,
    clock,
    random: () => 0,
    wallTime: () => clock.now(),
    lead: (leadership) =>
      new Promise((resolve) => {
        state.leads = true;
        leadership.signal.addEventListener('abort', () => {
          Object.assign(state, { leads: false, reason: (leadership.signal.reason as Error).name });
          resolve();
        });
      }),
  });
  const run = elector.run(abort.signal).then((end) => void (state.ended = end));
  return { state, run, stop: () => abort.abort(new Error('stop')) };
}

/** What the API server writes. */
function write(lock: MemoryLock, holderIdentity: string, preferredHolder?: string): void {
  const record = { holderIdentity, leaseDurationSeconds: 5, acquireTime: '', renewTime: '', leaderTransitions: 0 };
  lock.held = {
    record: preferredHolder === undefined ? record : { ...lock.held!.record, preferredHolder },
    version: `server-${++lock.writes}`,
  };
}

/** Each retry is due after the one before. */
async function pass(clock: FakeClock, seconds: number): Promise<void> {
  for (let i = 0; i < seconds; i++) await clock.advance(1000);
}

test('A candidate of a coordinated election takes no lock that is absent, free or at its end', async () => {
  const clock = new FakeClock();
  const lock = new MemoryLock();
  const a = candidate(clock, lock);
  await pass(clock, 20);
  expect(lock.held).toBeUndefined();
  write(lock, '');
  await pass(clock, 20);
  write(lock, 'b');
  await pass(clock, 20);
  expect([a.state.leads, lock.writes]).toEqual([false, 2]);
  a.stop();
  await a.run;
  expect(a.state.ended).toBe('stopped');
});

test('A candidate that the API server elects leads, and renews its lock', async () => {
  const clock = new FakeClock();
  const lock = new MemoryLock();
  const a = candidate(clock, lock);
  await pass(clock, 3);
  write(lock, 'a');
  await pass(clock, 10);
  expect(a.state.leads).toBe(true);
  expect(lock.held!.record).toMatchObject({
    holderIdentity: 'a',
    leaseDurationSeconds: 15,
    acquireTime: expect.stringMatching(/^1970-01-01T00:00:0/),
  });
  expect(lock.writes).toBeGreaterThan(3);
  a.stop();
  await a.run;
  expect([a.state.ended, lock.held!.record.holderIdentity]).toEqual(['stopped', '']);
});

test('A leader gives its lock up for the preferred holder, after its work', async () => {
  const clock = new FakeClock();
  const lock = new MemoryLock();
  const a = candidate(clock, lock);
  write(lock, 'a');
  await pass(clock, 3);
  write(lock, 'a', 'b');
  await pass(clock, 3);
  await a.run;
  expect(a.state).toEqual({ leads: false, ended: 'lost', reason: 'LeadershipYieldedError' });
  expect(lock.held!.record.holderIdentity).toBe('');
});

const [early, late] = ['1970-01-01T00:00:01.000001Z', '1970-01-01T00:00:02.000000Z'];

test.each([
  { name: 'was never asked', spec: { renewTime: early }, asked: false },
  { name: 'was asked before it renewed', spec: { pingTime: early, renewTime: late }, asked: false },
  { name: 'has answered at the same time', spec: { pingTime: late, renewTime: late }, asked: false },
  { name: 'was asked since', spec: { pingTime: late, renewTime: early }, asked: true },
])('A candidate that $name: whether it is asked is $asked', ({ spec, asked }) => {
  expect(isAsked(spec)).toBe(asked);
});

test('An answer is not before its question, even if the clock of the API server is ahead', () => {
  expect(renewalAt(1000, { pingTime: early })).toBe('1970-01-01T00:00:01.001000Z');
  expect(renewalAt(3000, { pingTime: early })).toBe('1970-01-01T00:00:03.000000Z');
});
