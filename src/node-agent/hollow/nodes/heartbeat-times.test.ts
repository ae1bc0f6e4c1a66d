import { expect, test } from 'vitest';
import { nextBeat, secondBeat } from './heartbeat-times.ts';

test.each([
  { name: 'the first of the nodes', random: 0, second: 7000, then: [17_000, 27_000] },
  { name: 'one between', random: 0.5, second: 9000, then: [19_000, 29_000] },
  { name: 'the last of them', random: 0.999, second: 12_000, then: [22_000, 32_000] },
])(
  'Heartbeats of nodes that start together come in full seconds, spread over 5 s: $name',
  ({ random, second, then }) => {
    let at = secondBeat(2300, 10_000, random);
    expect(at).toBe(second);
    // Each is sent a little late, which does not add up.
    const next = then.map(() => (at = nextBeat(at + 40, 10_000)));
    expect(next).toEqual(then);
  },
);

test('A heartbeat that was sent very late is followed by one in time', () => {
  expect(nextBeat(12_999, 10_000)).toBe(22_000);
});
