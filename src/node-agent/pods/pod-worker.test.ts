import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Pod } from '../../api/gen/types/core-v1.ts';
import { GrpcError } from '../../grpc/grpc-error.ts';
import { GrpcCode } from '../../grpc/status.ts';
import { podOf, type PodShape } from '../pod-lifecycle/testing/states.ts';
import { simulateNode, type SimulatedNode } from './testing/simulated-node.ts';

interface Running extends SimulatedNode {
  readonly pod: Pod;
}

/** Until nothing is left to do. */
async function run(shape: PodShape): Promise<Running> {
  const node = await simulateNode();
  const pod = { ...podOf(shape), status: {} };
  await node.context.cache.relist();
  node.workers.set(pod);
  await node.settle();
  return Object.assign(Object.create(node) as SimulatedNode, { pod });
}

const deleted = (pod: Pod, seconds: number): Pod => ({
  ...pod,
  metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:01:00Z', deletionGracePeriodSeconds: seconds },
});

const eventsOf = ({ events }: SimulatedNode, reason: string): string[] =>
  events.filter((event) => event.split(' ')[1] === reason);

const startsOf = ({ containers }: SimulatedNode, name: string): number =>
  containers.calls.filter((call) => call === `startContainer ${name}`).length;

describe('A pod that starts', () => {
  test('A pod gets a sandbox, then its containers in order', async () => {
    const node = await run({ init: ['init', 'side'], main: ['a', 'b'] });
    expect(node.containers.calls).toEqual(['runPodSandbox web', 'createContainer init', 'startContainer init']);
    node.containers.end('init', 0);
    await node.pass(1);
    expect(node.containers.calls.slice(3)).toEqual([
      'createContainer side',
      'startContainer side',
      'createContainer a',
      'startContainer a',
      'createContainer b',
      'startContainer b',
    ]);
    expect(node.statusOf()?.phase).toBe('Running');
    expect(node.events).toContain('Normal Started spec.containers{a} Started container a');
    expect(node.events).toContain('Normal Created spec.initContainers{side} Created container: side');
  });

  test('A pod says why its sandbox cannot be made, and tries again after ten seconds', async () => {
    const node = await simulateNode();
    node.containers.failures.set('runPodSandbox web', new GrpcError(GrpcCode.unknown, 'no address'));
    await node.context.cache.relist();
    node.workers.set({ ...podOf({}), status: {} });
    await node.settle();
    expect(node.events).toEqual([
      'Warning FailedCreatePodSandBox Failed to create pod sandbox: rpc error: code = Unknown desc = no address',
    ]);
    await node.pass(9);
    expect(node.containers.sandboxes.size).toBe(0);
    await node.pass(1);
    expect(node.statusOf()?.phase).toBe('Running');
  });

  test.each([
    { name: 'cannot be made', call: 'createContainer a' },
    { name: 'cannot be started', call: 'startContainer a' },
  ])('A pod goes on with its other containers when one $name', async ({ call }) => {
    const node = await simulateNode();
    node.containers.failures.set(call, new GrpcError(GrpcCode.unknown, 'its disk is full'));
    await node.context.cache.relist();
    node.workers.set({ ...podOf({ main: ['a', 'b'] }), status: {} });
    await node.settle();
    await node.pass(1);
    expect(node.statusOf()?.containerStatuses?.[1]?.state.running).toBeDefined();
    expect(node.events).toContain('Warning Failed spec.containers{a} Error: its disk is full');
    await node.pass(12);
    expect(startsOf(node, 'b')).toBe(1);
    expect(node.statusOf()?.containerStatuses?.[0]?.state.running).toBeDefined();
  });
});

