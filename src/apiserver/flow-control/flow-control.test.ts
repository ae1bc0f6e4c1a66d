import { describe, expect, test } from 'vitest';
import type { FlowSchema, PriorityLevelConfiguration } from '../../api/gen/types/flowcontrol-v1.ts';
import { suggestedFlowSchemas, suggestedPriorityLevels } from '../../api/flowcontrol/suggested.ts';
import { FakeClock } from '../../base/testing/fake-clock.ts';
import { allMetrics, MetricRegistry } from '../../server/metrics/metric-registry.ts';
import { parseRequestInfo } from '../request/request-info.ts';
import type { SeatRequest } from './fair-queue.ts';
import type { Entry } from './fair-queues.ts';
import { type Classified, FlowControl } from './flow-control.ts';
import { FlowControlMetrics } from './flow-control-metrics.ts';
import { dumpLevels, dumpQueues, dumpRequests } from './dumps.ts';

const level = (name: string, limited: NonNullable<PriorityLevelConfiguration['spec']['limited']>) => ({
  metadata: { name, uid: `uid-of-${name}` },
  spec: { type: 'Limited', limited },
  status: {},
});
const schema = (name: string, levelName: string, user: string, method: 'ByUser' | 'ByNamespace' = 'ByUser') =>
  ({
    metadata: { name, uid: `uid-of-${name}` },
    spec: {
      priorityLevelConfiguration: { name: levelName },
      matchingPrecedence: 500,
      distinguisherMethod: { type: method },
      rules: [
        {
          subjects: [{ kind: 'User', user: { name: user } }],
          resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true }],
        },
      ],
    },
    status: {},
  }) satisfies FlowSchema;
const suggestedLevels = [...suggestedPriorityLevels].map(([name, spec]) => ({ metadata: { name }, spec, status: {} }));
const suggestedSchemas = [...suggestedFlowSchemas].map(([name, spec]) => ({ metadata: { name }, spec, status: {} }));
const rejecting = { nominalConcurrencyShares: 1, borrowingLimitPercent: 0, limitResponse: { type: 'Reject' } };
const queuing = {
  ...rejecting,
  limitResponse: { type: 'Queue', queuing: { queues: 2, handSize: 1, queueLengthLimit: 3 } },
};

class Scene {
  readonly clock = new FakeClock();
  readonly registry = new MetricRegistry(allMetrics);
  readonly control = new FlowControl({
    seats: 30,
    clock: this.clock,
    countOf: () => undefined,
    metrics: new FlowControlMetrics(this.registry, () => this.clock.now()),
  });

  configure(levels: readonly PriorityLevelConfiguration[], schemas: readonly FlowSchema[]): void {
    this.control.configure([...suggestedLevels, ...levels], [...suggestedSchemas, ...schemas]);
  }

  enter(user = 'alice', path = '/api/v1/namespaces/ns/configmaps/a', groups = ['system:authenticated']) {
    const info = parseRequestInfo('GET', path, new URLSearchParams());
    const who = { name: user, groups };
    const classified = this.control.classify(info, who);
    return { classified, ...this.control.enter(classified, { info, user: who }, new URLSearchParams()) };
  }

  finish({ classified, request }: { classified: Classified; request: SeatRequest; entry: Entry }): void {
    this.control.finish(classified, request);
  }
}

describe('the level of a request', () => {
  test.each([
    { name: 'without objects, by the mandatory ones', levels: false, user: 'alice', groups: [], found: 'catch-all' },
    { name: 'of an operator', levels: true, user: 'root', groups: ['system:masters'], found: 'exempt' },
    { name: 'of a node', levels: true, user: 'system:node:n', groups: ['system:nodes'], found: 'system' },
    { name: 'of a scheduler', levels: true, user: 'system:kube-scheduler', groups: [], found: 'workload-high' },
    { name: 'of a user', levels: true, user: 'alice', groups: ['system:authenticated'], found: 'global-default' },
    { name: 'of a user of no group', levels: true, user: 'alice', groups: [], found: 'catch-all' },
  ])('The level is found for a request $name', ({ levels, user, groups, found }) => {
    const scene = new Scene();
    if (levels) scene.configure([], []);
    expect(scene.enter(user, '/api/v1/pods', groups).classified.level.name).toBe(found);
  });

  test('A schema counts only while its level is there', () => {
    const scene = new Scene();
    scene.configure([], [schema('s', 'l', 'alice')]);
    expect(scene.enter().classified.schema.name).toBe('global-default');
    scene.configure([level('l', rejecting)], [schema('s', 'l', 'alice')]);
    expect(scene.enter().classified).toMatchObject({ schema: { uid: 'uid-of-s' }, level: { uid: 'uid-of-l' } });
  });

  test('Flows are told apart by user or by namespace', () => {
    const scene = new Scene();
    scene.configure([level('l', rejecting)], [schema('s', 'l', 'alice'), schema('t', 'l', 'bob', 'ByNamespace')]);
    expect([scene.enter('alice').classified.distinguisher, scene.enter('bob').classified.distinguisher]).toEqual([
      'alice',
      'ns',
    ]);
  });
});

