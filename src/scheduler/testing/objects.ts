/** Makers of pods and nodes for tests: what a test does not say has a default. */
import type { Node, NodeSpec, Pod, PodSpec, PodStatus } from '../../api/gen/types/core-v1.ts';
import type { ObjectMeta } from '../../api/gen/types/meta-v1.ts';
import { NodeInfo } from '../state/node-info.ts';
import { PodInfo } from '../state/pod-info.ts';

export interface TestPod {
  readonly name?: string;
  readonly namespace?: string;
  readonly labels?: Record<string, string>;
  readonly metadata?: ObjectMeta;
  /** Of its only container. */
  readonly requests?: Record<string, string>;
  readonly spec?: Partial<PodSpec>;
  readonly status?: Partial<PodStatus>;
  readonly node?: string;
  readonly priority?: number;
}

export function pod({
  name = 'p',
  namespace = 'default',
  labels = {},
  metadata = {},
  requests = {},
  spec = {},
  status = {},
  node,
  priority = 0,
}: TestPod = {}): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, uid: `${namespace}/${name}`, resourceVersion: '1', labels, ...metadata },
    spec: {
      schedulerName: 'default-scheduler',
      containers: [{ name: 'app', image: 'app:1', resources: { requests } }],
      priority,
      ...(node === undefined ? {} : { nodeName: node }),
      ...spec,
    },
    status: { phase: 'Pending', ...status },
  };
}

export const podInfo = (options: TestPod = {}): PodInfo => new PodInfo(pod(options));

export interface TestNode {
  readonly name?: string;
  readonly labels?: Record<string, string>;
  readonly allocatable?: Record<string, string>;
  readonly spec?: NodeSpec;
  readonly images?: Node['status']['images'];
}

export function node({ name = 'n', labels = {}, allocatable = {}, spec = {}, images }: TestNode = {}): Node {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, resourceVersion: '1', labels: { 'kubernetes.io/hostname': name, ...labels } },
    spec,
    status: {
      allocatable: { cpu: '4', memory: '8Gi', pods: '110', ...allocatable },
      ...(images === undefined ? {} : { images }),
    } as unknown as Node['status'],
  };
}

/** A node with these pods on it. */
export function nodeInfo(options: TestNode = {}, pods: readonly TestPod[] = []): NodeInfo {
  const info = new NodeInfo(options.name ?? 'n');
  info.setNode(node(options));
  for (const each of pods) info.addPod(podInfo(each));
  return info;
}

/** Scores of one plugin for nodes, normalized where it does that. */
export function scoresOf(
  plugin: {
    score(state: never, pod: PodInfo, node: NodeInfo): number;
    normalize?(state: never, pod: PodInfo, scores: Float64Array, nodes: readonly NodeInfo[]): void;
  },
  state: unknown,
  pod: PodInfo,
  nodes: readonly NodeInfo[],
): number[] {
  const scores = Float64Array.from(nodes, (each) => plugin.score(state as never, pod, each));
  plugin.normalize?.(state as never, pod, scores, nodes);
  return [...scores];
}
