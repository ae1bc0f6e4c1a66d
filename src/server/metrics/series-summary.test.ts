import { expect, test } from 'vitest';
import { Registry } from 'prom-client';
import { SeriesSummary } from './series-summary.ts';

function scene() {
  const registry = new Registry();
  let now = 0;
  const summary = new SeriesSummary({ name: 'took', help: 'Time.', registry, maxAgeMs: 5000, now: () => now });
  const values = async (): Promise<Record<string, number>> =>
    Object.fromEntries(
      (await registry.metrics())
        .split('\n')
        .filter((line) => line.startsWith('took'))
        .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
    );
  return { summary, values, pass: (ms: number) => (now += ms) };
}

test('A summary shows quantiles to one part in a hundred, with the sum and the count', async () => {
  const { summary, values } = scene();
  const series = summary.series({ type: 'admit' });
  for (let i = 1; i <= 1000; i++) series.observe(i / 1000);
  const shown = await values();
  for (const [quantile, value] of [
    ['0.5', 0.5],
    ['0.9', 0.9],
    ['0.99', 0.99],
  ] as const) {
    const found = shown[`took{quantile="${quantile}",type="admit"}`]!;
    expect(Math.abs(found - value) / value).toBeLessThanOrEqual(0.012);
  }
  expect(shown['took_sum{type="admit"}']).toBeCloseTo(500.5, 6);
  expect(shown['took_count{type="admit"}']).toBe(1000);
});

test('A value has part in the quantiles until it is too old, and in the sum for ever', async () => {
  const { summary, values, pass } = scene();
  const series = summary.series({});
  series.observe(8);
  pass(4000);
  series.observe(0);
  expect((await values())['took{quantile="0.99"}']).toBeCloseTo(8, 0);
  pass(1000);
  expect((await values())['took{quantile="0.99"}']).toBe(0);
  pass(5000);
  expect(await values()).toMatchObject({ 'took{quantile="0.5"}': NaN, took_sum: 8, took_count: 2 });
});
