/** What goes wrong around pods: the agent is killed, the runtime fails or hangs, the clock jumps. */
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { Pod } from '../../api/gen/types/core-v1.ts';
import { GrpcError } from '../../grpc/grpc-error.ts';
import { GrpcCode } from '../../grpc/status.ts';
import { podOf } from '../pod-lifecycle/testing/states.ts';
import type { SimulatedContainers } from '../runtime/testing/simulated-containers.ts';
import { simulateNode, type SimulatedNode } from './testing/simulated-node.ts';

const shape = { init: ['init'], main: ['a', 'b'] };
const pod: Pod = { ...podOf(shape), status: {} };
const deleted: Pod = {
  ...pod,
  metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:01:00Z', deletionGracePeriodSeconds: 5 },
};

/** Calls that change something, in the order of a start and of an end without faults. */
const startSteps = [
  'runPodSandbox',
  'createContainer',
  'startContainer',
  'createContainer',
  'startContainer',
  'createContainer',
  'startContainer',
];
const endSteps = ['stopContainer', 'stopContainer', 'stopPodSandbox'];

const changes: ReadonlySet<string> = new Set([...startSteps, ...endSteps, 'removeContainer', 'removePodSandbox']);

/** Until both main containers run; the init container ends as soon as it runs. */
async function untilRunning(node: SimulatedNode): Promise<void> {
  for (let second = 0; second < 60; second++) {
    node.containers.end('init', 0);
    await node.pass(1);
    if (node.statusOf()?.phase === 'Running' && node.statusOf()?.containerStatuses?.every(({ ready }) => ready)) return;
  }
  throw new Error(`it does not run: ${node.containers.calls.join(', ')}`);
}

const running = ({ containers }: SimulatedContainers): string[] =>
  [...containers.values()]
    .filter(({ status }) => status.state === 'CONTAINER_RUNNING')
    .map(({ status }) => status.metadata?.name ?? '')
    .sort();

/** The process dies at the n-th change of the runtime, before it or after it. */
function crashAt(node: SimulatedNode, step: number, isDone: boolean): void {
  let seen = 0;
  node.containers.before = async (method) => {
    if (changes.has(method) && ++seen === step) {
      node.crash();
      if (!isDone) await new Promise(() => undefined);
    }
  };
}

const steps = (names: readonly string[]) =>
  names.flatMap((name, index) =>
    [false, true].map((isDone) => ({ name, step: index + 1, isDone, when: isDone ? 'after' : 'before' })),
  );

describe('The agent is killed', () => {
  test('The steps of a start and of an end are those that are interrupted below', async () => {
    const node = await simulateNode();
    node.workers.set(pod);
    await untilRunning(node);
    const done = node.containers.calls.map((call) => call.split(' ')[0]!);
    expect(done.filter((call) => changes.has(call))).toEqual(startSteps);
    node.containers.calls.length = 0;
    node.workers.set(deleted);
    await node.settle();
    expect(node.containers.calls.map((call) => call.split(' ')[0])).toEqual(endSteps);
  });

  test.each(steps(startSteps))(
    'A pod starts once although the agent is killed $when step $step of its start',
    async ({ step, isDone }) => {
      const node = await simulateNode();
      await node.context.cache.relist();
      crashAt(node, step, isDone);
      node.workers.set(pod);
      for (let second = 0; second < 3 && !node.isDead; second++) {
        node.containers.end('init', 0);
        await node.clock.advance(1000);
        void node.context.cache.relist();
        await node.untilDeadOrIdle();
      }
      expect(node.isDead).toBe(true);
      node.containers.before = () => Promise.resolve();
      await node.restart([pod]);
      await untilRunning(node);
      expect(running(node.containers)).toEqual(['a', 'b']);
      const ready = [...node.containers.sandboxes.values()].filter(({ state }) => state === 'SANDBOX_READY');
      expect(ready).toHaveLength(1);
    },
  );

  test.each(steps(endSteps))(
    'A pod ends although the agent is killed $when step $step of its end',
    async ({ step, isDone }) => {
      const node = await simulateNode();
      node.workers.set(pod);
      await untilRunning(node);
      crashAt(node, step, isDone);
      node.workers.set(deleted);
      await node.untilDeadOrIdle();
      expect(node.isDead).toBe(true);
      node.containers.before = () => Promise.resolve();
      await node.restart([deleted]);
      await node.settle();
      node.workers.remove('uid-1');
      await node.settle();
      await node.clean();
      expect(node.containers.sandboxes.size + node.containers.containers.size).toBe(0);
      expect(await readdir(`${node.directory}/root/pods`)).toEqual([]);
    },
  );

  test('A pod that was deleted and is gone while the agent was dead leaves nothing', async () => {
    const node = await simulateNode();
    node.workers.set(pod);
    await untilRunning(node);
    node.crash();
    await node.restart([]);
    await node.clean();
    await node.settle();
    await node.clean();
    expect(node.containers.sandboxes.size + node.containers.containers.size).toBe(0);
    expect(await readdir(`${node.directory}/root/pods`)).toEqual([]);
    expect(await readdir(`${node.directory}/logs`)).toEqual([]);
  });
});

