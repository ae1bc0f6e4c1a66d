/** Whether a pod belongs to this node: operating system, selectors, name, ports, taints. */
import type { Node, Pod } from '../../../api/gen/types/core-v1.ts';
import { requiredNodePredicate } from '../../../api/core/nodes/node-selector.ts';
import { toleratesTaint } from '../../../api/core/nodes/taints.ts';
import { hostPortsOf, UsedPorts } from '../../../api/core/pods/host-ports.ts';
import type { AdmissionNode, AdmissionRequest, Refusal } from './admission-request.ts';

const os = 'linux';

export function labelProblem({ metadata }: Pod): Refusal | undefined {
  const label = metadata.labels?.['kubernetes.io/os'];
  if (label === undefined || label === os) return undefined;
  return {
    reason: 'PodOSSelectorNodeLabelDoesNotMatch',
    message: "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label",
  };
}

export function osProblem({ spec }: Pod): Refusal | undefined {
  if (spec.os === undefined || spec.os.name === os) return undefined;
  return { reason: 'PodOSNotSupported', message: "Failed to admit pod as the OS field doesn't match node OS" };
}

export function placementProblem({ pod, others, node, isStatic }: AdmissionRequest): Refusal | undefined {
  const { spec } = pod;
  const isRight = requiredNodePredicate(spec);
  if (isRight?.(nodeLike(node)) === false)
    return predicateFailed('NodeAffinity', "node(s) didn't match Pod's node affinity/selector");
  if (spec.nodeName !== undefined && spec.nodeName !== node.name)
    return predicateFailed('NodeName', "node(s) didn't match the requested node name");
  const wanted = hostPortsOf(spec);
  if (wanted.length > 0) {
    const used = new UsedPorts();
    for (const other of others) for (const port of hostPortsOf(other.spec)) used.add(port);
    if (wanted.some((port) => used.conflictsWith(port)))
      return predicateFailed('NodePorts', "node(s) didn't have free ports for the requested pod ports");
  }
  const isTainted = node.taints.some(
    (taint) => taint.effect === 'NoExecute' && !toleratesTaint(spec.tolerations, taint),
  );
  return isTainted && !isStatic
    ? predicateFailed('TaintToleration', "node(s) had taints that the pod didn't tolerate")
    : undefined;
}

const nodeLike = ({ name, labels }: AdmissionNode): Node => ({
  metadata: { name, labels },
  spec: {},
  status: { daemonEndpoints: {}, nodeInfo: {} } as Node['status'],
});

const predicateFailed = (name: string, why: string): Refusal => ({
  reason: name,
  message: `Predicate ${name} failed: ${why}`,
});
