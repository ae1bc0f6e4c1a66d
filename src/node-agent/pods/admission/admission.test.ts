import { describe, expect, test } from 'vitest';
import type { Pod, PodSpec } from '../../../api/gen/types/core-v1.ts';
import type { AdmissionNode } from './admission-request.ts';
import { decide } from './admit.ts';

const machine: AdmissionNode = {
  name: 'node-1',
  labels: { disk: 'ssd' },
  taints: [],
  allocatable: { cpu: '2', memory: '1Gi', pods: '3', 'example.com/gpu': '1' },
  pressures: [],
  hasAppArmor: false,
  kernelVersion: '4.4.0-generic',
  allowedUnsafeSysctls: ['net.core.somaxconn', 'kernel.msg*'],
  isShuttingDown: false,
};

type Requests = Readonly<Record<string, string>>;

const podOf = (requests: Requests = {}, spec: Partial<PodSpec> = {}, name = 'web'): Pod =>
  ({
    metadata: { name, namespace: 'default', uid: name },
    spec: { containers: [{ name: 'main', image: 'image:1', resources: { requests } }], ...spec },
    status: {},
  }) as Pod;

const withSysctl = (name: string, spec: Partial<PodSpec> = {}): Pod =>
  podOf({}, { securityContext: { sysctls: [{ name, value: '1' }] }, ...spec });

const withPort = (hostPort: number, hostIP?: string): Pod =>
  podOf(
    {},
    {
      containers: [
        {
          name: 'main',
          resources: {},
          ports: [{ containerPort: 80, protocol: 'TCP', hostPort, ...(hostIP === undefined ? {} : { hostIP }) }],
        },
      ],
    },
  );

const taint = { key: 'golden', value: 'x', effect: 'NoExecute' } as const;
const affinityMessage = "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector";

describe('A pod that is bound to the node', () => {
  test.each<{
    name: string;
    pod: Pod;
    others?: Pod[];
    node?: Partial<AdmissionNode>;
    reason?: string;
    message?: string;
  }>([
    { name: 'it asks for as much as there is', pod: podOf({ cpu: '2', memory: '1Gi' }) },
    {
      name: 'the CPUs are taken',
      pod: podOf({ cpu: '1500m' }),
      others: [podOf({ cpu: '1' })],
      reason: 'OutOfcpu',
      message: "Node didn't have enough resource: cpu, requested: 1500, used: 1000, capacity: 2000",
    },
    {
      name: 'the memory does not do',
      pod: podOf({ memory: '2Gi' }),
      reason: 'OutOfmemory',
      message: "Node didn't have enough resource: memory, requested: 2147483648, used: 0, capacity: 1073741824",
    },
    {
      name: 'there are as many pods as there may be',
      pod: podOf(),
      others: [podOf(), podOf(), podOf()],
      reason: 'OutOfpods',
      message: "Node didn't have enough resource: pods, requested: 1, used: 3, capacity: 3",
    },
    {
      name: 'an extended resource is taken',
      pod: podOf({ 'example.com/gpu': '1' }),
      others: [podOf({ 'example.com/gpu': '1' })],
      reason: 'OutOfexample.com/gpu',
    },
    { name: 'the node does not have an extended resource', pod: podOf({ 'example.com/none': '9' }) },
    { name: 'the node has the label that it selects', pod: podOf({}, { nodeSelector: { disk: 'ssd' } }) },
    {
      name: 'the node does not have the label that it selects',
      pod: podOf({}, { nodeSelector: { disk: 'hdd' } }),
      reason: 'NodeAffinity',
      message: affinityMessage,
    },
    {
      name: 'it belongs to another node',
      pod: podOf({}, { nodeName: 'node-2' }),
      reason: 'NodeName',
      message: "Predicate NodeName failed: node(s) didn't match the requested node name",
    },
    {
      name: 'its port is taken on all addresses',
      pod: withPort(80, '192.0.2.1'),
      others: [withPort(80)],
      reason: 'NodePorts',
      message: "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports",
    },
    {
      name: 'its port is taken on another address',
      pod: withPort(80, '192.0.2.1'),
      others: [withPort(80, '192.0.2.2')],
    },
    {
      name: 'the node has a taint that ends pods',
      pod: podOf(),
      node: { taints: [taint] },
      reason: 'TaintToleration',
      message: "Predicate TaintToleration failed: node(s) had taints that the pod didn't tolerate",
    },
    {
      name: 'it tolerates the taint',
      pod: podOf({}, { tolerations: [{ operator: 'Exists' }] }),
      node: { taints: [taint] },
    },
    {
      name: 'the taint only keeps new pods away',
      pod: podOf(),
      node: { taints: [{ ...taint, effect: 'NoSchedule' }] },
    },
    {
      name: 'it is of another operating system',
      pod: podOf({}, { os: { name: 'windows' } }),
      reason: 'PodOSNotSupported',
      message: "Failed to admit pod as the OS field doesn't match node OS",
    },
    {
      name: 'it wants a profile of AppArmor',
      pod: podOf({}, { securityContext: { appArmorProfile: { type: 'RuntimeDefault' } } }),
      reason: 'AppArmor',
      message: 'Cannot enforce AppArmor: AppArmor is not enabled on the host',
    },
    { name: 'it sets a safe sysctl', pod: withSysctl('kernel.shm_rmid_forced') },
    { name: 'it sets a sysctl that the node allows', pod: withSysctl('net.core.somaxconn') },
    { name: 'it sets a sysctl of a prefix that the node allows', pod: withSysctl('kernel.msgmax') },
    {
      name: 'it sets another sysctl',
      pod: withSysctl('vm.swappiness'),
      reason: 'SysctlForbidden',
      message: 'forbidden sysctl: "vm.swappiness" not allowlisted',
    },
    {
      name: 'the kernel is too old for a sysctl of each pod',
      pod: withSysctl('net.ipv4.tcp_rmem'),
      reason: 'SysctlForbidden',
      message: 'forbidden sysctl: "net.ipv4.tcp_rmem" not allowlisted',
    },
    {
      name: 'it sets a sysctl of the network of the host',
      pod: withSysctl('net.core.somaxconn', { hostNetwork: true }),
      reason: 'SysctlForbidden',
      message: 'forbidden sysctl: "net.core.somaxconn" not allowed with host net enabled',
    },
    {
      name: 'the disk of the node is full',
      pod: podOf({ cpu: '1' }),
      node: { pressures: ['DiskPressure'] },
      reason: 'Evicted',
      message: 'The node had condition: [DiskPressure]. ',
    },
    {
      name: 'the memory is short and it asks for some',
      pod: podOf({ cpu: '1' }),
      node: { pressures: ['MemoryPressure'] },
    },
    {
      name: 'the memory is short and it asks for nothing',
      pod: podOf(),
      node: { pressures: ['MemoryPressure'] },
      reason: 'Evicted',
    },
    { name: 'the node shuts down', pod: podOf(), node: { isShuttingDown: true }, reason: 'NodeShutdown' },
  ])('The node takes a pod, or says why not: $name', ({ pod, others = [], node = {}, reason, message }) => {
    const { refusal } = decide(pod, others, { ...machine, ...node });
    expect(refusal?.reason).toBe(reason);
    if (message !== undefined) expect(refusal?.message).toBe(message);
  });
});

