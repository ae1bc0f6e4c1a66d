import { describe, expect, test } from 'vitest';
import type { PersistentVolume, PersistentVolumeClaim, Volume } from '../../../api/gen/types/core-v1.ts';
import type { CSIDriver, CSIStorageCapacity } from '../../../api/gen/types/storage-v1.ts';
import { FakeClock } from '../../../base/testing/fake-clock.ts';
import { CycleState } from '../../framework/cycle-state.ts';
import { judgements, testCluster, zonedNodes } from '../../testing/cluster.ts';
import { podInfo } from '../../testing/objects.ts';
import {
  claim,
  claimVolume,
  onNode,
  storageClass,
  type TestStorage,
  testStorage,
  volume,
} from '../../testing/storage.ts';
import type { VolumeBindingArgs } from '../../config/plugin-args.ts';
import { createVolumeBinding } from './plugin.ts';

const zone = 'topology.kubernetes.io/zone';
const host = 'kubernetes.io/hostname';
const delayed = (more: Partial<PersistentVolumeClaim['spec']> = {}) =>
  claim('c', { spec: { storageClassName: 'sc', ...more } });
const local = (name: string, node: string, more: Partial<PersistentVolume['spec']> = {}) =>
  volume(name, { spec: { storageClassName: 'sc', nodeAffinity: onNode(host, node), ...more } });
const staticClass = storageClass('sc', { provisioner: 'kubernetes.io/no-provisioner' });

class Scene {
  readonly clock = new FakeClock();
  readonly written: string[] = [];
  readonly cluster = testCluster(zonedNodes('a1', 'b1')).cluster;
  readonly storage: { -readonly [K in keyof TestStorage]: TestStorage[K] };
  readonly plugin;

  constructor(storage: TestStorage, args: Partial<VolumeBindingArgs> = {}) {
    this.storage = { ...storage };
    const write = (what: string) => ({
      update: (object: PersistentVolume & PersistentVolumeClaim) => {
        const { name, annotations = {} } = object.metadata;
        const about = object.spec.claimRef?.name ?? annotations['volume.kubernetes.io/selected-node'];
        this.written.push(`${what} ${name} ${about}`);
        return Promise.resolve(object);
      },
    });
    const client = { core: { v1: { persistentvolumes: write('volume'), persistentvolumeclaims: write('claim') } } };
    this.plugin = createVolumeBinding(
      { bindTimeoutSeconds: 10, ...args },
      {
        storage: testStorage(this.storage),
        node: (name) => this.cluster.node(name)?.node,
        client: client as never,
        clock: this.clock,
        observer: { volumesFailed: (stage) => void this.written.push(`failed ${stage}`) },
      },
    );
  }

  judge(volumes: readonly Volume[] = [claimVolume('c')], state = new CycleState()): Record<string, string> {
    const info = podInfo({
      metadata: { name: 'p', namespace: 'default', uid: 'pod-uid' },
      spec: { volumes: [...volumes] },
    });
    return judgements(this.plugin, info, this.cluster, state);
  }
}

const refused = (why: string): string => `UnschedulableAndUnresolvable: ${why}`;
const everywhere = (is: string): Record<string, string> => ({ a1: is, b1: is });
const noVolume = refused("node(s) didn't find available persistent volumes to bind");

