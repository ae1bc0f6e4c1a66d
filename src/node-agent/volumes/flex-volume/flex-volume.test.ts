import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { FlexVolumeSource, Pod } from '../../../api/gen/types/core-v1.ts';
import { podOf } from '../../pod-lifecycle/testing/states.ts';
import { simulateNode, type SimulatedNode } from '../../pods/testing/simulated-node.ts';

const ready = `echo '{"status":"Success","capabilities":{"attach":false}}'`;
const done = `echo '{"status":"Success"}'`;

interface Commands {
  readonly init?: string;
  readonly mount?: string;
  readonly unmount?: string;
}

/** A driver that writes down how it is called. */
async function install(node: SimulatedNode, { init = ready, mount = done, unmount = done }: Commands): Promise<void> {
  const folder = `${node.directory}/drivers/test~disk`;
  await mkdir(folder, { recursive: true });
  const text = [
    '#!/bin/sh',
    `echo "$1 $2" >> "$0.calls"`,
    'case "$1" in',
    `init) ${init};;`,
    `mount) printf '%s' "$3" > "$2/options"; ${mount};;`,
    `unmount) ${unmount};;`,
    'esac',
  ];
  await writeFile(`${folder}/disk`, text.join('\n'));
  await chmod(`${folder}/disk`, 0o755);
}

const callsOf = async (node: SimulatedNode): Promise<string[]> => {
  const text = await readFile(`${node.directory}/drivers/test~disk/disk.calls`, 'utf8');
  return text.trim().replaceAll(`${node.directory}/root/pods/`, '').split('\n');
};

function podWith(flexVolume: FlexVolumeSource): Pod {
  const pod = podOf({ main: ['a'] });
  const containers = pod.spec.containers!.map((container) => ({
    ...container,
    volumeMounts: [{ name: 'v', mountPath: '/v' }],
  }));
  return { ...pod, spec: { ...pod.spec, containers, volumes: [{ name: 'v', flexVolume }] }, status: {} };
}

describe('Volumes of FlexVolume drivers', () => {
  test('A driver is told what to mount, and to unmount it when the pod is gone', async () => {
    const node = await simulateNode();
    await install(node, {});
    node.context.objects.secret = () => Promise.resolve({ metadata: {}, data: { key: 'c2VjcmV0' } });
    node.workers.set(
      podWith({
        driver: 'test/disk',
        fsType: 'ext4',
        options: { size: '1' },
        secretRef: { name: 's' },
        readOnly: true,
      }),
    );
    await node.until(() => node.containers.calls.includes('startContainer a'));
    const path = `${node.directory}/root/pods/uid-1/volumes/test~disk/v`;
    expect(JSON.parse(await readFile(`${path}/options`, 'utf8'))).toMatchObject({
      size: '1',
      'kubernetes.io/fsType': 'ext4',
      'kubernetes.io/readwrite': 'ro',
      'kubernetes.io/pvOrVolumeName': 'v',
      'kubernetes.io/pod.uid': 'uid-1',
      'kubernetes.io/secret/key': 'c2VjcmV0',
    });
    node.workers.remove('uid-1');
    await node.settle();
    await node.clean();
    expect(await readdir(`${node.directory}/root/pods`)).toEqual([]);
    const calls = await callsOf(node);
    expect([calls[0], calls[1], calls.at(-1)]).toEqual([
      'init ',
      'mount uid-1/volumes/test~disk/v',
      'unmount uid-1/volumes/test~disk/v',
    ]);
  });

  test.each<{ name: string; driver?: string; commands?: Commands; says: string }>([
    { name: 'no driver is there', driver: 'test/none', says: 'no volume plugin matched name: test~none' },
    { name: 'its name leads elsewhere', driver: '../x', says: 'no volume plugin matched name: "../x"' },
    { name: 'its name has too many parts', driver: 'a/b/c', says: 'no volume plugin matched name: "a/b/c"' },
    {
      name: 'it attaches disks',
      commands: { init: done },
      says: 'the FlexVolume driver test~disk attaches volumes to nodes, which is not supported',
    },
    {
      name: 'it does not mount',
      commands: { mount: `echo '{"status":"Failure","message":"no disk"}'; exit 1` },
      says: 'mount command failed, status: Failure, reason: no disk',
    },
    {
      name: 'it says nonsense',
      commands: { mount: 'echo nonsense' },
      says: 'Failed to unmarshal output for command: mount, output: "nonsense\\n"',
    },
    {
      name: 'it sends without end',
      commands: { mount: 'yes' },
      says: 'driver call mount: its answer has more than 1048576 bytes',
    },
  ])('A pod says why it waits where $name', async ({ driver = 'test/disk', commands = {}, says }) => {
    const node = await simulateNode();
    await install(node, commands);
    node.workers.set(podWith({ driver }));
    await node.until(() => node.events.length > 0);
    expect(node.events[0]).toBe(`Warning FailedMount MountVolume.SetUp failed for volume "v" : ${says}`);
    expect(node.containers.calls).not.toContain('startContainer a');
  });

  test.each([
    {
      name: 'has failed, and nothing is mounted',
      unmount: `echo '{"status":"Failure","message":"not mounted"}'; exit 1`,
    },
    { name: 'does not know the command', unmount: `echo '{"status":"Not supported"}'` },
  ])('A pod goes although its driver $name', async ({ unmount }) => {
    const node = await simulateNode();
    await install(node, { unmount });
    node.workers.set(podWith({ driver: 'test/disk' }));
    await node.until(() => node.containers.calls.includes('startContainer a'));
    node.workers.remove('uid-1');
    await node.settle();
    await node.clean();
    expect(await readdir(`${node.directory}/root/pods`)).toEqual([]);
  });
});
