/** Faults of the machine below pods: a mount that hangs, a full disk, a clock that jumps, a runtime that is slow. */
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Pod } from '../../api/gen/types/core-v1.ts';
import { GrpcError } from '../../grpc/grpc-error.ts';
import { GrpcCode } from '../../grpc/status.ts';
import { podOf } from '../pod-lifecycle/testing/states.ts';
import { mountsBelow, mountTmpfs, unmount } from '../volumes/mounts.ts';
import { simulateNode, type SimulatedNode } from './testing/simulated-node.ts';

const pod: Pod = { ...podOf({ main: ['a'] }), status: {} };
const named = (name: string, uid: string): Pod => ({ ...pod, metadata: { ...pod.metadata, name, uid } });
const deleted = (of: Pod): Pod => ({
  ...of,
  metadata: { ...of.metadata, deletionTimestamp: '2026-01-01T00:01:00Z', deletionGracePeriodSeconds: 1 },
});

const running = ({ containers }: SimulatedNode): number =>
  [...containers.containers.values()].filter(({ status }) => status.state === 'CONTAINER_RUNNING').length;

const starts = ({ containers }: SimulatedNode): number =>
  containers.calls.filter((call) => call.startsWith('startContainer')).length;

describe('A mount that hangs', () => {
  test('It holds up its pod alone, and not the end of its pod', async () => {
    const node = await simulateNode();
    const { volumes } = node.context;
    const { setUp } = volumes;
    volumes.setUp = (of, options) =>
      of.metadata.uid === 'hung'
        ? new Promise((_, reject) => {
            options.signal.addEventListener('abort', () => reject(options.signal.reason as Error), { once: true });
          })
        : setUp(of, options);
    node.workers.set(named('hung', 'hung'));
    node.workers.set(named('other', 'other'));
    await node.until(() => running(node) === 1);
    expect(node.statusOf('hung')?.phase).toBe('Pending');
    node.workers.set(deleted(named('hung', 'hung')));
    await node.until(() => node.workers.get('hung')?.stage === 'ended');
    expect(running(node)).toBe(1);
  });
});

describe('A clock that jumps', () => {
  test.each([
    { name: 'an hour forward', ms: 3_600_000 },
    { name: 'an hour back', ms: -3_600_000 },
    { name: 'to before all containers were made', ms: -1_000_000_000_000 },
  ])('Containers run on when the clock jumps $name, and the next instance is known as the newest', async ({ ms }) => {
    const node = await simulateNode();
    node.workers.set(pod);
    await node.settle();
    node.skew(ms);
    await node.pass(30);
    expect({ starts: starts(node), running: running(node) }).toEqual({ starts: 1, running: 1 });
    node.containers.end('a', 1);
    await node.pass(30);
    expect({ starts: starts(node), running: running(node) }).toEqual({ starts: 2, running: 1 });
    expect(node.statusOf()?.containerStatuses?.[0]).toMatchObject({ restartCount: 1, state: { running: {} } });
  });

  test('A pod with a deadline is not ended by a clock that jumps back', async () => {
    const node = await simulateNode();
    node.workers.set({ ...pod, spec: { ...pod.spec, activeDeadlineSeconds: 60 } });
    await node.settle();
    node.skew(-3_600_000);
    await node.pass(30);
    expect(running(node)).toBe(1);
  });
});

describe('A runtime that is slow or fails', () => {
  test('A pod starts once, with one sandbox, where each call takes half a minute', async () => {
    const node = await simulateNode();
    node.containers.before = () => new Promise((resolve) => void node.clock.after(30_000, resolve));
    node.workers.set(pod);
    const runs = async (): Promise<number> => {
      await node.clock.advance(5000);
      return running(node);
    };
    await expect.poll(runs, { interval: 1, timeout: 5000 }).toBe(1);
    node.containers.before = () => Promise.resolve();
    await node.pass(30);
    expect({ starts: starts(node), running: running(node), sandboxes: node.containers.sandboxes.size }).toEqual({
      starts: 1,
      running: 1,
      sandboxes: 1,
    });
  });

  test.each([
    { name: 'that it is overloaded', code: GrpcCode.resourceExhausted },
    { name: 'an error of its own', code: GrpcCode.unknown },
    { name: 'that it is not there', code: GrpcCode.unavailable },
  ])('A pod starts, and ends, where every third call or so answers $name', async ({ code }) => {
    const node = await simulateNode();
    let seed = 7;
    // The same sequence in each run, without a period that a worker could keep step with.
    node.containers.before = () => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % 3 === 0 ? Promise.reject(new GrpcError(code, 'it fails')) : Promise.resolve();
    };
    node.workers.set(pod);
    for (let second = 0; second < 300 && running(node) === 0; second++) {
      await node.clock.advance(1000);
      await node.context.cache.relist().catch(() => undefined);
      await node.settle();
    }
    expect(running(node)).toBe(1);
    node.workers.set(deleted(pod));
    for (let second = 0; second < 300 && node.workers.get('uid-1')?.stage !== 'ended'; second++) {
      await node.clock.advance(1000);
      await node.settle();
    }
    expect(running(node)).toBe(0);
  });
});

describe('A full disk', () => {
  test.skipIf(process.getuid?.() !== 0)(
    'A pod whose volume does not fit says so and waits, others run on, and it starts when there is space',
    async () => {
      const node = await simulateNode();
      const root = `${node.directory}/root`;
      await mkdir(root, { recursive: true });
      await mountTmpfs(root, ['size=256k']);
      onTestFinished(async () => {
        for (const point of await mountsBelow(root)) await unmount(point);
      });
      const first = named('first', 'first');
      node.workers.set(first);
      await node.settle();
      await writeFile(`${root}/filler`, 'x'.repeat(1 << 20)).catch(() => undefined);
      node.context.objects.configMap = () => Promise.resolve({ metadata: {}, data: { key: 'y'.repeat(20_000) } });
      const mounts = { volumeMounts: [{ name: 'v', mountPath: '/v' }] };
      const second = named('second', 'second');
      const spec = {
        ...second.spec,
        containers: second.spec.containers!.map((container) => ({ ...container, ...mounts })),
        volumes: [{ name: 'v', configMap: { name: 'large' } }],
      };
      node.workers.set({ ...second, spec });
      await node.until(() => node.events.some((event) => /ENOSPC|no space left/i.test(event)));
      expect(running(node)).toBe(1);
      await rm(`${root}/filler`);
      for (let turn = 0; turn < 20 && running(node) < 2; turn++) {
        await node.clock.advance(1000);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      expect(running(node)).toBe(2);
      node.workers.remove('second');
      await node.settle();
      await node.clean();
      expect(await readdir(`${root}/pods`)).toEqual(['first']);
    },
  );
});
