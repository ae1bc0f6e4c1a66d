import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Pod } from '../../../api/gen/types/core-v1.ts';
import { silentLogger } from '../../../base/logger.ts';
import { podOf } from '../../pod-lifecycle/testing/states.ts';
import { simulateNode } from '../testing/simulated-node.ts';
import { parseSubordinateIds, usualRange } from './id-ranges.ts';
import { UserNamespaces } from './user-namespaces.ts';

async function nodeWith({ maxPods = 3, isSupported = true } = {}) {
  const rootDirectory = await mkdtemp(`${tmpdir()}/orch-userns-`);
  onTestFinished(() => rm(rootDirectory, { recursive: true }));
  const begin = (): UserNamespaces =>
    new UserNamespaces({
      rootDirectory,
      findRange: () => Promise.resolve(usualRange(maxPods)),
      isSupported: () => Promise.resolve(isSupported),
      log: silentLogger,
    });
  return { rootDirectory, namespaces: begin(), begin };
}

const podWith = (uid: string): Pod => ({ ...podOf({}), metadata: { name: uid, namespace: 'ns', uid }, status: {} });
const firstOf = async (namespaces: UserNamespaces, uid: string): Promise<number | undefined> =>
  (await namespaces.ensure(podWith(uid), '')).uids?.[0]?.hostId;

describe('User namespaces of pods', () => {
  test('Each pod has 65,536 ids of its own, which it keeps', async () => {
    const { namespaces, rootDirectory } = await nodeWith();
    const mapping = { hostId: 65_536, containerId: 0, length: 65_536 };
    expect(await namespaces.ensure(podWith('a'), '')).toEqual({ mode: 'POD', uids: [mapping], gids: [mapping] });
    expect(await firstOf(namespaces, 'b')).toBe(131_072);
    expect(await firstOf(namespaces, 'a')).toBe(65_536);
    expect(JSON.parse(await readFile(`${rootDirectory}/pods/a/userns`, 'utf8'))).toEqual({
      uidMappings: [mapping],
      gidMappings: [mapping],
    });
  });

  test('Ids of a pod that is gone are given to another one, and no pod gets those of two', async () => {
    const { namespaces } = await nodeWith({ maxPods: 2 });
    await firstOf(namespaces, 'a');
    await firstOf(namespaces, 'b');
    await expect(firstOf(namespaces, 'c')).rejects.toThrow('could not find an empty slot to allocate a user namespace');
    await namespaces.release('a');
    expect(await firstOf(namespaces, 'c')).toBe(65_536);
  });

  test('A new process keeps the ids that pods have, and gives no damaged ones away', async () => {
    const { namespaces, begin, rootDirectory } = await nodeWith();
    await firstOf(namespaces, 'a');
    await firstOf(namespaces, 'b');
    await namespaces.release('a');
    await rm(`${rootDirectory}/pods/a`, { recursive: true });
    await mkdir(`${rootDirectory}/pods/x`);
    await writeFile(`${rootDirectory}/pods/x/userns`, '{"uidMappings":[{"hostId":1}]}');
    const next = begin();
    expect(await firstOf(next, 'c')).toBe(65_536);
    expect(await firstOf(next, 'b')).toBe(131_072);
  });

  test('A runtime without user namespaces is told as upstream tells it', async () => {
    const { namespaces } = await nodeWith({ isSupported: false });
    await expect(firstOf(namespaces, 'a')).rejects.toThrow(
      "can't set `spec.hostUsers: false`, runtime does not support user namespaces",
    );
  });
});

test('A pod with users of its own has them in its sandbox, its containers and its mounts, until it ends', async () => {
  const node = await simulateNode({
    userNamespaces: (rootDirectory) =>
      new UserNamespaces({
        rootDirectory,
        findRange: () => Promise.resolve(usualRange(1)),
        isSupported: () => Promise.resolve(true),
        log: silentLogger,
      }),
  });
  const pod: Pod = { ...podOf({ spec: { hostUsers: false } }), status: {} };
  node.workers.set(pod);
  await node.settle();
  const mappings = [{ hostId: 65_536, containerId: 0, length: 65_536 }];
  const [sandbox] = node.containers.sandboxes.values();
  const users = { mode: 'POD', uids: mappings, gids: mappings };
  expect(sandbox!.linux?.namespaces?.options?.usernsOptions).toEqual(users);
  const [container] = node.containers.containers.values();
  expect(container!.config.linux?.securityContext?.namespaceOptions?.usernsOptions).toEqual(users);
  expect(container!.config.mounts?.every(({ uidMappings }) => uidMappings?.length === 1)).toBe(true);
  node.workers.set({ ...pod, metadata: { ...pod.metadata, deletionTimestamp: '2026-01-01T00:01:00Z' } });
  await node.settle();
  const other = { ...pod, metadata: { ...pod.metadata, uid: 'uid-2', name: 'other' } };
  node.workers.set(other);
  await node.settle();
  expect(node.statusOf('uid-2')?.phase).toBe('Running');
});

describe('Ids of pods as the node says them', () => {
  test('A range of the user kubelet is taken', () => {
    expect(parseSubordinateIds('0: kubelet 131072 262144\n', 4)).toEqual({ firstId: 131_072, count: 262_144 });
  });

  test.each([
    { text: '0: kubelet 65537 262144', error: 'both must be multiples of 65536' },
    { text: '0: kubelet 0 262144', error: 'both must be multiples of 65536' },
    { text: '0: kubelet 65536 65536', error: '65536 ids for pods, and 262144 are needed for 4 pods' },
    { text: '0: kubelet 65536 65536\n1: kubelet 262144 65536', error: 'getsubids says' },
    { text: 'nothing', error: 'getsubids says' },
  ])('The answer $text of getsubids is refused', ({ text, error }) => {
    expect(() => parseSubordinateIds(text, 4)).toThrow(error);
  });
});
