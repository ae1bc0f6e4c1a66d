/**
 * A hollow node as an object: what an agent says of its machine when it registers.
 * @see {@link https://kubernetes.io/docs/reference/node/node-status/ | Node Status}
 */
import { createHash } from 'node:crypto';
import os from 'node:os';
import type { Node, NodeCondition } from '../../../api/gen/types/core-v1.ts';
import { orchVersion, versionInfo } from '../../../base/version.ts';
import { decimalOf, type NodeCapacity } from './capacity.ts';

export interface HollowNodeFacts {
  readonly name: string;
  readonly hostIPs: readonly string[];
  readonly capacity: NodeCapacity;
  readonly labels: Readonly<Record<string, string>>;
  /** RFC 3339. */
  readonly now: string;
}

const architectures: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' };
const architecture = architectures[process.arch] ?? process.arch;

export function nodeObject({ name, hostIPs, capacity, labels, now }: HollowNodeFacts): Node {
  const own = { os: 'linux', arch: architecture };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'beta.kubernetes.io/arch': own.arch,
        'beta.kubernetes.io/os': own.os,
        'kubernetes.io/arch': own.arch,
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': own.os,
        ...labels,
      },
      annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' },
    },
    spec: {},
    status: {
      ...resourcesOf(capacity),
      conditions: healthyConditions(now),
      addresses: [...hostIPs.map((address) => ({ type: 'InternalIP', address })), { type: 'Hostname', address: name }],
      daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
      nodeInfo: nodeInfo(name),
    },
  };
}

function nodeInfo(name: string): Node['status']['nodeInfo'] {
  const id = (what: string): string => createHash('sha256').update(`${what}/${name}`).digest('hex').slice(0, 32);
  const uuid = (what: string): string => id(what).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  const { gitVersion } = versionInfo();
  return {
    machineID: id('machine'),
    systemUUID: uuid('system'),
    bootID: uuid('boot'),
    kernelVersion: os.release(),
    osImage: 'hollow',
    containerRuntimeVersion: `hollow://${orchVersion}`,
    kubeletVersion: gitVersion,
    kubeProxyVersion: gitVersion,
    operatingSystem: 'linux',
    architecture,
  };
}

/** What the default thresholds of eviction keep back: 100Mi of memory, a tenth of the disk. */
function resourcesOf({
  cpu,
  memoryKi,
  diskKi,
  pods,
  other,
}: NodeCapacity): Pick<Node['status'], 'capacity' | 'allocatable'> {
  const common = { cpu, 'hugepages-1Gi': '0', 'hugepages-2Mi': '0', pods: String(pods), ...other };
  return {
    capacity: { ...common, memory: `${memoryKi}Ki`, 'ephemeral-storage': `${diskKi}Ki` },
    allocatable: {
      ...common,
      memory: `${Math.max(0, memoryKi - 100 * 1024)}Ki`,
      'ephemeral-storage': decimalOf(diskKi * 1024 * 0.9),
    },
  };
}

const healthy: readonly [type: string, status: string, reason: string, message: string][] = [
  ['MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
  ['DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
  ['PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
  ['Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'],
];

export const healthyConditions = (now: string): NodeCondition[] =>
  healthy.map(([type, status, reason, message]) => ({
    type,
    status,
    lastHeartbeatTime: now,
    lastTransitionTime: now,
    reason,
    message,
  }));
