import { describe, expect, it } from 'vitest';
import type { Node, Pod, PodSpec } from '../../api/gen/types/core-v1.ts';
import type { RuntimeClass } from '../../api/gen/types/node-v1.ts';
import type { KubeObject } from '../../machinery/object-meta.ts';
import { createRuntimeClass } from './runtime-class.ts';
import { createStorageObjectInUseProtection } from './storage-object-in-use-protection.ts';
import { taintNodesByCondition } from './taint-nodes-by-condition.ts';
import { attributesFor, objectsOf } from './testing/attributes.ts';

describe('TaintNodesByCondition', () => {
  const notReady = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' as const };

  it.each([
    { name: 'without taints', taints: undefined, expected: [notReady] },
    {
      name: 'with another taint',
      taints: [{ ...notReady, effect: 'NoExecute' as const }],
      expected: [{ ...notReady, effect: 'NoExecute' }, notReady],
    },
    { name: 'with the taint', taints: [notReady], expected: [notReady] },
  ])('TaintNodesByCondition keeps pods from a new node $name', async ({ taints, expected }) => {
    const node = { metadata: { name: 'n' }, spec: { taints } } as Node;
    await taintNodesByCondition.admit!(attributesFor('nodes', node));
    expect(node.spec!.taints).toEqual(expected);
    expect(taintNodesByCondition.handles('UPDATE')).toBe(false);
  });
});

describe('StorageObjectInUseProtection', () => {
  it.each([
    { resource: 'persistentvolumeclaims', gate: false, expected: ['kubernetes.io/pvc-protection'] },
    { resource: 'persistentvolumes', gate: false, expected: ['kubernetes.io/pv-protection'] },
    { group: 'storage.k8s.io', resource: 'volumeattributesclasses', gate: false, expected: undefined },
    {
      group: 'storage.k8s.io',
      resource: 'volumeattributesclasses',
      gate: true,
      expected: ['kubernetes.io/vac-protection'],
    },
    { resource: 'configmaps', gate: true, expected: undefined },
  ])(
    'StorageObjectInUseProtection gives $resource the finalizers $expected where the gate is $gate',
    async ({ group = '', resource, gate, expected }) => {
      const plugin = createStorageObjectInUseProtection({ featureEnabled: () => gate });
      const object: KubeObject = { metadata: { name: 'o' } };
      for (let i = 0; i < 2; i++)
        await plugin.admit!(attributesFor(resource, object, { resource: { group, version: 'v1', resource } }));
      expect(object.metadata!.finalizers).toEqual(expected);
    },
  );
});

describe('RuntimeClass', () => {
  const plain: RuntimeClass = { metadata: { name: 'plain' }, handler: 'h' };
  const full: RuntimeClass = {
    metadata: { name: 'full' },
    handler: 'h',
    overhead: { podFixed: { cpu: '100m' } },
    scheduling: { nodeSelector: { disk: 'ssd' }, tolerations: [{ key: 't', operator: 'Exists' }] },
  };
  const plugin = createRuntimeClass({ objects: objectsOf({ 'node.k8s.io/runtimeclasses': [plain, full] }) });
  const admit = async (spec: Partial<PodSpec>): Promise<PodSpec> => {
    const pod = { metadata: { name: 'p', namespace: 'team' }, spec: { ...spec } } as Pod;
    await plugin.admit!(attributesFor('pods', pod));
    await plugin.validate!(attributesFor('pods', pod));
    return pod.spec;
  };

  it('RuntimeClass gives a pod the overhead, the node selector and the tolerations of its class', async () => {
    expect(await admit({ runtimeClassName: 'full', nodeSelector: { zone: 'a' } })).toMatchObject({
      overhead: { cpu: '100m' },
      nodeSelector: { zone: 'a', disk: 'ssd' },
      tolerations: [{ key: 't', operator: 'Exists' }],
    });
    expect(await admit({ runtimeClassName: 'full', overhead: { cpu: '0.1' } })).toMatchObject({
      overhead: { cpu: '100m' },
    });
    expect(await admit({ runtimeClassName: 'plain' })).toEqual({ runtimeClassName: 'plain' });
  });

  it.each<{ name: string; spec: Partial<PodSpec>; message: string }>([
    {
      name: 'of a class that is not there',
      spec: { runtimeClassName: 'none' },
      message: 'pod rejected: RuntimeClass "none" not found',
    },
    {
      name: 'with another overhead than its class',
      spec: { runtimeClassName: 'full', overhead: { cpu: '1' } },
      message: "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead",
    },
    {
      name: 'with an overhead that its class does not have',
      spec: { runtimeClassName: 'plain', overhead: { cpu: '1' } },
      message: 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
    },
    {
      name: 'with an overhead and no class',
      spec: { overhead: { cpu: '1' } },
      message: 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead',
    },
    {
      name: 'with a node selector that contradicts its class',
      spec: { runtimeClassName: 'full', nodeSelector: { disk: 'hdd' } },
      message: 'conflict: runtimeClass.scheduling.nodeSelector[disk] = ssd; pod.spec.nodeSelector[disk] = hdd',
    },
  ])('RuntimeClass refuses a pod $name', async ({ spec, message }) => {
    await expect(admit(spec)).rejects.toMatchObject({
      code: 403,
      message: `pods "p" is forbidden: ${message}`,
    });
  });
});
