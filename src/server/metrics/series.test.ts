import { Registry } from 'prom-client';
import { describe, expect, test } from 'vitest';
import { SeriesCounter } from './series-counter.ts';
import { SeriesGauge } from './series-gauge.ts';
import { SeriesHistogram } from './series-histogram.ts';
import { showValues } from './series.ts';

const lines = async (registry: Registry): Promise<string[]> => (await registry.metrics()).trimEnd().split('\n');

describe('metrics of series', () => {
  test('A counter of series shows each of its series, and none before it is asked for', async () => {
    const registry = new Registry();
    const counter = new SeriesCounter({ name: 'requests_total', help: 'Requests.', registry });
    expect(await lines(registry)).toEqual(['# HELP requests_total Requests.', '# TYPE requests_total counter']);
    counter.series({ verb: 'GET' }).inc();
    counter.series({ verb: 'GET' }).inc();
    counter.series({ verb: 'LIST' });
    expect((await lines(registry)).slice(2)).toEqual(['requests_total{verb="GET"} 2', 'requests_total{verb="LIST"} 0']);
  });

  test('A series is the same one whatever the order of its labels', () => {
    const counter = new SeriesCounter({ name: 'requests_total', help: 'Requests.', registry: new Registry() });
    expect(counter.series({ verb: 'GET', code: '200' })).toBe(counter.series({ code: '200', verb: 'GET' }));
    expect(counter.series({ verb: 'GET', code: '200' })).not.toBe(counter.series({ verb: '200', code: 'GET' }));
  });

  test('A gauge of series goes up and down', async () => {
    const registry = new Registry();
    const gauge = new SeriesGauge({ name: 'in_work', help: 'In work.', registry }).series({});
    for (const change of [3, -1]) gauge.add(change);
    expect((await lines(registry)).at(-1)).toBe('in_work 2');
  });

  test.each([
    { name: 'below the first bucket', value: 0.05, counts: [1, 1, 1] },
    { name: 'at the end of a bucket', value: 0.1, counts: [1, 1, 1] },
    { name: 'between two buckets', value: 0.5, counts: [0, 1, 1] },
    { name: 'above all buckets', value: 7, counts: [0, 0, 1] },
  ])('A histogram of series counts a value $name', async ({ value, counts: [first, second, all] }) => {
    const registry = new Registry();
    const histogram = new SeriesHistogram({ name: 'seconds', help: 'Time.', registry, buckets: [0.1, 1] });
    histogram.series({ verb: 'GET' }).observe(value);
    expect((await lines(registry)).slice(2)).toEqual([
      `seconds_bucket{le="0.1",verb="GET"} ${first}`,
      `seconds_bucket{le="1",verb="GET"} ${second}`,
      `seconds_bucket{le="+Inf",verb="GET"} ${all}`,
      `seconds_sum{verb="GET"} ${value}`,
      `seconds_count{verb="GET"} 1`,
    ]);
  });

  test('A registry that is reset forgets all series', async () => {
    const registry = new Registry();
    new SeriesCounter({ name: 'requests_total', help: 'Requests.', registry }).series({ verb: 'GET' }).inc();
    registry.resetMetrics();
    expect(await lines(registry)).toHaveLength(2);
  });

  test('Values that are counted elsewhere are shown as they are at the time', async () => {
    const registry = new Registry();
    let value = 1;
    showValues({ name: 'size_bytes', help: 'Size.', type: 'gauge', registry }, () => [{ labels: { of: 'x' }, value }]);
    value = 2;
    expect((await lines(registry)).at(-1)).toBe('size_bytes{of="x"} 2');
  });
});
