import { describe, expect, test } from 'vitest';
import { FakeClock } from '../../base/testing/fake-clock.ts';
import { createElector, type ElectionEnd, type ElectionOptions } from './elector.ts';
import type { Leadership } from './leadership.ts';
import type { ResourceLock } from './lock.ts';
import { MemoryLock } from './testing/memory-lock.ts';

/** What is due now sets its timers first. */
async function pass(clock: FakeClock, ms: number): Promise<void> {
  await clock.advance(0);
  await clock.advance(ms);
}

const start = Date.parse('2026-01-01T00:00:00Z');

function candidate(clock: FakeClock, lock: ResourceLock, identity: string, more: Partial<ElectionOptions> = {}) {
  const state = {
    leads: false,
    leadership: undefined as Leadership | undefined,
    end: undefined as ElectionEnd | undefined,
  };
  const leaders: string[] = [];
  const abort = new AbortController();
  const elector = createElector({
    lock,
    identity,
    clock,
    random: () => 0,
    wallTime: () => start + clock.now(),
    onNewLeader: (leader) => void leaders.push(leader),
    lead: (leadership) =>
      new Promise((resolve) => {
        Object.assign(state, { leads: true, leadership });
        leadership.signal.addEventListener('abort', () => {
          state.leads = false;
          resolve();
        });
      }),
    ...more,
  });
  const run = elector.run(abort.signal).then((end) => void (state.end = end));
  return { state, leaders, stop: () => abort.abort(new Error('stop')), run };
}

