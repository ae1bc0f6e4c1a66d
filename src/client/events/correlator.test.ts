import { describe, expect, test } from 'vitest';
import type { Event } from '../../api/gen/types/core-v1.ts';
import { FakeClock } from '../../base/testing/fake-clock.ts';
import { type Correlated, EventCorrelator } from './correlator.ts';

let names = 0;
const event = (message: string, more: Partial<Event> = {}): Event => ({
  metadata: { name: `e${++names}`, namespace: 'ns' },
  involvedObject: { kind: 'Pod', namespace: 'ns', name: 'p', uid: 'u' },
  source: { component: 'c' },
  reason: 'Failed',
  type: 'Warning',
  message,
  firstTimestamp: `t${names}`,
  lastTimestamp: `t${names}`,
  count: 1,
  ...more,
});
const shown = (correlated: Correlated | undefined): string =>
  correlated === undefined
    ? 'dropped'
    : `${correlated.isRepeated ? 'again' : 'new'} ${correlated.event.count} ${correlated.event.message}`;

describe('events of one object', () => {
  test('Events of one object that say the same are counted, under the name and first time of the first one', () => {
    const correlator = new EventCorrelator(new FakeClock());
    const first = event('m');
    expect(shown(correlator.correlate(first))).toBe('new 1 m');
    const { event: second } = correlator.correlate(event('m'))!;
    expect(second).toMatchObject({
      count: 2,
      metadata: { name: first.metadata.name },
      firstTimestamp: first.firstTimestamp,
      lastTimestamp: `t${names}`,
    });
    expect(shown(correlator.correlate(event('m')))).toBe('again 3 m');
  });

  test('Events of one object with ten messages of one reason within ten minutes are combined', () => {
    const correlator = new EventCorrelator(new FakeClock());
    const lines = Array.from({ length: 12 }, (_, i) => shown(correlator.correlate(event(`m${i}`))));
    expect(lines.slice(0, 9)).toEqual(Array.from({ length: 9 }, (_, i) => `new 1 m${i}`));
    expect(lines.slice(9)).toEqual([
      'new 1 (combined from similar events): m9',
      'again 2 (combined from similar events): m10',
      'again 3 (combined from similar events): m11',
    ]);
  });

  test('Events of one object are not combined when they are ten minutes apart', async () => {
    const clock = new FakeClock();
    const correlator = new EventCorrelator(clock);
    for (let i = 0; i < 12; i++) {
      expect(shown(correlator.correlate(event(`m${i}`)))).toBe(`new 1 m${i}`);
      await clock.advance(600_001);
    }
  });

  test.each([
    { name: 'reasons', differ: (i: number) => ({ reason: `R${i}` }) },
    { name: 'objects', differ: (i: number) => ({ involvedObject: { kind: 'Pod', name: `p${i}` } }) },
    { name: 'types', differ: (i: number) => ({ type: `T${i}` }) },
    { name: 'sources', differ: (i: number) => ({ source: { component: `c${i}` } }) },
  ])('Events of one object are not combined over different $name', ({ differ }) => {
    const correlator = new EventCorrelator(new FakeClock());
    for (let i = 0; i < 12; i++) expect(shown(correlator.correlate(event(`m${i}`, differ(i))))).toBe(`new 1 m${i}`);
  });

  test('Events of one object are dropped beyond 25, but for one every five minutes', async () => {
    const clock = new FakeClock();
    const correlator = new EventCorrelator(clock);
    const send = (): string => shown(correlator.correlate(event('m'))).split(' ')[0]!;
    const lines = Array.from({ length: 27 }, send);
    expect(lines).toEqual(['new', ...Array.from({ length: 24 }, () => 'again'), 'dropped', 'dropped']);
    await clock.advance(299_000);
    expect(send()).toBe('dropped');
    await clock.advance(1000);
    expect([send(), send()]).toEqual(['again', 'dropped']);
    const other = event('m', { involvedObject: { kind: 'Pod', name: 'other' } });
    expect(shown(correlator.correlate(other))).toBe('new 1 m');
  });
});