describe('a level in use', () => {
  test('A level that is deleted is kept until its last request ends', () => {
    const scene = new Scene();
    scene.configure([level('l', rejecting)], [schema('s', 'l', 'alice')]);
    const held = scene.enter();
    scene.configure([], [schema('s', 'l', 'alice')]);
    expect(scene.enter().classified.level.name).toBe('global-default');
    expect(dumpLevels(scene.control)).toMatch(/^l, +0, +false, +true, +0, +1,/m);
    scene.finish(held);
    expect(scene.control.levels.map(({ name }) => name)).not.toContain('l');
  });

  test('Seats that are not asked for go to a level that may borrow, and come back', async () => {
    const scene = new Scene();
    scene.configure([], []);
    const limit = (): number => scene.control.levels.find(({ name }) => name === 'global-default')!.queues.limit;
    const all = Array.from({ length: 40 }, (_, i) => scene.enter(`user-${i}`));
    const before = limit();
    await scene.clock.advance(10_000);
    scene.control.adjust();
    expect(limit()).toBeGreaterThan(before);
    for (const entered of all) if (entered.request.startedAt !== undefined) scene.finish(entered);
  });
});

test('Tables show levels, queues and requests', async () => {
  const scene = new Scene();
  scene.configure([level('l', queuing)], [schema('s', 'l', 'alice')]);
  const held = scene.enter();
  await scene.clock.advance(1000);
  const waits = scene.enter();
  expect([held.entry, waits.entry]).toEqual(['running', 'waiting']);
  const linesOf = (text: string): string[] =>
    text
      .split('\n')
      .filter((line) => line.startsWith('l,'))
      .map((line) => line.replace(/ +/g, ' ').replace(/, [01], (-?\d), alice/, ', <queue>, $1, alice'));
  expect(linesOf(dumpLevels(scene.control))).toEqual(['l, 1, false, false, 1, 1, 1, 0, 0, 0']);
  expect(linesOf(dumpQueues(scene.control))).toHaveLength(2);
  const clock = { now: 1000, date: new Date('2026-01-01T00:00:01Z') };
  expect(linesOf(dumpRequests(scene.control, false, clock))).toEqual([
    'l, s, <queue>, 0, alice, 2026-01-01T00:00:01Z, 1, 0, 0s, 0001-01-01T00:00:00Z',
    'l, s, <queue>, -1, alice, 2026-01-01T00:00:00Z, 1, 0, 0s, 2026-01-01T00:00:00Z',
  ]);
  expect(linesOf(dumpRequests(scene.control, true, clock))[1]).toMatch(
    /alice, get, \/api\/v1\/namespaces\/ns\/configmaps\/a, ns, a, v1, configmaps, $/,
  );
});

test('Metrics count what runs, waits and is refused', async () => {
  const scene = new Scene();
  scene.configure([level('l', rejecting)], [schema('s', 'l', 'alice')]);
  const held = scene.enter();
  scene.enter();
  const lines = async (): Promise<string[]> =>
    (await scene.registry.metrics()).split('\n').filter((line) => line.includes('priority_level="l"'));
  expect(await lines()).toEqual(
    expect.arrayContaining([
      'apiserver_flowcontrol_current_executing_requests{flow_schema="s",priority_level="l"} 1',
      'apiserver_flowcontrol_rejected_requests_total{flow_schema="s",priority_level="l",reason="concurrency-limit"} 1',
      'apiserver_flowcontrol_nominal_limit_seats{priority_level="l"} 1',
      'apiserver_flowcontrol_current_limit_seats{priority_level="l"} 1',
    ]),
  );
  scene.finish(held);
  expect(await lines()).toContain(
    'apiserver_flowcontrol_current_executing_requests{flow_schema="s",priority_level="l"} 0',
  );
});

