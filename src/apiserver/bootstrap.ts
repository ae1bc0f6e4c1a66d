/**
 * The objects that every cluster has from the start. They are made like any other object, through admission and
 * validation, and left alone when they are there.
 */
import { isGateOn } from '../api/feature-gates.ts';
import type { KubeObject } from '../machinery/object-meta.ts';
import { isStatusError } from '../machinery/status.ts';
import type { RegistryCatalog } from '../registry/catalog.ts';
import { createObject } from '../registry/generic/create.ts';
import type { ResourceStore } from '../registry/generic/resource-store.ts';
import type { ApiServerConfig } from './api-server.ts';

export interface BootstrapOptions {
  readonly registry: RegistryCatalog;
  readonly config: ApiServerConfig;
  readonly signal: AbortSignal;
}

const systemNamespaces = ['default', 'kube-system', 'kube-public', 'kube-node-lease', 'orch-system'];

/** @see {@link https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/#priorityclass | PriorityClass} */
const systemPriorityClasses = [
  { name: 'system-node-critical', value: 2_000_001_000, description: 'Used for system critical pods that must not be moved from their current node.' },
  { name: 'system-cluster-critical', value: 2_000_000_000, description: 'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.' },
];

export async function createBootstrapObjects({ registry, config, signal }: BootstrapOptions): Promise<void> {
  const namespaces = registry.storeOf('', 'namespaces');
  for (const name of systemNamespaces) await ensure(namespaces, { metadata: { name } }, config, signal);
  const priorityClasses = registry.storeOf('scheduling.k8s.io', 'priorityclasses');
  for (const { name, ...members } of systemPriorityClasses) await ensure(priorityClasses, { metadata: { name }, ...members } as KubeObject, config, signal);
}

/** Creates the object unless it is there. A resource that is not served needs none. */
async function ensure(store: ResourceStore | undefined, object: KubeObject, config: ApiServerConfig, signal: AbortSignal): Promise<void> {
  if (store === undefined) return;
  const { namespace = '', name = '' } = object.metadata ?? {};
  if ((await store.find(namespace, name, { match: 'mostRecent' }, signal)) !== undefined) return;
  store.definition.versions?.[store.storageVersion.slice(store.storageVersion.indexOf('/') + 1)]?.defaults?.(object);
  try {
    await createObject(store, object, { admit: () => Promise.resolve(), validate: () => Promise.resolve() }, {
      namespace, name: '', subresource: '', dryRun: false, options: {}, warn: () => undefined,
      context: { now: new Date(), user: { name: 'system:apiserver', groups: ['system:masters'] }, enabled: (gate) => isGateOn(gate, config.featureGates), apiVersion: store.storageVersion, allowPrivileged: true },
    });
  } catch (error) {
    if (!isStatusError(error) || error.reason !== 'AlreadyExists') throw error;
  }
}
