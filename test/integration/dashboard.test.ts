/** The Grafana dashboard: each of its queries is about metrics and labels that a server shows. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { optionalToolFolder } from '../../hack/lib/test-tools.mjs';
import { Prometheus } from '../support/prometheus.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
}

const file = new URL('../../manifests/monitoring/grafana-dashboard.json', import.meta.url);
const dashboard = JSON.parse(await readFile(file, 'utf8')) as { readonly panels: readonly Panel[] };
const queries = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr, legendFormat }) => ({ title, expr, legendFormat })),
);

let server: TestServer;
/** Names of labels by the name of the metric, as they are shown. */
const labels = new Map<string, Set<string>>();

beforeAll(async () => {
  server = await startTestServer({ flags: ['--event-loop-stall-threshold=5s'], settled: true });
  const maps = '/api/v1/namespaces/default/configmaps';
  await server.send('POST', maps, { body: { metadata: { name: 'shown' } } });
  await server.send('GET', maps);
  await server.send('GET', '/readyz');
  await server.send('GET', `${maps}?watch=true&resourceVersion=0&timeoutSeconds=1`);
  for (const line of (await server.send('GET', '/metrics')).text.split('\n')) {
    const [, declared] = /^# TYPE (\S+) /.exec(line) ?? [];
    const [, name, pairs = ''] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? \S+$/.exec(line) ?? [];
    if (declared !== undefined) labels.set(declared, labels.get(declared) ?? new Set());
    if (name === undefined) continue;
    const known = labels.get(name) ?? new Set();
    for (const [, label] of pairs.matchAll(/([a-zA-Z_]\w*)="/g)) known.add(label!);
    labels.set(name, known);
  }
});
afterAll(() => server[Symbol.asyncDispose]());

/** What a query selects: a name before braces that is no function. */
const selectors = (expr: string): string[] => [...expr.matchAll(/([a-z_:][\w:]*)\{/g)].map(([, name]) => name!);
/** A histogram is declared by the name of its series without their ends. */
const declaredAs = (name: string): string => name.replace(/_(?:bucket|sum|count)$/, '');
/** Set by Prometheus itself. */
const ofTheScrape = new Set(['job', 'instance']);

const tools = optionalToolFolder('prometheus');
/** What happens in trouble only. */
const unseen = new Set([
  'apiserver_request_terminations_total',
  'apiserver_request_aborts_total',
  'kubernetes_healthcheck',
]);

describe('the Grafana dashboard', () => {
  test('The Grafana dashboard has panels that do not overlap, each with a number of its own', () => {
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, i) => `${x + (i % w)}/${y + Math.floor(i / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
    expect(queries.length).toBeGreaterThan(25);
  });

  test.each(queries)('The query of panel $title is about what /metrics shows: $expr', ({ expr, legendFormat }) => {
    const names = selectors(expr);
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) {
      expect([...labels.keys()]).toContain(declaredAs(name));
      const shown = labels.get(name);
      // A series that has not happened yet is declared, and its labels are not known.
      if (shown === undefined || shown.size === 0) continue;
      const grouped = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list]) => list!.split(/,\s*/));
      const selected = [...expr.matchAll(/([a-z_]\w*)(?:=|!=|=~|!~)"/g)].map(([, label]) => label!);
      const inLegend = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label!);
      const used = new Set([...grouped, ...selected, ...inLegend].filter((label) => !ofTheScrape.has(label)));
      expect([...used].filter((label) => !shown.has(label))).toEqual([]);
    }
  });

  const asked = (expr: string): string => expr.replaceAll('$__rate_interval', '1m').replaceAll('$job', '.+');

  test.skipIf(tools === undefined)(
    'The Grafana dashboard has queries that Prometheus can parse (skipped where promtool is not installed)',
    async () => {
      const directory = await mkdtemp(path.join(tmpdir(), 'orch-dashboard-'));
      try {
        const rules = path.join(directory, 'rules.json');
        const rule = ({ expr }: { expr: string }, index: number) => ({
          record: `dashboard:query${index}`,
          expr: asked(expr),
        });
        await writeFile(rules, JSON.stringify({ groups: [{ name: 'dashboard', rules: queries.map(rule) }] }));
        await promisify(execFile)(path.join(tools!, 'promtool'), ['check', 'rules', rules]);
      } finally {
        await rm(directory, { recursive: true });
      }
    },
  );

  test.skipIf(tools === undefined)(
    'A Prometheus that scrapes the server over TLS answers each query (skipped where Prometheus is not installed)',
    async () => {
      const target = { url: server.url, ca: server.ca, token: 'admintoken' };
      await using prometheus = await Prometheus.start(path.join(tools!, 'prometheus'), target);
      const empty: string[] = [];
      for (const { expr } of queries) if ((await prometheus.query(asked(expr))).length === 0) empty.push(expr);
      // All others are about what this server has seen.
      expect(empty.flatMap(selectors).filter((name) => !unseen.has(name))).toEqual([]);
      const labels = await prometheus.query('count by (job) (kubernetes_build_info)');
      expect(labels.map(({ metric }) => metric['job'])).toEqual(['apiserver']);
    },
  );

  test.skipIf(tools === undefined)('What the server shows has the form that promtool wants', async () => {
    const { text } = await server.send('GET', '/metrics');
    const check = promisify(execFile)(path.join(tools!, 'promtool'), ['check', 'metrics']);
    check.child.stdin!.end(text);
    // It also has opinions about names, which are given by upstream.
    const said = await check.then(
      ({ stderr }) => stderr,
      (error: { stderr: string }) => error.stderr,
    );
    expect(said).not.toMatch(/error while linting|parsing/);
  });
});
