import { readFileSync } from 'node:fs';
import { Counter, Gauge, Histogram } from 'prom-client';
import { describe, expect, test } from 'vitest';
import { hasShared, sharedPath } from '../../../test/support/shared.ts';
import { levelOf } from './metric-levels.ts';
import { allMetrics, MetricRegistry, type MetricSettings } from './metric-registry.ts';

const create = (settings: Partial<MetricSettings> = {}): MetricRegistry =>
  new MetricRegistry({ ...allMetrics, ...settings });
const allowed = (metric: string, label: string, ...values: string[]): Partial<MetricSettings> => ({
  allowedLabels: new Map([[metric, new Map([[label, new Set(values)]])]]),
});
const linesOf = async (registry: MetricRegistry, name: string): Promise<string[]> =>
  (await registry.metrics()).split('\n').filter((line) => line.startsWith(name));

describe('what is shown', () => {
  test('A metric says at what level it is, and that it is deprecated', async () => {
    const registry = create({ showHidden: true });
    const registers = [registry];
    new Counter({ name: 'apiserver_request_total', help: 'Requests.', registers });
    new Counter({ name: 'disabled_things_total', help: 'Things.', registers });
    new Gauge({ name: 'apiserver_storage_db_total_size_in_bytes', help: 'Size.', registers });
    new Gauge({ name: 'process_open_fds', help: 'Files.', registers });
    expect(
      (await registry.metrics())
        .split('\n')
        .filter((line) => line.startsWith('# HELP'))
        .slice(3),
    ).toEqual([
      '# HELP apiserver_request_total [STABLE] Requests.',
      '# HELP disabled_things_total [ALPHA] Things.',
      '# HELP apiserver_storage_db_total_size_in_bytes [ALPHA] (Deprecated since 1.28.0) Size.',
      '# HELP process_open_fds Files.',
    ]);
    // Those that count metrics are counted too.
    expect(await linesOf(registry, 'registered_metrics_total')).toEqual([
      'registered_metrics_total{stability_level="BETA",deprecated_version=""} 3',
      'registered_metrics_total{stability_level="STABLE",deprecated_version=""} 1',
      'registered_metrics_total{stability_level="ALPHA",deprecated_version=""} 1',
      'registered_metrics_total{stability_level="ALPHA",deprecated_version="1.28.0"} 1',
    ]);
  });

  test('A deprecated metric is not shown, unless that is asked for', async () => {
    const registry = create();
    new Gauge({ name: 'apiserver_storage_db_total_size_in_bytes', help: 'Size.', registers: [registry] }).set(1);
    expect(await linesOf(registry, 'apiserver_storage_db')).toEqual([]);
    expect(await linesOf(registry, 'hidden_metrics_total')).toEqual(['hidden_metrics_total 1']);
    expect([
      registry.shows('apiserver_storage_db_total_size_in_bytes'),
      create({ showHidden: true }).shows('apiserver_storage_db_total_size_in_bytes'),
    ]).toEqual([false, true]);
  });

  test('A disabled metric is not shown, hidden or not', async () => {
    const registry = create({
      disabled: ['apiserver_request_total', 'apiserver_storage_db_total_size_in_bytes', 'absent'],
      showHidden: true,
    });
    new Counter({ name: 'apiserver_request_total', help: 'Requests.', registers: [registry] }).inc();
    new Gauge({ name: 'apiserver_storage_db_total_size_in_bytes', help: 'Size.', registers: [registry] }).set(1);
    expect((await registry.metrics()).match(/apiserver_/)).toBeNull();
    expect(await linesOf(registry, 'disabled_metrics_total')).toEqual(['disabled_metrics_total 3']);
  });
});

describe('labels with a list of values', () => {
  test('Labels with a list of values show what is in it, and count the rest together', async () => {
    const registry = create(allowed('requests_total', 'code', '200', '404'));
    const counter = new Counter({
      name: 'requests_total',
      help: 'Requests.',
      labelNames: ['code', 'verb'],
      registers: [registry],
    });
    for (const code of ['200', '404', '500', '503']) counter.inc({ code, verb: 'GET' });
    counter.inc({ code: '500', verb: 'POST' });
    expect(await linesOf(registry, 'requests_total')).toEqual([
      'requests_total{code="200",verb="GET"} 1',
      'requests_total{code="404",verb="GET"} 1',
      'requests_total{code="unexpected",verb="GET"} 2',
      'requests_total{code="unexpected",verb="POST"} 1',
    ]);
  });

  test('Labels with a list of values are merged by bucket in histograms; in gauges the last counts', async () => {
    const registry = create({
      allowedLabels: new Map([
        ['seconds', new Map([['verb', new Set(['GET'])]])],
        ['level', new Map([['verb', new Set<string>()]])],
      ]),
    });
    const histogram = new Histogram({
      name: 'seconds',
      help: 'Time.',
      labelNames: ['verb'],
      buckets: [1],
      registers: [registry],
    });
    const gauge = new Gauge({ name: 'level', help: 'Level.', labelNames: ['verb'], registers: [registry] });
    for (const [verb, value] of [
      ['GET', 0.5],
      ['PUT', 0.5],
      ['POST', 2],
    ] as const) {
      histogram.observe({ verb }, value);
      gauge.set({ verb }, value);
    }
    expect(await linesOf(registry, 'seconds_bucket{le="+Inf"')).toEqual([
      'seconds_bucket{le="+Inf",verb="GET"} 1',
      'seconds_bucket{le="+Inf",verb="unexpected"} 2',
    ]);
    expect(await linesOf(registry, 'seconds_sum')).toEqual([
      'seconds_sum{verb="GET"} 0.5',
      'seconds_sum{verb="unexpected"} 2.5',
    ]);
    expect(await linesOf(registry, 'level')).toEqual(['level{verb="unexpected"} 2']);
  });
});

describe.skipIf(!hasShared('facts/metrics.json'))('levels (skipped where facts/metrics.json is absent)', () => {
  interface Fact {
    readonly deprecatedVersion?: string;
  }
  const facts = hasShared('facts/metrics.json')
    ? (JSON.parse(readFileSync(sharedPath('facts/metrics.json'), 'utf8')) as Record<
        string,
        Record<string, Record<string, Fact>>
      >)
    : {};

  test.each(['STABLE', 'BETA', 'ALPHA'])('Metric levels are those of 1.32: %s', (level) => {
    const names = ['any', 'kube-apiserver'].flatMap((component) => Object.keys(facts[level]![component] ?? {}));
    // What is BETA upstream and is not here would be found by the test of what is served.
    const wrong = names.filter(
      (name) => levelOf(name)?.level !== level && !/flowcontrol|cel_|validating_admission_policy/.test(name),
    );
    expect(wrong).toEqual([]);
  });
});
