/** Scenarios of one autoscaler over time, on a clock that stands still between two looks. */
import { expect, test } from 'vitest';
import type { HorizontalPodAutoscaler, HorizontalPodAutoscalerSpec } from '../../api/gen/types/autoscaling-v2.ts';
import type { Pod } from '../../api/gen/types/core-v1.ts';
import { FakeClock } from '../../base/testing/fake-clock.ts';
import type { ControllerContext } from '../manager/context.ts';
import { defaultControllerManagerOptions } from '../manager/options.ts';
import { Autoscaler, type AutoscalerParts } from './autoscaler.ts';

const startMs = Date.parse('2026-01-01T12:00:00Z');

const pod = (index: number): Pod =>
  ({
    metadata: { name: `p${index}`, labels: { app: 'web' } },
    spec: { containers: [{ name: 'c', resources: { requests: { cpu: '100m' } } }] },
    status: {
      phase: 'Running',
      startTime: '2025-01-01T00:00:00Z',
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2025-01-01T00:00:00Z' }],
    },
  }) as unknown as Pod;

interface World {
  readonly clock: FakeClock;
  readonly events: string[];
  object: HorizontalPodAutoscaler | undefined;
  /** What the target is to have. */
  replicas: number;
  /** CPU that each pod uses, in thousandths; an error where the metrics API has none. */
  usage: number | Error;
  selector: string;
  scaleError?: Error;
  updateError?: Error;
  look(): Promise<unknown>;
}

function world(spec: Partial<HorizontalPodAutoscalerSpec>, replicas: number): World {
  const clock = new FakeClock();
  const events: string[] = [];
  const w: World = {
    ...{ clock, events, replicas, usage: 50, selector: 'app=web' },
    object: {
      metadata: { name: 'web', namespace: 'n' },
      spec: {
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
        ...{ minReplicas: 1, maxReplicas: 20 },
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } },
        ],
        ...spec,
      },
    } as HorizontalPodAutoscaler,
    look: () => autoscaler.sync('n/web').catch((error: unknown) => error),
  };
  const autoscalers = {
    namespace: () => ({
      status: { update: (object: HorizontalPodAutoscaler) => Promise.resolve((w.object = object)) },
    }),
  };
  const context = {
    ...{ clock, wallTime: () => startMs + clock.now(), options: defaultControllerManagerOptions, metrics: undefined },
    events: {
      event: (_: unknown, type: string, reason: string, message: string) =>
        void events.push(`${type} ${reason}: ${message}`),
    },
    client: { autoscaling: { v2: { horizontalpodautoscalers: autoscalers } } },
  } as unknown as ControllerContext;
  const pods = (): Pod[] => Array.from({ length: w.replicas }, (_, index) => pod(index));
  const parts = {
    autoscalers: { objects: { get: () => w.object } },
    pods: { lister: { listIn: pods } },
    scales: {
      resourceInGroup: () => Promise.resolve({ group: 'apps', version: 'v1', resource: 'deployments' }),
      get: () =>
        w.scaleError === undefined
          ? Promise.resolve({
              spec: { replicas: w.replicas },
              status: { replicas: w.replicas, selector: w.selector },
            })
          : Promise.reject(w.scaleError),
      update: (_: unknown, __: unknown, { spec: next }: { spec: { replicas: number } }) => {
        if (w.updateError !== undefined) return Promise.reject(w.updateError);
        w.replicas = next.replicas;
        return Promise.resolve();
      },
    },
    metrics: {
      resource: () =>
        w.usage instanceof Error
          ? Promise.reject(w.usage)
          : Promise.resolve(
              new Map(
                pods().map(({ metadata }) => [
                  metadata.name!,
                  { value: w.usage as number, timestampMs: startMs + clock.now(), windowMs: 60_000 },
                ]),
              ),
            ),
    },
  } as unknown as AutoscalerParts;
  const autoscaler = new Autoscaler(context, parts);
  return w;
}

/** What is changed before a look, when it is, and how many pods there are to be after it. */
interface Look extends Partial<Pick<World, 'usage' | 'replicas' | 'selector' | 'scaleError' | 'updateError'>> {
  /** Seconds since the look before. */
  readonly after?: number;
  readonly is: number;
  /** Reasons of the conditions, by type. */
  readonly says?: Readonly<Record<string, string>>;
  readonly tells?: readonly string[];
}

interface Scenario {
  readonly name: string;
  readonly spec?: Partial<HorizontalPodAutoscalerSpec>;
  readonly from: number;
  readonly looks: readonly Look[];
}

const noMetrics = new Error('unable to fetch metrics from resource metrics API: the server is away');
const noUtilization = `failed to get cpu utilization: unable to get metrics for resource cpu: ${noMetrics.message}`;
const rescaled = (size: number, reason: string): string =>
  `Normal SuccessfulRescale: New size: ${size}; reason: ${reason}`;
const over = 'cpu resource utilization (percentage of request) above target';

