import { describe, expect, test } from 'vitest';
import type { Pod } from '../../../api/gen/types/core-v1.ts';
import { HollowNode } from '../nodes/hollow-node.ts';
import { SimulatedRuntime } from '../simulated-runtime.ts';
import { StageLanes } from '../stages/lifecycle.ts';
import { parseStages } from '../stages/stage-file.ts';
import { compileStage } from '../stages/stage.ts';
import type { TemplateContext } from '../stages/template/functions.ts';
import { createHollowPod } from './hollow-pod.ts';
import { ObjectStages } from './object-stages.ts';

const stage = (spec: string): string => `
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: {name: again}
spec: {resourceRef: {kind: Pod}, selector: {}, ${spec}}`;

const context: TemplateContext = {
  now: '2026-01-01T00:00:00Z',
  startTime: '',
  nodeName: '',
  nodePort: 0,
  nodeIPs: () => [],
  podIPs: () => [],
};

function setUp(spec: string, versionAfter: (version: number) => number) {
  const time = { nowMs: 0 };
  const nowMs = (): number => time.nowMs;
  const first = {
    metadata: { name: 'web', namespace: 'default', uid: 'u', resourceVersion: '1' },
    spec: { containers: [{ name: 'main' }] },
    status: {},
  } as Pod;
  const stages = new ObjectStages({
    stages: new StageLanes(parseStages(stage(spec)).map(compileStage), []),
    runtime: new SimulatedRuntime({ nowMs, assignIPs: () => [] }),
    nowMs,
    random: () => 0,
    events: { event: () => undefined, flush: () => Promise.resolve(), stop: () => Promise.resolve() },
    templateContext: () => context,
    pods: {
      source: () => {
        throw new Error('not read here');
      },
      patch: (pod) => {
        const resourceVersion = String(versionAfter(Number(pod.metadata.resourceVersion)));
        return Promise.resolve({ ...pod, metadata: { ...pod.metadata, resourceVersion } });
      },
      delete: () => Promise.resolve(),
    },
  });
  return { stages, first, hollow: createHollowPod(first, new HollowNode('n-', 0, 110), 0), time };
}

describe('stages that write pods', () => {
  test('A stage that matches again and again is applied twice at once, then every 1 s, 2 s, up to 30 s', async () => {
    const { stages, first, hollow, time } = setUp("next: {statusTemplate: 'reason: x'}", (version) => version + 1);
    const delays: number[] = [];
    let pod = first;
    for (let times = 0; times < 9; times++) {
      const due = stages.due(pod, hollow)!;
      delays.push((due.atMs - time.nowMs) / 1000);
      time.nowMs = due.atMs;
      pod = (await stages.apply(due, pod, hollow, new AbortController().signal))!;
    }
    expect(delays).toEqual([0, 0, 1, 2, 4, 8, 16, 30, 30]);
  });

  test('A stage that changes nothing is not applied to the same version again', async () => {
    const { stages, first, hollow } = setUp("next: {statusTemplate: 'reason: x'}", (version) => version);
    const pod = await stages.apply(stages.due(first, hollow)!, first, hollow, new AbortController().signal);
    expect(stages.due(pod!, hollow)).toBeUndefined();
    const changed = { ...first, metadata: { ...first.metadata, resourceVersion: '2' } };
    expect(stages.due(changed, hollow)).toBeDefined();
  });

  test.each([
    { name: 'a status', spec: "next: {statusTemplate: 'reason: x'}", isInCharge: false },
    { name: 'a deletion', spec: 'next: {delete: true}', isInCharge: true },
    { name: 'finalizers', spec: 'next: {finalizers: {empty: true}}', isInCharge: true },
  ])('A pod that is being deleted waits for a stage with $name: $isInCharge', ({ spec, isInCharge }) => {
    const { stages, first, hollow } = setUp(spec, (version) => version);
    const deleted = { ...first, metadata: { ...first.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
    const due = stages.due(deleted, hollow)!;
    expect(stages.isInCharge(due, deleted)).toBe(isInCharge);
    expect(stages.isInCharge(due, first)).toBe(true);
  });
});