describe('a pod with a claim', () => {
  const csiDrivers = [{ metadata: { name: 'csi.example.com' }, spec: { storageCapacity: true } }] as CSIDriver[];
  const capacity = (letter: string, amount: string): CSIStorageCapacity => ({
    metadata: { name: letter },
    storageClassName: 'sc',
    nodeTopology: { matchLabels: { [zone]: letter } },
    capacity: amount,
  });
  test.each<{ name: string; storage: TestStorage; is: Record<string, string> }>([
    { name: 'that is not there', storage: {}, is: everywhere(refused('persistentvolumeclaim "c" not found')) },
    {
      name: 'that is being deleted',
      storage: { claims: [claim('c', { metadata: { name: 'c', namespace: 'default', deletionTimestamp: 'now' } })] },
      is: everywhere(refused('persistentvolumeclaim "c" is being deleted')),
    },
    {
      name: 'whose volume is lost',
      storage: { claims: [claim('c', { spec: { volumeName: 'v' }, phase: 'Lost' })] },
      is: everywhere(refused('persistentvolumeclaim "c" bound to non-existent persistentvolume "v"')),
    },
    {
      name: 'that should have a volume already',
      storage: { claims: [claim('c')] },
      is: everywhere(refused('pod has unbound immediate PersistentVolumeClaims')),
    },
    {
      name: 'bound to a volume of one node',
      storage: { claims: [claim('c', { spec: { volumeName: 'v' } })], volumes: [local('v', 'b1')] },
      is: { a1: refused('node(s) had volume node affinity conflict'), b1: 'fits' },
    },
    {
      name: 'bound to a volume that is gone',
      storage: { claims: [claim('c', { spec: { volumeName: 'v' } })] },
      is: everywhere(refused('node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)')),
    },
    {
      name: 'that finds a volume on one node',
      storage: { claims: [delayed()], classes: [staticClass], volumes: [local('v', 'b1')] },
      is: { a1: noVolume, b1: 'fits' },
    },
    {
      name: 'for which all volumes are too small',
      storage: {
        claims: [delayed()],
        classes: [staticClass],
        volumes: [local('v', 'b1', { capacity: { storage: '1Mi' } })],
      },
      is: everywhere(noVolume),
    },
    {
      name: 'for which the volume is kept for another',
      storage: {
        claims: [delayed()],
        classes: [staticClass],
        volumes: [local('v', 'b1', { claimRef: { name: 'other', namespace: 'default' } })],
      },
      is: everywhere(noVolume),
    },
    {
      name: 'that selects volumes by label',
      storage: {
        claims: [delayed({ selector: { matchLabels: { x: 'y' } } })],
        classes: [staticClass],
        volumes: [local('v', 'b1'), { ...local('w', 'a1'), metadata: { name: 'w', labels: { x: 'y' } } }],
      },
      is: { a1: 'fits', b1: noVolume },
    },
    {
      name: 'whose volume can be made anywhere',
      storage: { claims: [delayed()], classes: [storageClass('sc')] },
      is: everywhere('fits'),
    },
    {
      name: 'whose volume can be made in one zone',
      storage: {
        claims: [delayed()],
        classes: [
          storageClass('sc', { allowedTopologies: [{ matchLabelExpressions: [{ key: zone, values: ['b'] }] }] }),
        ],
      },
      is: { a1: noVolume, b1: 'fits' },
    },
    {
      name: 'whose volume is being made for a node',
      storage: {
        claims: [
          claim('c', {
            metadata: { name: 'c', namespace: 'default', annotations: { 'volume.kubernetes.io/selected-node': 'a1' } },
            spec: { storageClassName: 'sc' },
          }),
        ],
        classes: [storageClass('sc')],
      },
      is: { a1: 'fits', b1: noVolume },
    },
    {
      name: 'for which one zone has enough storage',
      storage: {
        claims: [delayed()],
        classes: [storageClass('sc')],
        csiDrivers,
        capacities: [capacity('a', '500Mi'), capacity('b', '2Gi')],
      },
      is: { a1: refused('node(s) did not have enough free storage'), b1: 'fits' },
    },
  ])('A pod with a claim: $name', ({ storage, is }) => expect(new Scene(storage).judge()).toEqual(is));

  test.each([
    {
      name: 'is not made yet',
      claims: [],
      message: 'waiting for ephemeral volume controller to create the persistentvolumeclaim "p-v"',
    },
    {
      name: 'is of another',
      claims: [claim('p-v')],
      message: 'PVC default/p-v was not created for pod default/p (pod is not owner)',
    },
  ])('A pod with a claim of an ephemeral volume that $name is told', ({ claims, message }) => {
    const ephemeral = { name: 'v', ephemeral: {} } as Volume;
    expect(new Scene({ claims }).judge([ephemeral])).toEqual(everywhere(refused(message)));
  });

  test('A pod without claims is not looked at', () => {
    expect(new Scene({}).judge([])).toEqual(everywhere('skipped'));
  });
});

