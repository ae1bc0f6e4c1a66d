import { describe, expect, test } from 'vitest';
import type { Pod } from '../../api/gen/types/core-v1.ts';
import { FakeClock } from '../../base/testing/fake-clock.ts';
import { actions, type ClusterEvent, clusterEvent, forceActivate } from '../framework/cluster-event.ts';
import type { Plugin } from '../framework/plugin.ts';
import { createPrioritySort } from '../plugins/priority-sort.ts';
import { createSchedulingGates } from '../plugins/scheduling-gates.ts';
import { pod, type TestPod } from '../testing/objects.ts';
import { NominatedPods } from './nominated-pods.ts';
import type { QueuedPod } from './queued-pod.ts';
import { QueueingHints } from './queueing-hints.ts';
import { SchedulingQueue } from './scheduling-queue.ts';

const nodeAdded = clusterEvent('Node', actions.add);
const nodeLabelled = clusterEvent('Node', actions.updateNodeLabel);
const podDeleted = clusterEvent('AssignedPod', actions.delete);

/** Refused by Picky, which is helped by nodes that are called good; Easy is helped by every deletion of a pod. */
const plugins: readonly Plugin[] = [
  createSchedulingGates(),
  { name: 'Picky', events: [{ resource: 'Node', action: actions.add, hint: (_, __, node) => node === 'good' }] },
  { name: 'Easy', events: [{ resource: 'Pod', action: actions.delete }] },
  {
    name: 'Broken',
    events: [
      {
        resource: 'Node',
        action: actions.updateNodeLabel,
        hint: () => {
          throw new Error('broken');
        },
      },
    ],
  },
];

class Scene {
  readonly clock = new FakeClock();
  readonly incoming: string[] = [];
  readonly failures: string[] = [];
  readonly queue: SchedulingQueue;

  constructor() {
    const gates = createSchedulingGates();
    this.queue = new SchedulingQueue({
      clock: this.clock,
      isBefore: createPrioritySort().isBefore,
      preEnqueue: (info) => gates.preEnqueue(info),
      hints: new QueueingHints(new Map([['default-scheduler', plugins]]), (plugin) => this.failures.push(plugin)),
      backoff: { initialMs: 1000, maxMs: 10_000 },
      nominated: new NominatedPods(),
      onIncoming: (queue, event) => this.incoming.push(`${queue} ${event}`),
    });
  }

  add(options: TestPod): Pod {
    const made = pod(options);
    this.queue.add(made);
    return made;
  }

  /** Adds a pod that is refused at once. */
  refused(by: readonly string[], pending: readonly string[] = [], meanwhile: () => void = () => undefined): QueuedPod {
    this.add({ name: 'p' });
    const queued = this.queue.pop()!;
    meanwhile();
    this.fail(queued, by, pending);
    return queued;
  }

  fail(queued: QueuedPod, by: readonly string[], pending: readonly string[] = []): void {
    queued.unschedulablePlugins = new Set(by);
    queued.pendingPlugins = new Set(pending);
    this.queue.addUnschedulable(queued);
  }

  /** Where the only pod is. */
  get place(): string {
    const counts = Object.entries(this.queue.counts).filter(([, count]) => count > 0);
    return counts.map(([name]) => name).join(' ');
  }
}

const move = (scene: Scene, event: ClusterEvent, after: unknown = 'good'): void =>
  scene.queue.move(event, undefined, after);

describe('the active queue', () => {
  test('The active queue gives the pod with the highest priority, of equals the one waiting longest', async () => {
    const scene = new Scene();
    for (const [name, priority] of [
      ['low', -1],
      ['first', 0],
      ['second', 0],
      ['high', 5],
    ] as const) {
      scene.add({ name, priority });
      await scene.clock.advance(1);
    }
    const names = Array.from({ length: 5 }, () => scene.queue.pop()?.info.name);
    expect(names).toEqual(['high', 'first', 'second', 'low', undefined]);
  });

  test('The active queue wakes the one who waits for a pod', async () => {
    const scene = new Scene();
    const waiting = scene.queue.wait();
    scene.add({});
    await waiting;
    expect(scene.queue.pop()?.info.name).toBe('p');
  });

  test('The active queue forgets a pod that is deleted, and shows changes of one that waits', () => {
    const scene = new Scene();
    const before = scene.add({ name: 'a' });
    scene.queue.delete(scene.add({ name: 'b' }));
    scene.queue.update(before, pod({ name: 'a', labels: { is: 'new' } }));
    expect(scene.queue.pop()?.info.pod.metadata.labels).toEqual({ is: 'new' });
    expect(scene.queue.pop()).toBeUndefined();
  });
});

