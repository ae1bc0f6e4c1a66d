/** What templates of stages are told of the time, the nodes, and the addresses of the pod. */
import { formatMicroTime } from '../../machinery/time.ts';
import type { HollowNode } from './nodes/hollow-node.ts';
import type { TemplateContext } from './stages/template/functions.ts';

export interface TemplateContextOptions {
  readonly nodes: ReadonlyMap<string, HollowNode>;
  /** Milliseconds since 1970. */
  readonly wallTime: () => number;
}

const nodePort = 10250;

export function createTemplateContexts({ nodes, wallTime }: TemplateContextOptions) {
  const timeText = (): string => {
    const ms = wallTime();
    return formatMicroTime(Math.floor(ms / 1000), (ms % 1000) * 1e6);
  };
  const startTime = timeText();
  const forNode = ({ name }: HollowNode): TemplateContext => ({
    now: timeText(),
    startTime,
    nodeName: name,
    nodePort,
    nodeIPs: (nodeName) => nodes.get(nodeName)?.hostIPs ?? [],
    podIPs: () => [],
  });
  return {
    forNode,
    forPod: (node: HollowNode, addresses: () => readonly string[]): TemplateContext => ({
      ...forNode(node),
      podIPs: (nodeName, isHostNetwork) => (isHostNetwork ? (nodes.get(nodeName)?.hostIPs ?? []) : addresses()),
    }),
  };
}
