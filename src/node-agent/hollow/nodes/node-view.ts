/** What is kept of the nodes that the informer sees. */
import type { Node } from '../../../api/gen/types/core-v1.ts';
import { nodeStateAnnotation } from '../stages/default-stages.ts';

/** @param isOurs of others no more is kept than that they are there */
export function reducedNode(node: Node, isOurs: boolean, readsAll: boolean): Node {
  const { metadata, spec } = node;
  const { name, uid, resourceVersion, annotations, deletionTimestamp } = metadata;
  if (!isOurs) return { metadata: { name, resourceVersion }, spec: {}, status: {} } as Node;
  if (readsAll) return node;
  const state = annotations?.[nodeStateAnnotation];
  return {
    metadata: {
      name,
      uid,
      resourceVersion,
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
      ...(state === undefined ? {} : { annotations: { [nodeStateAnnotation]: state } }),
    },
    spec: spec.podCIDR === undefined ? {} : { podCIDR: spec.podCIDR },
    status: { conditions: [{ type: 'Ready', status: readyStatusOf(node) }] },
  } as Node;
}

export const readyStatusOf = ({ status }: Node): string =>
  status?.conditions?.find(({ type }) => type === 'Ready')?.status ?? '';
