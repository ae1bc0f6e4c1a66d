/**
 * The objects that every cluster has from the start. They are made like any other object, through admission and
 * validation, and left alone when they are there.
 */
import type { KubeObject } from '../../machinery/object-meta.ts';
import type { LoopbackClient, ObjectName } from '../loopback/loopback-client.ts';

const systemNamespaces = ['default', 'kube-system', 'kube-public', 'kube-node-lease', 'orch-system'];

/**
 * @see {@link https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/#priorityclass |
 *   PriorityClass}
 */
const systemPriorityClasses = [
  {
    name: 'system-node-critical',
    value: 2_000_001_000,
    description: 'Used for system critical pods that must not be moved from their current node.',
  },
  {
    name: 'system-cluster-critical',
    value: 2_000_000_000,
    description:
      'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  },
];

export async function createSystemNamespaces(writer: LoopbackClient): Promise<void> {
  for (const name of systemNamespaces)
    await ensure(writer, { group: '', resource: 'namespaces', namespace: '', name }, {});
}

export async function createSystemPriorityClasses(writer: LoopbackClient): Promise<void> {
  for (const { name, ...members } of systemPriorityClasses) {
    await ensure(
      writer,
      { group: 'scheduling.k8s.io', resource: 'priorityclasses', namespace: '', name },
      members as KubeObject,
    );
  }
}

/** Creates the object unless it is there. A resource that is not served needs none. */
async function ensure(writer: LoopbackClient, name: ObjectName, object: KubeObject): Promise<void> {
  if (!writer.isServed(name) || (await writer.find(name)) !== undefined) return;
  await writer.create(name, object);
}
