/**
 * The object of a node: as an agent registers it, and what it says of it later.
 * @see {@link https://kubernetes.io/docs/reference/node/node-status/ | Node Status}
 */
import type { Node, NodeAddress, NodeCondition, Taint } from '../../api/gen/types/core-v1.ts';
import { versionInfo } from '../../base/version.ts';
import type { ResourceList } from './capacity.ts';
import type { Machine } from './machine.ts';
import { imagesOfStatus } from './images.ts';
import type { RuntimeHandlerInfo, RuntimeImage, RuntimeStatusReport, RuntimeVersion } from './node-runtime.ts';

/** Labels that every node has. */
export const nodeLabels = (name: string, architecture: string): Record<string, string> => ({
  'beta.kubernetes.io/arch': architecture,
  'beta.kubernetes.io/os': 'linux',
  'kubernetes.io/arch': architecture,
  'kubernetes.io/hostname': name,
  'kubernetes.io/os': 'linux',
});

export const attachAnnotation = 'volumes.kubernetes.io/controller-managed-attach-detach';
export const providedAddressAnnotation = 'alpha.kubernetes.io/provided-node-ip';
const uninitializedTaint: Taint = {
  key: 'node.cloudprovider.kubernetes.io/uninitialized',
  value: 'true',
  effect: 'NoSchedule',
};

export interface NodeIdentity {
  readonly name: string;
  readonly architecture: string;
  /** Of the operator. */
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  readonly isSchedulable: boolean;
  readonly providerID: string;
  readonly hasExternalCloud: boolean;
  /** Of `--node-ip`. */
  readonly nodeIPs: readonly string[];
  readonly isAttachedByController: boolean;
}

/** As a node is registered for the first time. */
export function nodeObject(node: NodeIdentity, status: Node['status']): Node {
  const { name, architecture, labels, hasExternalCloud, nodeIPs, providerID } = node;
  const taints = [...(hasExternalCloud ? [uninitializedTaint] : []), ...node.taints];
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: { ...nodeLabels(name, architecture), ...labels },
      annotations: {
        ...(hasExternalCloud && nodeIPs.length > 0 ? { [providedAddressAnnotation]: nodeIPs.join(',') } : {}),
        ...(node.isAttachedByController ? { [attachAnnotation]: 'true' } : {}),
      },
    },
    spec: {
      ...(providerID === '' ? {} : { providerID }),
      ...(taints.length === 0 ? {} : { taints }),
      ...(node.isSchedulable ? {} : { unschedulable: true }),
    },
    status,
  };
}

/** What an agent changes of the metadata of a node that exists already; undefined: nothing. */
export function metadataChanges(
  existing: Node,
  node: NodeIdentity,
): { readonly labels?: Record<string, string>; readonly annotations?: Record<string, string | null> } | undefined {
  const { labels = {}, annotations = {} } = existing.metadata;
  const missing = Object.entries(nodeLabels(node.name, node.architecture)).filter(
    ([label, value]) => labels[label] !== value,
  );
  const isAttached = annotations[attachAnnotation] === 'true';
  const attach = isAttached === node.isAttachedByController ? undefined : node.isAttachedByController ? 'true' : null;
  if (missing.length === 0 && attach === undefined) return undefined;
  return {
    ...(missing.length === 0 ? {} : { labels: Object.fromEntries(missing) }),
    ...(attach === undefined ? {} : { annotations: { [attachAnnotation]: attach } }),
  };
}

/** All that the status says beside what others write. */
export interface NodeReport {
  readonly machine: Machine;
  readonly capacity: ResourceList;
  readonly allocatable: ResourceList;
  readonly addresses: readonly NodeAddress[];
  readonly conditions: readonly NodeCondition[];
  readonly port: number;
  readonly runtime: Pick<RuntimeVersion, 'runtimeName'> & { readonly runtimeVersion: string | undefined };
  readonly runtimeStatus: Pick<RuntimeStatusReport, 'runtimeHandlers' | 'features'> | undefined;
  readonly images: readonly RuntimeImage[];
  readonly maxImages: number;
}

export function nodeStatus(report: NodeReport, before: Node['status'] | undefined): Node['status'] {
  const { machine, runtimeStatus, capacity, allocatable } = report;
  const handlers = runtimeStatus?.runtimeHandlers ?? [];
  const policy = runtimeStatus?.features?.supplementalGroupsPolicy;
  return {
    ...before,
    capacity: { ...extended(before?.capacity), ...capacity },
    allocatable: { ...extended(before?.allocatable), ...allocatable },
    conditions: [...report.conditions],
    addresses: [...report.addresses],
    daemonEndpoints: { kubeletEndpoint: { Port: report.port } },
    nodeInfo: nodeInfo(machine, report.runtime),
    images: imagesOfStatus(report.images, report.maxImages),
    ...(handlers.length === 0 ? {} : { runtimeHandlers: handlers.map(handlerOf) }),
    ...(policy === undefined ? {} : { features: { supplementalGroupsPolicy: policy } }),
  };
}

/** Resources that others have put there: their names have a domain. */
const extended = (resources: ResourceList | undefined = {}): ResourceList =>
  Object.fromEntries(Object.entries(resources).filter(([name]) => name.includes('/')));

function handlerOf({ name, features }: RuntimeHandlerInfo) {
  if (features === undefined) return { name };
  const { recursiveReadOnlyMounts, userNamespaces } = features;
  return {
    name,
    features: {
      ...(recursiveReadOnlyMounts === undefined ? {} : { recursiveReadOnlyMounts }),
      ...(userNamespaces === undefined ? {} : { userNamespaces }),
    },
  };
}

function nodeInfo(
  machine: Machine,
  { runtimeName, runtimeVersion }: NodeReport['runtime'],
): Node['status']['nodeInfo'] {
  const { gitVersion } = versionInfo();
  return {
    machineID: machine.machineId,
    systemUUID: machine.systemUuid,
    bootID: machine.bootId,
    kernelVersion: machine.kernelVersion,
    osImage: machine.osImage,
    containerRuntimeVersion: `${runtimeName}://${runtimeVersion ?? 'Unknown'}`,
    kubeletVersion: gitVersion,
    kubeProxyVersion: gitVersion,
    operatingSystem: 'linux',
    architecture: machine.architecture,
  };
}