describe('a pod that was refused', () => {
  test.each([
    { name: 'stays when nothing happens', by: ['Picky'], event: undefined, place: 'unschedulable' },
    { name: 'stays when the change is of another kind', by: ['Picky'], event: podDeleted, place: 'unschedulable' },
    { name: 'stays when the hint says no', by: ['Picky'], event: nodeAdded, after: 'bad', place: 'unschedulable' },
    { name: 'waits for its back-off when a change may help', by: ['Picky'], event: nodeAdded, place: 'backoff' },
    { name: 'is woken by what helps any of its plugins', by: ['Picky', 'Easy'], event: podDeleted, place: 'backoff' },
    { name: 'is woken when the hint fails', by: ['Broken'], event: nodeLabelled, place: 'backoff' },
    { name: 'is woken by what forces all', by: ['Picky'], event: forceActivate, place: 'backoff' },
    { name: 'by none is tried again after its back-off', by: [], event: undefined, place: 'backoff' },
    { name: 'and is pending is tried at once', by: [], pending: ['Picky'], event: nodeAdded, place: 'active' },
  ])('A pod that was refused: $name', ({ by, pending = [], event, after, place }) => {
    const scene = new Scene();
    scene.refused(by, pending);
    if (event !== undefined) move(scene, event, after);
    expect(scene.place).toBe(place);
  });

  test.each([
    { name: 'something that helps happened', by: ['Picky'], event: nodeAdded, place: 'backoff' },
    { name: 'something else happened', by: ['Picky'], event: podDeleted, place: 'unschedulable' },
    { name: 'what it is pending for happened', by: [], pending: ['Easy'], event: podDeleted, place: 'active' },
  ])('While $name goes to: $place', ({ by, pending = [], event, place }) => {
    const scene = new Scene();
    scene.refused(by, pending, () => move(scene, event));
    expect(scene.place).toBe(place);
    expect(scene.queue.inFlight).toMatchObject({ podCount: 0, eventCount: 0 });
  });

  test('A refused pod is active again when its back-off is over, which doubles up to a limit', async () => {
    const scene = new Scene();
    scene.add({});
    const waits: number[] = [];
    for (let attempt = 0; attempt < 6; attempt++) {
      const queued = scene.queue.pop()!;
      scene.fail(queued, []);
      const begun = scene.clock.now();
      while (scene.queue.counts.active === 0) await scene.clock.advance(500);
      waits.push(scene.clock.now() - begun);
    }
    // Each with the half second in which others may become active with it.
    expect(waits).toEqual([1500, 2500, 4500, 8500, 10_500, 10_500]);
  });

  test('A refused pod goes to the active queue at once when its back-off was over before the change', async () => {
    const scene = new Scene();
    scene.refused(['Picky']);
    await scene.clock.advance(1000);
    move(scene, nodeAdded);
    expect(scene.place).toBe('active');
    expect(scene.incoming).toEqual(['active PodAdd', 'unschedulable ScheduleAttemptFailure', 'active NodeAdd']);
  });

  test('A pod that was refused is tried again after five minutes without any change', async () => {
    const scene = new Scene();
    scene.refused(['Picky']);
    await scene.clock.advance(300_000);
    expect(scene.place).toBe('unschedulable');
    await scene.clock.advance(30_000);
    expect(scene.place).toBe('active');
    scene.queue.stop();
    expect(scene.clock.pending).toBe(0);
  });

  test('A pod that was refused is gone from every place when it is deleted', () => {
    const scene = new Scene();
    const { info } = scene.refused(['Picky']);
    scene.queue.delete(info.pod);
    move(scene, nodeAdded);
    expect(scene.place).toBe('');
  });
});

describe('scheduling gates', () => {
  test('Scheduling gates keep a pod out of the active queue until they are gone', () => {
    const scene = new Scene();
    const before = scene.add({ spec: { schedulingGates: [{ name: 'g' }] } });
    expect(scene.place).toBe('gated');
    move(scene, nodeAdded);
    expect(scene.place).toBe('gated');
    scene.queue.update(before, pod({}));
    expect(scene.place).toBe('active');
  });
});

describe('events while pods are in flight', () => {
  test('Events while pods are in flight are kept only as long as a pod needs them', () => {
    const scene = new Scene();
    for (let i = 0; i < 100; i++) scene.add({ name: `p${i}` });
    let most = 0;
    const flying: QueuedPod[] = [];
    for (let i = 0; i < 100; i++) {
      flying.push(scene.queue.pop()!);
      for (let event = 0; event < 10; event++) move(scene, podDeleted);
      if (flying.length > 3) scene.queue.done(flying.shift()!.uid);
      most = Math.max(most, scene.queue.inFlight.eventCount);
    }
    expect(most).toBeLessThan(200);
    for (const queued of flying) scene.queue.done(queued.uid);
    expect(scene.queue.inFlight.eventCount).toBe(0);
  });
});

test('A hint that fails is told', () => {
  const scene = new Scene();
  scene.refused(['Broken']);
  move(scene, nodeLabelled);
  expect(scene.failures).toEqual(['Broken']);
});

test.each([
  { name: 'in the same second', lowAt: 100, highAt: 500 },
  { name: 'on both sides of a full second', lowAt: 900, highAt: 1300 },
])(
  'Pods whose back-off ends within half a second become active together, the most important first: $name',
  async ({ lowAt, highAt }) => {
    const scene = new Scene();
    await scene.clock.advance(lowAt);
    scene.add({ name: 'low', priority: 0 });
    scene.fail(scene.queue.pop()!, []);
    await scene.clock.advance(highAt - lowAt);
    scene.add({ name: 'high', priority: 1 });
    scene.fail(scene.queue.pop()!, []);
    await scene.clock.advance(lowAt + 1499 - highAt);
    expect(scene.queue.counts).toMatchObject({ active: 0, backoff: 2 });
    await scene.clock.advance(1);
    expect([scene.queue.pop()?.info.name, scene.queue.pop()?.info.name]).toEqual(['high', 'low']);
  },
);