describe('a pod that got a node', () => {
  const info = podInfo({ spec: { volumes: [claimVolume('c')] } });
  const never = new AbortController().signal;
  const reserved = (storage: TestStorage) => {
    const scene = new Scene(storage);
    const state = new CycleState();
    expect(scene.judge([claimVolume('c')], state)['b1']).toBe('fits');
    scene.plugin.reserve(state, info, 'b1');
    return { scene, state };
  };

  test('A pod that got a node takes the smallest volume that is large enough, and no other pod gets it', () => {
    const volumes = [local('large', 'b1', { capacity: { storage: '5Gi' } }), local('small', 'b1')];
    const { scene, state } = reserved({ claims: [delayed()], classes: [staticClass], volumes });
    scene.storage.claims = [delayed(), claim('other', { spec: { storageClassName: 'sc' } })];
    scene.storage.volumes = [volumes[1]!];
    expect(scene.judge([claimVolume('other')])['b1']).toBe(noVolume);
    scene.plugin.unreserve(state, info, 'b1');
    expect(scene.judge([claimVolume('other')])['b1']).toBe('fits');
  });

  test('A pod that got a node is bound when the claim has the volume', async () => {
    const { scene, state } = reserved({ claims: [delayed()], classes: [staticClass], volumes: [local('v', 'b1')] });
    const bound = scene.plugin.preBind(state, info, 'b1', never);
    await scene.clock.advance(1000);
    expect(scene.written).toEqual(['volume v c']);
    scene.storage.claims = [claim('c', { spec: { storageClassName: 'sc', volumeName: 'v' } })];
    await scene.clock.advance(1000);
    expect(await bound).toBeUndefined();
  });

  test('A pod that got a node says for which node a volume is to be made', async () => {
    const { scene, state } = reserved({ claims: [delayed()], classes: [storageClass('sc')] });
    const bound = scene.plugin.preBind(state, info, 'b1', never);
    await scene.clock.advance(0);
    expect(scene.written).toEqual(['claim c b1']);
    await scene.clock.advance(11_000);
    expect(await bound).toMatchObject({ code: 'Error', reasons: ['binding volumes: context deadline exceeded'] });
  });

  test('A pod that got a node is tried again when the volume is made for another node', async () => {
    const { scene, state } = reserved({ claims: [delayed()], classes: [storageClass('sc')] });
    const annotations = { 'volume.kubernetes.io/selected-node': 'a1' };
    scene.storage.claims = [claim('c', { metadata: { name: 'c', namespace: 'default', annotations } })];
    expect((await scene.plugin.preBind(state, info, 'b1', never))?.message).toBe(
      'selectedNode annotation value "a1" not set to scheduled node "b1"',
    );
  });

  test('A pod that got a node has nothing to wait for when its claims are bound', async () => {
    const { scene, state } = reserved({
      claims: [claim('c', { spec: { volumeName: 'v' } })],
      volumes: [local('v', 'b1')],
    });
    expect(await scene.plugin.preBind(state, info, 'b1', never)).toBeUndefined();
    expect(scene.written).toEqual([]);
  });
});

describe('the score of a node', () => {
  const storage: TestStorage = {
    classes: [storageClass('sc', { volumeBindingMode: 'WaitForFirstConsumer' })],
    claims: [claim('c', { spec: { storageClassName: 'sc' } })],
    volumes: [volume('v', { spec: { storageClassName: 'sc', capacity: { storage: '4Gi' } } })],
  };
  const pod = podInfo({
    metadata: { name: 'p', namespace: 'default', uid: 'pod-uid' },
    spec: { volumes: [claimVolume('c')] },
  });

  test('With a shape the score of a node is how full its volumes would be', () => {
    const shape = [
      { utilization: 0, score: 0 },
      { utilization: 100, score: 10 },
    ];
    const scene = new Scene(storage, { shape });
    const state = new CycleState();
    scene.judge([claimVolume('c')], state);
    expect(scene.plugin.preScore(state, pod, [])).toBeUndefined();
    expect(scene.plugin.score(state, pod, scene.cluster.node('a1')!)).toBe(25);
  });

  test('Without a shape nodes have no score', () => {
    const scene = new Scene(storage);
    const state = new CycleState();
    scene.judge([claimVolume('c')], state);
    expect(scene.plugin.preScore(state, pod, [])).toMatchObject({ code: 'Skip' });
  });
});