describe('A container that ends', () => {
  test.each([
    { name: 'starts again whatever its exit code is', restartPolicy: 'Always', code: 0, starts: 2, phase: 'Running' },
    { name: 'starts again on a failure', restartPolicy: 'OnFailure', code: 1, starts: 2, phase: 'Running' },
    { name: 'stays ended after a success', restartPolicy: 'OnFailure', code: 0, starts: 1, phase: 'Succeeded' },
    { name: 'never starts again', restartPolicy: 'Never', code: 1, starts: 1, phase: 'Failed' },
  ] as const)('A container that ends $name', async ({ restartPolicy, code, starts, phase }) => {
    const node = await run({ restartPolicy });
    node.containers.end('main', code);
    await node.pass(2);
    expect({ starts: startsOf(node, 'main'), phase: node.statusOf()?.phase }).toEqual({ starts, phase });
  });

  test('A container that keeps ending waits longer before each further start: 10 s, 20 s, 40 s', async () => {
    const node = await run({});
    const waits: number[] = [];
    for (let round = 0; round < 4; round++) {
      const before = startsOf(node, 'main');
      node.containers.end('main', 1);
      let seconds = 0;
      for (; startsOf(node, 'main') === before; seconds++) await node.pass(1);
      waits.push(seconds);
    }
    expect(waits).toEqual([1, 10, 20, 40]);
    expect(eventsOf(node, 'BackOff')[0]).toBe(
      'Warning BackOff spec.containers{main} Back-off restarting failed container main in pod web_default(uid-1)',
    );
  });

  test('The status of a container says that it waits for its next start', async () => {
    const node = await run({});
    for (let round = 0; round < 2; round++) {
      node.containers.end('main', 1);
      await node.pass(1);
    }
    await node.pass(1);
    expect(node.statusOf()?.containerStatuses?.[0]).toMatchObject({
      restartCount: 1,
      state: {
        waiting: {
          reason: 'CrashLoopBackOff',
          message: 'back-off 10s restarting failed container=main pod=web_default(uid-1)',
        },
      },
      lastState: { terminated: { exitCode: 1, reason: 'Error' } },
    });
  });

  test('Of an init container that ended twice the first instance is removed before the next one starts', async () => {
    const node = await run({ restartPolicy: 'OnFailure', init: ['init'], main: ['a'] });
    node.containers.before = async (method) => {
      for (let turn = 0; method === 'removeContainer' && turn < 500; turn++) await setImmediate();
    };
    node.containers.end('init', 1);
    await node.pass(2);
    node.containers.end('init', 0);
    await node.pass(2);
    expect(node.statusOf()?.containerStatuses?.[0]?.state.running).toBeDefined();
    expect(node.statusOf()?.initContainerStatuses?.[0]).toMatchObject({ restartCount: 1, lastState: {} });
    expect(node.containers.statesOf('init')).toEqual(['CONTAINER_EXITED']);
    const removed = node.containers.calls.indexOf('removeContainer init');
    expect(removed).toBeGreaterThan(-1);
    expect(removed).toBeLessThan(node.containers.calls.indexOf('createContainer a'));
  });

  test('A container leaves one dead instance beside the one that runs', async () => {
    const node = await run({});
    for (let round = 0; round < 3; round++) {
      node.containers.end('main', 1);
      await node.pass(45);
    }
    expect(node.containers.statesOf('main')).toEqual(['CONTAINER_EXITED', 'CONTAINER_RUNNING']);
  });
});

describe('A pod that is deleted', () => {
  test('A deleted pod is stopped within its grace, and all of it goes when the API server lets it go', async () => {
    const node = await run({});
    node.workers.set(deleted(node.pod, 7));
    await node.settle();
    expect(node.containers.calls.slice(3)).toEqual(['stopContainer main 7s', 'stopPodSandbox web']);
    expect(node.events).toContain('Normal Killing spec.containers{main} Stopping container main');
    expect(node.statusOf()?.phase).toBe('Failed');
    node.workers.remove('uid-1');
    await node.clean();
    expect(node.containers.containers.size + node.containers.sandboxes.size).toBe(0);
  });

  test('Sidecars stop after the other containers, from the last to the first', async () => {
    const node = await run({ init: ['side1', 'side2'], main: ['main'] });
    node.workers.set(deleted(node.pod, 30));
    await node.settle();
    expect(node.containers.calls.filter((call) => call.startsWith('stopContainer'))).toEqual([
      'stopContainer main 30s',
      'stopContainer side2 30s',
      'stopContainer side1 30s',
    ]);
  });

  test('A container that the runtime refuses to stop is stopped later', async () => {
    const node = await run({});
    node.containers.failures.set('stopContainer main 7s', new GrpcError(GrpcCode.unavailable, 'it is busy'));
    node.workers.set(deleted(node.pod, 7));
    await node.settle();
    expect(node.containers.statesOf('main')).toEqual(['CONTAINER_RUNNING']);
    await node.pass(10);
    expect(node.containers.statesOf('main')).toEqual(['CONTAINER_EXITED']);
  });

  test('A pod that is gone from the API server is stopped with the least grace', async () => {
    const node = await run({});
    node.workers.remove('uid-1');
    await node.settle();
    expect(node.containers.calls.slice(3)).toEqual(['stopContainer main 2s', 'stopPodSandbox web']);
  });

  test('A pod that is deleted before it starts never starts', async () => {
    const node = await simulateNode();
    await node.context.cache.relist();
    node.workers.set(deleted({ ...podOf({}), status: {} }, 30));
    await node.settle();
    expect(node.containers.calls).toEqual([]);
    expect(node.statusOf()?.phase).toBe('Failed');
  });
});

describe('A sandbox that ends', () => {
  test('A sandbox that ends is made anew, and all containers with it', async () => {
    const node = await run({ main: ['a', 'b'] });
    const [sandbox] = [...node.containers.sandboxes.keys()];
    await node.containers.runtime.stopPodSandbox({ podSandboxId: sandbox! });
    node.containers.end('a', 137);
    node.containers.end('b', 137);
    await node.pass(2);
    expect(eventsOf(node, 'SandboxChanged')).toEqual([
      'Normal SandboxChanged Pod sandbox changed, it will be killed and re-created.',
    ]);
    expect(node.statusOf()?.containerStatuses?.map(({ restartCount }) => restartCount)).toEqual([1, 1]);
    expect(node.statusOf()?.podIP).toBe('10.0.0.2');
  });
});