describe('leader election', () => {
  test('The first candidate leads, and writes its record every retry period', async () => {
    const clock = new FakeClock();
    const lock = new MemoryLock();
    const a = candidate(clock, lock, 'a');
    await pass(clock, 0);
    expect(a.state.leads).toBe(true);
    expect(lock.held!.record).toEqual({
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      acquireTime: '2026-01-01T00:00:00.000000Z',
      renewTime: '2026-01-01T00:00:00.000000Z',
      leaderTransitions: 0,
    });
    await pass(clock, 6000);
    expect(lock.writes).toBe(4);
    expect(lock.held!.record).toMatchObject({
      acquireTime: '2026-01-01T00:00:00.000000Z',
      renewTime: '2026-01-01T00:00:06.000000Z',
    });
    a.stop();
    await a.run;
    expect(a.state.end).toBe('stopped');
  });

  test('A leader that has to read the lock before it can renew it says so', async () => {
    const clock = new FakeClock();
    const lock = new MemoryLock();
    let slowRenewals = 0;
    const a = candidate(clock, lock, 'a', { onSlowRenewal: () => void slowRenewals++ });
    await pass(clock, 4000);
    expect(slowRenewals).toBe(0);
    lock.held = { ...lock.held!, version: 'of another writer' };
    await pass(clock, 4000);
    expect([a.state.leads, slowRenewals]).toEqual([true, 1]);
    a.stop();
    await a.run;
  });

  test('A leader that stops gives the lock up, and another has it within a retry period', async () => {
    const clock = new FakeClock();
    const lock = new MemoryLock();
    const a = candidate(clock, lock, 'a');
    await pass(clock, 0);
    const b = candidate(clock, lock, 'b');
    await pass(clock, 10_000);
    expect([a.state.leads, b.state.leads]).toEqual([true, false]);
    a.stop();
    await a.run;
    expect(lock.held!.record.holderIdentity).toBe('');
    await pass(clock, 2000);
    expect(b.state.leads).toBe(true);
    expect(lock.held!.record).toMatchObject({ holderIdentity: 'b', leaderTransitions: 1 });
    expect(b.leaders).toEqual(['a', '', 'b']);
    b.stop();
    await b.run;
  });

  test('A leader that dies is followed one lease duration after its last record was seen', async () => {
    const clock = new FakeClock();
    const lock = new MemoryLock();
    lock.held = {
      record: {
        holderIdentity: 'dead',
        leaseDurationSeconds: 15,
        acquireTime: '',
        renewTime: '',
        leaderTransitions: 4,
      },
      version: 'x',
    };
    const b = candidate(clock, lock, 'b');
    await pass(clock, 14_000);
    expect(b.state.leads).toBe(false);
    await pass(clock, 2000);
    expect(b.state.leads).toBe(true);
    expect(lock.held.record.leaderTransitions).toBe(5);
    b.stop();
    await b.run;
  });

  test('The time in a record does not count, in the past or in the future', async () => {
    for (const renewTime of ['1990-01-01T00:00:00.000000Z', '2090-01-01T00:00:00.000000Z']) {
      const clock = new FakeClock();
      const lock = new MemoryLock();
      const record = { holderIdentity: 'other', leaseDurationSeconds: 15, acquireTime: renewTime, renewTime };
      lock.held = { record: { ...record, leaderTransitions: 0 }, version: 'x' };
      const b = candidate(clock, lock, 'b');
      await pass(clock, 14_000);
      expect(b.state.leads).toBe(false);
      await pass(clock, 2000);
      expect(b.state.leads).toBe(true);
      b.stop();
      await b.run;
    }
  });

  test('A leadership that cannot be renewed is lost before another candidate can have it', async () => {
    const clock = new FakeClock();
    const lock = new MemoryLock();
    const a = candidate(clock, lock, 'a');
    await pass(clock, 4000);
    const b = candidate(clock, lock, 'b');
    await pass(clock, 0);
    lock.isAway = true;
    await pass(clock, 9999);
    expect(a.state.leads).toBe(true);
    await pass(clock, 1);
    expect(a.state.leads).toBe(false);
    lock.isAway = false;
    expect(b.state.leads).toBe(false);
    await a.run;
    expect(a.state.end).toBe('lost');
    b.stop();
    await b.run;
  });

  test.each([
    { name: 'and another has the lock: it is lost', isTaken: true, mayWrite: false, end: 'lost' },
    { name: 'and the lock is still its own: it goes on', isTaken: false, mayWrite: true, end: undefined },
  ])('The machine of a leader was suspended for an hour, $name', async ({ isTaken, mayWrite, end }) => {
    const clock = new FakeClock();
    const lock = new MemoryLock();
    let suspendedMs = 0;
    const a = candidate(clock, lock, 'a', { wallTime: () => start + clock.now() + suspendedMs });
    await pass(clock, 3000);
    suspendedMs = 3_600_000;
    if (isTaken)
      lock.held = { record: { ...lock.held!.record, holderIdentity: 'b', leaseDurationSeconds: 15 }, version: 'b' };
    const leadership = a.state.leadership!;
    expect(() => leadership.check()).toThrow('the leadership has to be renewed first');
    await pass(clock, 2000);
    if (mayWrite) expect(leadership.check()).toBeGreaterThan(0);
    else expect(() => leadership.check()).toThrow('the leadership has to be renewed first');
    await pass(clock, 10_000);
    expect(a.state.end).toBe(end);
    a.stop();
    await a.run;
  });

  test('At every moment of a long history with faults at most one candidate leads', async () => {
    const clock = new FakeClock();
    const lock = new MemoryLock();
    let atOnce = 0;
    let most = 0;
    const terms: string[] = [];
    const lead =
      (name: string) =>
      async ({ signal }: Leadership): Promise<void> => {
        terms.push(name);
        most = Math.max(most, ++atOnce);
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        atOnce--;
      };
    const names = ['a', 'b', 'c'];
    const abort = new AbortController();
    const runs = names.map(async (name) => {
      const elector = createElector({ lock, identity: name, clock, random: () => 0.3, lead: lead(name) });
      while (!abort.signal.aborted) await elector.run(abort.signal);
    });
    for (let round = 0; round < 40; round++) {
      lock.isAway = round % 4 === 3;
      await pass(clock, 3700 + round * 211);
    }
    expect(most).toBe(1);
    expect(terms.length).toBeGreaterThan(3);
    lock.isAway = false;
    abort.abort(new Error('stop'));
    await Promise.all(runs);
  });

  test('Work that ends by itself ends the leadership, and its error is that of the candidate', async () => {
    const clock = new FakeClock();
    const lock = new MemoryLock();
    const done = candidate(clock, lock, 'a', { lead: () => Promise.resolve() });
    await done.run;
    expect([done.state.end, lock.held!.record.holderIdentity]).toEqual(['finished', '']);
    const failed = candidate(clock, lock, 'b', { lead: () => Promise.reject(new Error('broken')) });
    await expect(failed.run).rejects.toThrow('broken');
  });

  test.each([
    { name: 'an empty identity', options: { identity: '' }, message: 'the identity of a candidate is empty' },
    {
      name: 'a lease as short as the deadline',
      options: { leaseDurationMs: 10_000 },
      message: 'greater than the renew',
    },
    { name: 'a deadline that leaves one try', options: { renewDeadlineMs: 2400 }, message: 'greater than 1.2 retry' },
    { name: 'a lease below a second', options: { leaseDurationMs: 500 }, message: 'less than 1 s' },
  ])('Leader election refuses $name', ({ options, message }) => {
    const lead = () => Promise.resolve();
    expect(() => createElector({ lock: new MemoryLock(), identity: 'a', lead, ...options })).toThrow(message);
  });
});
