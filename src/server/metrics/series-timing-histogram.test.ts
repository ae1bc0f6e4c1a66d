import { expect, test } from 'vitest';
import { allMetrics, MetricRegistry } from './metric-registry.ts';
import { SeriesTimingHistogram } from './series-timing-histogram.ts';

function scene() {
  const registry = new MetricRegistry(allMetrics);
  let now = 0;
  const histogram = new SeriesTimingHistogram({
    name: 'level_use',
    help: 'Use of a level.',
    buckets: [0, 0.5, 1],
    registry,
    now: () => now,
  });
  const lines = async (): Promise<string[]> =>
    (await registry.metrics()).split('\n').filter((line) => line.startsWith('level_use_'));
  return { histogram, lines, pass: (ms: number) => (now += ms), now: () => now };
}

test('A ratio is observed once for each nanosecond that it lasts', async () => {
  const { histogram, lines, pass, now } = scene();
  const use = histogram.ratio({ level: 'a' });
  use.setDenominator(4, now());
  pass(1);
  use.set(2, now());
  pass(2);
  use.set(4, now());
  pass(3);
  expect(await lines()).toEqual([
    'level_use_bucket{le="0",level="a"} 1000000',
    'level_use_bucket{le="0.5",level="a"} 3000000',
    'level_use_bucket{le="1",level="a"} 6000000',
    'level_use_bucket{le="+Inf",level="a"} 6000000',
    'level_use_sum{level="a"} 4000000',
    'level_use_count{level="a"} 6000000',
  ]);
});

test('A ratio whose denominator changes is observed with the one that it had', async () => {
  const { histogram, lines, pass, now } = scene();
  const use = histogram.ratio({});
  use.set(1, now());
  pass(1);
  use.setDenominator(2, now());
  pass(1);
  expect((await lines()).find((line) => line.startsWith('level_use_sum'))).toBe('level_use_sum 1500000');
});