describe('An agent that starts again', () => {
  test('An agent that starts again adopts what runs, and starts nothing', async () => {
    const node = await run({ init: ['side'], main: ['a', 'b'] });
    const before = [...node.containers.calls];
    const { pod } = node;
    await node.restart([{ ...pod, status: node.statusOf()! }]);
    await node.settle();
    expect(node.containers.calls).toEqual(before);
    expect(node.statusOf()?.phase).toBe('Running');
  });

  test.each([
    { name: 'making the sandbox', step: 'runPodSandbox web' },
    { name: 'making a container', step: 'createContainer init' },
    { name: 'starting a container', step: 'startContainer init' },
  ])('An agent that was killed while $name goes on where it was', async ({ step }) => {
    const shape = { init: ['init'], main: ['a', 'b'] };
    const node = await simulateNode();
    // What follows the step never happens: the agent is gone.
    node.containers.failures.set(step, new GrpcError(GrpcCode.unavailable, 'gone'));
    await node.context.cache.relist();
    const pod = { ...podOf(shape), status: {} };
    node.workers.set(pod);
    await node.until(() => node.containers.calls.includes(step));
    await node.restart([pod]);
    await node.settle();
    node.containers.end('init', 0);
    await node.pass(2);
    expect(node.containers.statesOf('a')).toEqual(['CONTAINER_RUNNING']);
    expect(node.containers.statesOf('b')).toEqual(['CONTAINER_RUNNING']);
    expect(node.containers.sandboxes.size).toBe(1);
  });

  test('An agent that starts again ends what was deleted meanwhile', async () => {
    const node = await run({});
    await node.restart([]);
    await node.clean();
    await node.settle();
    await node.clean();
    expect(node.containers.containers.size + node.containers.sandboxes.size).toBe(0);
  });

  test('An agent that starts again leaves a pod that has ended as it is', async () => {
    const node = await run({ restartPolicy: 'Never' });
    node.containers.end('main', 3);
    await node.pass(2);
    const status = node.statusOf()!;
    await node.restart([{ ...node.pod, status }]);
    await node.settle();
    expect(startsOf(node, 'main')).toBe(1);
    expect(node.statusOf()).toEqual(status);
  });
});

describe('A container that is not well', () => {
  const probed = (kind: 'livenessProbe' | 'startupProbe', restartPolicy: PodShape['restartPolicy']): PodShape => ({
    restartPolicy,
    spec: {
      terminationGracePeriodSeconds: 5,
      containers: [
        {
          name: 'main',
          image: 'image:1',
          resources: {},
          [kind]: { exec: { command: ['check'] }, periodSeconds: 1, failureThreshold: 2 },
        },
      ],
    },
  });

  test.each([
    { kind: 'livenessProbe', word: 'liveness' },
    { kind: 'startupProbe', word: 'startup' },
  ] as const)('A container is stopped and started again when its $word probe fails', async ({ kind, word }) => {
    const node = await run(probed(kind, 'Always'));
    Object.getPrototypeOf(node).probe = () => ({ outcome: 'failure', output: 'no' });
    await node.pass(2);
    expect(eventsOf(node, 'Killing')).toEqual([
      `Normal Killing spec.containers{main} Container main failed ${word} probe, will be restarted`,
    ]);
    expect(node.containers.calls).toContain('stopContainer main 5s');
    expect(startsOf(node, 'main')).toBeGreaterThan(1);
  });

  test('A container that fails its liveness probe and is never restarted stays stopped', async () => {
    const node = await run(probed('livenessProbe', 'Never'));
    Object.getPrototypeOf(node).probe = () => ({ outcome: 'failure', output: 'no' });
    await node.pass(4);
    expect(eventsOf(node, 'Killing')).toEqual(['Normal Killing spec.containers{main} Stopping container main']);
    expect(startsOf(node, 'main')).toBe(1);
    expect(node.statusOf()?.phase).toBe('Failed');
  });

  test('A container is started again when its image is another one now', async () => {
    const node = await run({});
    node.containers.images.add('image:2');
    const [main] = node.pod.spec.containers!;
    node.workers.set({ ...node.pod, spec: { ...node.pod.spec, containers: [{ ...main!, image: 'image:2' }] } });
    await node.pass(2);
    expect(eventsOf(node, 'Killing')).toEqual([
      'Normal Killing spec.containers{main} Container main definition changed, will be restarted',
    ]);
    expect(node.statusOf()?.containerStatuses?.[0]).toMatchObject({ image: 'image:2', restartCount: 1 });
  });
});

test('A pod that is active longer than its deadline is stopped, and has failed', async () => {
  const node = await run({ spec: { activeDeadlineSeconds: 5 } });
  await node.pass(4);
  expect(node.statusOf()?.phase).toBe('Running');
  await node.pass(2);
  expect(node.statusOf()).toMatchObject({
    phase: 'Failed',
    reason: 'DeadlineExceeded',
    message: 'Pod was active on the node longer than the specified deadline',
  });
});