describe('The runtime fails', () => {
  const away = (): Promise<never> =>
    Promise.reject(new GrpcError(GrpcCode.unavailable, 'connection to the container runtime: it is not there'));

  test('Containers that run while the runtime is away go on without a restart', async () => {
    const node = await simulateNode();
    node.workers.set(pod);
    await untilRunning(node);
    const calls = node.containers.calls.length;
    node.containers.before = away;
    for (let second = 0; second < 60; second++) {
      await node.clock.advance(1000);
      await node.context.cache.relist().catch(() => undefined);
      await node.settle();
    }
    node.containers.before = () => Promise.resolve();
    await node.pass(20);
    expect(node.containers.calls).toHaveLength(calls);
    expect(node.statusOf()?.containerStatuses?.map(({ restartCount }) => restartCount)).toEqual([0, 0]);
  });

  test('A pod that is bound while the runtime is away starts when it is back', async () => {
    const node = await simulateNode();
    node.containers.before = away;
    node.workers.set(pod);
    await node.settle();
    for (let second = 0; second < 20; second++) {
      await node.clock.advance(1000);
      await node.settle();
    }
    expect(node.containers.calls).toEqual([]);
    node.containers.before = () => Promise.resolve();
    await untilRunning(node);
    expect(running(node.containers)).toEqual(['a', 'b']);
  });

  test.each(startSteps.slice(0, 3).map((name, index) => ({ name, step: index + 1 })))(
    'A start whose step $step, $name, fails once is finished later, with one sandbox',
    async ({ step }) => {
      const node = await simulateNode();
      let seen = 0;
      node.containers.before = (method) => (changes.has(method) && ++seen === step ? away() : Promise.resolve());
      node.workers.set(pod);
      await node.settle();
      await untilRunning(node);
      expect(running(node.containers)).toEqual(['a', 'b']);
      expect(node.containers.sandboxes.size).toBe(1);
    },
  );

  test('A runtime that forgets everything has its pods made anew', async () => {
    const node = await simulateNode();
    node.workers.set(pod);
    await untilRunning(node);
    node.containers.sandboxes.clear();
    node.containers.containers.clear();
    await untilRunning(node);
    expect(running(node.containers)).toEqual(['a', 'b']);
  });

  test('A runtime that hangs with one pod does not hold up another one', async () => {
    const node = await simulateNode();
    const other = { ...pod, metadata: { ...pod.metadata, name: 'other', uid: 'uid-2' } };
    let isFirst = true;
    node.containers.before = (method) => {
      if (method !== 'runPodSandbox' || !isFirst) return Promise.resolve();
      isFirst = false;
      return new Promise(() => undefined);
    };
    node.workers.set(pod);
    await node.until(() => !isFirst);
    node.workers.set(other);
    await node.until(() => node.containers.sandboxes.size === 1);
    expect([...node.containers.sandboxes.values()][0]!.metadata?.name).toBe('other');
    node.crash();
  });
});

