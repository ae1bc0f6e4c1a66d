/** Writes the taints of a node: a list that others write too. */
import type { Node, Taint } from '../../api/gen/types/core-v1.ts';
import { isConflict, isNotFound } from '../../client/api-error.ts';
import { undefinedWhenGone } from '../../client/undefined-when-gone.ts';

export interface NodeTaints {
  read(name: string): Promise<Node>;
  /** @param taints null for none; rejects with 409 where the node has another version */
  write(name: string, resourceVersion: string, taints: readonly Taint[] | null): Promise<unknown>;
}

const mostTries = 5;

/**
 * With the version of the node. Where another writer came first, the node is read again: an eviction has a turn in its
 * zone, and must not lose it. A node that is gone needs no taints.
 *
 * @param taintsOf undefined where the node has what it should have
 */
export async function writeTaints(
  nodes: NodeTaints,
  node: Node,
  taintsOf: (node: Node) => readonly Taint[] | undefined,
): Promise<void> {
  const { name, uid } = node.metadata;
  let current = node;
  for (let tries = 1; ; tries++) {
    const taints = taintsOf(current);
    if (taints === undefined) return;
    try {
      await nodes.write(name!, current.metadata.resourceVersion!, taints.length === 0 ? null : taints);
      return;
    } catch (error) {
      if (isNotFound(error)) return;
      if (!isConflict(error) || tries === mostTries) throw error;
    }
    const read = await nodes.read(name!).catch(undefinedWhenGone);
    if (read === undefined || read.metadata.uid !== uid) return;
    current = read;
  }
}