describe('A critical pod that does not fit', () => {
  const critical = (requests: Requests): Pod => podOf(requests, { priority: 2_000_000_000 }, 'critical');
  const guaranteed = (cpu: string, name: string): Pod => {
    const amounts = { cpu, memory: '1Mi' };
    const resources = { requests: amounts, limits: amounts };
    return podOf({}, { containers: [{ name: 'main', image: 'image:1', resources }] }, name);
  };

  test.each<{ name: string; pod: Pod; others: Pod[]; ends: string[] }>([
    {
      name: 'the only one that frees enough',
      pod: critical({ cpu: '2' }),
      others: [podOf({ cpu: '1' }, {}, 'a')],
      ends: ['a'],
    },
    {
      name: 'one of a lower class first',
      pod: critical({ cpu: '1' }),
      others: [guaranteed('1', 'best'), podOf({ cpu: '1' }, {}, 'middle')],
      ends: ['middle'],
    },
    {
      name: 'the smaller one of two that do',
      pod: critical({ cpu: '500m' }),
      others: [podOf({ cpu: '1200m' }, {}, 'large'), podOf({ cpu: '600m' }, {}, 'small')],
      ends: ['small'],
    },
  ])('Another pod ends for a critical one: $name', ({ pod, others, ends }) => {
    const { refusal, preempt } = decide(pod, others, machine);
    expect({ refusal, ends: preempt.map(({ metadata }) => metadata.name) }).toEqual({ refusal: undefined, ends });
  });

  test('A critical pod is refused where only pods of the same priority could end', () => {
    const { refusal, preempt } = decide(critical({ cpu: '2' }), [critical({ cpu: '1' })], machine);
    expect({ reason: refusal?.reason, preempt }).toEqual({ reason: 'OutOfcpu', preempt: [] });
  });
});