describe('metrics', () => {
  /** By upstream 1.32. */
  const named = [
    'current_executing_requests',
    'current_executing_seats',
    'current_inqueue_requests',
    'current_inqueue_seats',
    'current_limit_seats',
    'current_r',
    'demand_seats',
    'demand_seats_average',
    'demand_seats_high_watermark',
    'demand_seats_smoothed',
    'demand_seats_stdev',
    'dispatch_r',
    'dispatched_requests_total',
    'epoch_advance_total',
    'latest_s',
    'lower_limit_seats',
    'next_discounted_s_bounds',
    'next_s_bounds',
    'nominal_limit_seats',
    'priority_level_request_utilization',
    'priority_level_seat_utilization',
    'read_vs_write_current_requests',
    'rejected_requests_total',
    'request_dispatch_no_accommodation_total',
    'request_execution_seconds',
    'request_queue_length_after_enqueue',
    'request_wait_duration_seconds',
    'seat_fair_frac',
    'target_seats',
    'upper_limit_seats',
    'watch_count_samples',
    'work_estimated_seats',
  ];
  const deprecated = ['request_concurrency_in_use', 'request_concurrency_limit'];
  const namesOf = async (registry: MetricRegistry): Promise<string[]> =>
    [...(await registry.metrics()).matchAll(/^# TYPE apiserver_flowcontrol_(\S+)/gm)].map(([, name]) => name!).sort();

  test('All metrics that 1.32 has are there, and the deprecated ones where they are asked for', async () => {
    expect(await namesOf(new Scene().registry)).toEqual(named);
    const registry = new MetricRegistry({ ...allMetrics, showHidden: true });
    const metrics = new FlowControlMetrics(registry, () => 0);
    new FlowControl({ seats: 1, clock: new FakeClock(), countOf: () => undefined, metrics });
    expect(await namesOf(registry)).toEqual([...named, ...deprecated].sort());
  });

  test('Use of a level is observed over the time, by its limits', async () => {
    const scene = new Scene();
    scene.configure([level('narrow', queuing)], [schema('own', 'narrow', 'alice')]);
    const sent = [scene.enter(), scene.enter(), scene.enter()];
    await scene.clock.advance(1000);
    for (const one of sent) scene.finish(one);
    const text = await scene.registry.metrics();
    const sumOf = (name: string, labels: string): number =>
      Number(new RegExp(`^apiserver_flowcontrol_${name}_sum\\{${labels}\\} (.*)$`, 'm').exec(text)?.[1]);
    const own = 'priority_level="narrow"';
    expect({
      demand: sumOf('demand_seats', own),
      waiting: sumOf('priority_level_request_utilization', `phase="waiting",${own}`),
      executing: sumOf('priority_level_request_utilization', `phase="executing",${own}`),
      seats: sumOf('priority_level_seat_utilization', `phase="executing",${own}`),
    }).toEqual({ demand: 3e9, waiting: (2 / 6) * 1e9, executing: 1e9, seats: 1e9 });
  });

  test('Virtual time is shown as it was for the last request, and for the next ones', async () => {
    const scene = new Scene();
    scene.configure([level('narrow', queuing)], [schema('own', 'narrow', 'alice')]);
    const sent = [scene.enter(), scene.enter()];
    await scene.clock.advance(2000);
    scene.finish(sent[0]!);
    scene.enter();
    const text = await scene.registry.metrics();
    const of = (name: string): string[] =>
      [...text.matchAll(new RegExp(`^apiserver_flowcontrol_${name}\\{(.*)\\} (.*)$`, 'gm'))]
        .filter(([, labels]) => labels!.includes('"narrow"'))
        .map(([, , value]) => value!);
    expect({
      current: of('current_r'),
      dispatch: of('dispatch_r'),
      latest: of('latest_s'),
      next: of('next_s_bounds'),
      discounted: of('next_discounted_s_bounds'),
    }).toEqual({
      current: ['2'],
      dispatch: ['2'],
      latest: ['2'],
      next: ['2.003', '2.003'],
      discounted: ['2', '2'],
    });
  });
});