describe('The runtime lies', () => {
  test.each(['../../outside', '..', 'a/b', '.', ''])(
    'Containers of a pod with the uid "%s" are left alone, and no file is touched for them',
    async (uid) => {
      const node = await simulateNode();
      await mkdir(`${node.directory}/outside/volumes`, { recursive: true });
      await writeFile(`${node.directory}/outside/volumes/file`, 'x');
      const labels = { 'io.kubernetes.pod.uid': uid, 'io.kubernetes.pod.name': 'web' };
      const metadata = { name: 'web', uid, namespace: 'default', attempt: 0 };
      await node.containers.runtime.runPodSandbox({ config: { metadata, labels } });
      await node.context.cache.relist();
      await node.clean();
      await node.settle();
      await node.clean();
      expect(node.containers.calls).toEqual(['runPodSandbox web']);
      expect(await readdir(`${node.directory}/outside/volumes`)).toEqual(['file']);
    },
  );

  test('A container that is not there any more when it is looked at does not hold up its pod', async () => {
    const node = await simulateNode();
    node.workers.set(pod);
    await untilRunning(node);
    for (const [id, { status }] of node.containers.containers)
      if (status.metadata?.name === 'a') node.containers.containers.delete(id);
    await untilRunning(node);
    expect(running(node.containers)).toEqual(['a', 'b']);
  });
});

describe('The machine fails', () => {
  test('A pod whose directory cannot be made says so, and starts when it can', async () => {
    const node = await simulateNode();
    await mkdir(`${node.directory}/root`, { recursive: true });
    await writeFile(`${node.directory}/root/pods`, 'in the way');
    node.workers.set(pod);
    await node.settle();
    expect(node.events[0]).toContain('Warning Failed error making pod data directories: ');
    expect(node.containers.calls).toEqual([]);
    await rm(`${node.directory}/root/pods`);
    await untilRunning(node);
    expect(running(node.containers)).toEqual(['a', 'b']);
  });

  test('A container that waits for its restart does not wait for a clock that was set back', async () => {
    const node = await simulateNode();
    const plain = { ...podOf({ main: ['a'] }), status: {} };
    node.workers.set(plain);
    await node.settle();
    for (let end = 0; end < 3; end++) {
      node.containers.end('a', 1);
      await node.pass(1);
    }
    const starts = (): number => node.containers.calls.filter((call) => call === 'startContainer a').length;
    const before = starts();
    node.skew(-3_600_000);
    await node.pass(20);
    expect(starts()).toBe(before + 1);
  });

  test('A probe that hangs holds up neither its pod nor the end of it', async () => {
    const node = await simulateNode();
    node.probe = () => new Promise<never>(() => undefined);
    const livenessProbe = { exec: { command: ['x'] }, periodSeconds: 1, failureThreshold: 1, timeoutSeconds: 1 };
    const probed: Pod = {
      ...podOf({ main: ['a', 'b'] }),
      status: {},
    };
    const [a, b] = probed.spec.containers!;
    const own = { ...probed, spec: { ...probed.spec, containers: [{ ...a!, livenessProbe }, b!] } };
    node.workers.set(own);
    await node.pass(5);
    node.containers.end('b', 1);
    await node.pass(2);
    expect(running(node.containers)).toEqual(['a', 'b']);
    node.workers.set({ ...own, metadata: { ...own.metadata, ...deletionOf(deleted) } });
    await node.settle();
    expect(running(node.containers)).toEqual([]);
  });
});

describe('Many pods at once', () => {
  test('110 pods that are made and deleted at once leave nothing', async () => {
    const node = await simulateNode();
    Object.assign(node.machine, { allocatable: { cpu: '64', memory: '64Gi', pods: '200' } });
    const plain = { ...podOf({}), status: {} };
    const pods = Array.from({ length: 110 }, (_, index) => ({
      ...plain,
      metadata: { ...plain.metadata, name: `pod-${index}`, uid: `u-${index}` },
    }));
    for (const one of pods) node.workers.set(one);
    await node.settle();
    expect(running(node.containers)).toHaveLength(110);
    for (const one of pods) node.workers.set({ ...one, metadata: { ...one.metadata, ...deletionOf(deleted) } });
    await node.settle();
    for (const { metadata } of pods) node.workers.remove(metadata.uid ?? '');
    await node.settle();
    await node.clean();
    expect(node.containers.sandboxes.size + node.containers.containers.size).toBe(0);
    expect(node.containers.calls.filter((call) => call.startsWith('startContainer'))).toHaveLength(110);
    expect(await readdir(`${node.directory}/root/pods`)).toEqual([]);
  });
});

const deletionOf = ({ metadata: { deletionTimestamp, deletionGracePeriodSeconds } }: Pod) => ({
  deletionTimestamp,
  deletionGracePeriodSeconds,
});
