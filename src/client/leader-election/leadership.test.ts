import { describe, expect, test } from 'vitest';
import { FakeClock } from '../../base/testing/fake-clock.ts';
import { fencedTransport } from '../requests/fence.ts';
import type { TransportRequest } from '../transport/message.ts';
import { Leadership } from './leadership.ts';

/** What is due now sets its timers first. */
async function pass(clock: FakeClock, ms: number): Promise<void> {
  await clock.advance(0);
  await clock.advance(ms);
}

describe('a write under a leadership', () => {
  const times = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000 };
  const write = (path = '/api/v1/pods'): TransportRequest => ({
    method: 'POST',
    path,
    headers: [],
    signal: new AbortController().signal,
  });
  function setUp(clock: FakeClock, method = 'POST', wallTime = () => clock.now()) {
    const acquired = { at: clock.now(), wallMs: wallTime() };
    const leadership = new Leadership({ clock, wallTime, times, acquired, since: undefined });
    const sent: string[] = [];
    let signal: AbortSignal | undefined;
    const transport = fencedTransport(
      {
        async send(request) {
          await Promise.resolve();
          ({ signal } = request);
          sent.push(request.pathAtSend?.() ?? request.path);
          return new Promise(() => undefined);
        },
        close: () => Promise.resolve(),
      },
      leadership,
    );
    return {
      leadership,
      sent,
      send: (path?: string) => transport.send({ ...write(path), method }),
      signal: () => signal,
    };
  }

  test('A write under a leadership may last until the end of the lease, which the server is told', async () => {
    const clock = new FakeClock();
    const { leadership, sent, send } = setUp(clock);
    void send();
    await pass(clock, 6000);
    void send('/api/v1/pods?dryRun=All');
    await pass(clock, 0);
    expect(leadership.extend({ at: 4000, wallMs: 4000 })).toBe(true);
    void send();
    await pass(clock, 0);
    expect(sent).toEqual([
      '/api/v1/pods?timeout=15000ms',
      '/api/v1/pods?dryRun=All&timeout=9000ms',
      '/api/v1/pods?timeout=13000ms',
    ]);
  });

  test('A write under a leadership is ended when the leadership is lost, and the next one is refused', async () => {
    const clock = new FakeClock();
    const { send, sent, signal } = setUp(clock);
    void send();
    await pass(clock, 10_000);
    expect(signal()!.aborted).toBe(true);
    await expect(send()).rejects.toThrow('the leadership could not be renewed in time');
    expect(sent).toHaveLength(1);
  });

  test('A write under a leadership is refused by a process that stood still, before its timers run', async () => {
    const clock = new FakeClock();
    const { leadership, send, sent } = setUp(clock);
    const standing = Object.assign(Object.create(clock) as FakeClock, { now: () => 20_000 });
    Object.defineProperty(clock, 'now', { value: () => standing.now() });
    await expect(send()).rejects.toMatchObject({ name: 'LeadershipLostError' });
    expect([sent.length, leadership.signal.aborted, leadership.extend({ at: 20_000, wallMs: 20_000 })]).toEqual([
      0,
      true,
      false,
    ]);
  });

  test.each([
    { name: 'a little of wall time more is taken from what a write may last', jumpMs: 4000, path: '?timeout=11000ms' },
    { name: 'wall time that goes back changes nothing', jumpMs: -3_600_000, path: '?timeout=15000ms' },
  ])('The time limit of a write under a leadership: $name', async ({ jumpMs, path }) => {
    const clock = new FakeClock();
    let jumped = 0;
    const { send, sent } = setUp(clock, 'POST', () => clock.now() + jumped);
    jumped = jumpMs;
    void send();
    await pass(clock, 0);
    expect(sent).toEqual([`/api/v1/pods${path}`]);
  });

  test('A write under a leadership is refused after a suspension, until the leadership is renewed', async () => {
    const clock = new FakeClock();
    let suspendedMs = 0;
    const { leadership, send, sent } = setUp(clock, 'POST', () => clock.now() + suspendedMs);
    suspendedMs = 10_000;
    await expect(send()).rejects.toMatchObject({ name: 'LeadershipUncertainError' });
    expect([sent.length, leadership.signal.aborted]).toEqual([0, false]);
    leadership.extend({ at: 0, wallMs: suspendedMs });
    void send();
    await pass(clock, 0);
    expect(sent).toEqual(['/api/v1/pods?timeout=15000ms']);
  });

  test('A write under a leadership is no read: reads go on', async () => {
    const clock = new FakeClock();
    const { send, sent } = setUp(clock, 'GET');
    await pass(clock, 10_000);
    void send();
    await pass(clock, 0);
    expect(sent).toEqual(['/api/v1/pods']);
  });
});