test.each<Scenario>([
  {
    name: 'is left as it is where it uses what it should',
    from: 3,
    looks: [
      { usage: 50, is: 3, says: { AbleToScale: 'ReadyForNewScale', ScalingActive: 'ValidMetricFound' }, tells: [] },
      { after: 15, usage: 54, is: 3, says: { ScalingLimited: 'DesiredWithinRange' }, tells: [] },
    ],
  },
  {
    name: 'grows at once, to twice its size at a time',
    from: 4,
    looks: [
      { usage: 200, is: 8, says: { ScalingLimited: 'ScaleUpLimit' }, tells: [rescaled(8, over)] },
      { after: 15, is: 16, says: { ScalingLimited: 'ScaleUpLimit' } },
      { after: 15, is: 20, says: { AbleToScale: 'SucceededRescale', ScalingLimited: 'TooManyReplicas' } },
    ],
  },
  {
    name: 'shrinks when it used less for five minutes',
    from: 8,
    looks: [
      { usage: 50, is: 8 },
      { after: 15, usage: 25, is: 8, says: { AbleToScale: 'ScaleDownStabilized' } },
      { after: 284, is: 8, says: { AbleToScale: 'ScaleDownStabilized' } },
      { after: 2, is: 4, tells: [rescaled(4, 'All metrics below target')] },
    ],
  },
  {
    name: 'does not shrink while peaks come back',
    from: 8,
    looks: [
      { usage: 50, is: 8 },
      { after: 200, usage: 25, is: 8 },
      { after: 60, usage: 50, is: 8 },
      { after: 200, usage: 25, is: 8, says: { AbleToScale: 'ScaleDownStabilized' } },
      { after: 101, is: 4 },
    ],
  },
  {
    name: 'shrinks by its own policy, one pod a minute',
    spec: {
      behavior: {
        scaleUp: {
          selectPolicy: 'Max',
          stabilizationWindowSeconds: 0,
          policies: [{ type: 'Pods', value: 4, periodSeconds: 60 }],
        },
        scaleDown: {
          selectPolicy: 'Max',
          stabilizationWindowSeconds: 0,
          policies: [{ type: 'Pods', value: 1, periodSeconds: 60 }],
        },
      },
    },
    from: 8,
    looks: [
      { usage: 10, is: 7, says: { ScalingLimited: 'ScaleDownLimit' } },
      { after: 59, is: 7 },
      { after: 2, is: 6 },
      { after: 61, is: 5 },
    ],
  },
  {
    name: 'goes to its bounds without asking for metrics',
    spec: { minReplicas: 2, maxReplicas: 5 },
    from: 9,
    looks: [
      { usage: noMetrics, is: 5, tells: [rescaled(5, 'Current number of replicas above Spec.MaxReplicas')] },
      { after: 15, replicas: 1, is: 2, tells: [rescaled(2, 'Current number of replicas below Spec.MinReplicas')] },
    ],
  },
  {
    name: 'is left alone at size zero, and followed again from one',
    from: 0,
    looks: [
      { usage: 200, is: 0, says: { ScalingActive: 'ScalingDisabled' } },
      { after: 15, replicas: 1, is: 4, says: { ScalingActive: 'ValidMetricFound' } },
    ],
  },
  {
    name: 'keeps its size while there are no metrics, and follows them again',
    from: 4,
    looks: [
      {
        usage: noMetrics,
        is: 4,
        says: { ScalingActive: 'FailedGetResourceMetric' },
        tells: [
          `Warning FailedGetResourceMetric: ${noUtilization}`,
          'Warning FailedComputeMetricsReplicas: invalid metrics (1 invalid out of 1), first error is: ' +
            `failed to get cpu resource metric value: ${noUtilization}`,
        ],
      },
      { after: 15, usage: 100, is: 8, says: { ScalingActive: 'ValidMetricFound' } },
    ],
  },
  {
    name: 'that is not there is told of',
    from: 4,
    looks: [
      {
        scaleError: new Error('deployments.apps "web" not found'),
        is: 4,
        says: { AbleToScale: 'FailedGetScale' },
        tells: ['Warning FailedGetScale: deployments.apps "web" not found'],
      },
    ],
  },
  {
    name: 'that cannot be scaled is tried again at the next look',
    from: 4,
    looks: [
      {
        usage: 100,
        updateError: new Error('full'),
        is: 4,
        says: { AbleToScale: 'FailedUpdateScale' },
        tells: [`Warning FailedRescale: New size: 8; reason: ${over}; error: full`],
      },
      { after: 15, is: 8, says: { AbleToScale: 'SucceededRescale' } },
    ],
  },
  {
    name: 'without a selector is told of',
    from: 4,
    looks: [
      {
        selector: '',
        is: 4,
        says: { ScalingActive: 'InvalidSelector' },
        tells: [
          'Warning SelectorRequired: selector is required',
          'Warning FailedComputeMetricsReplicas: selector is required',
        ],
      },
    ],
  },
])('A workload that is scaled by the CPU of its pods $name', async ({ spec = {}, from, looks }) => {
  const w = world(spec, from);
  for (const { after = 0, is, says = {}, tells, ...changes } of looks) {
    await w.clock.advance(after * 1000);
    delete w.scaleError;
    delete w.updateError;
    Object.assign(w, changes);
    w.events.length = 0;
    await w.look();
    expect(w.replicas).toBe(is);
    const reasons = (w.object!.status?.conditions ?? []).map(({ type, reason }) => [type, reason]);
    expect(Object.fromEntries(reasons)).toMatchObject(says);
    if (tells !== undefined) expect(w.events).toEqual(tells);
  }
});

test('An autoscaler that is gone is forgotten: one of its name begins without a history', async () => {
  const w = world({}, 8);
  await w.look();
  const { object } = w;
  w.object = undefined;
  await w.look();
  w.object = object;
  w.replicas = 4;
  w.usage = 25;
  await w.clock.advance(15_000);
  await w.look();
  await w.clock.advance(300_001);
  await w.look();
  expect(w.replicas).toBe(2);
});
