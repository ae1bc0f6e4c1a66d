/**
 * Gives each node ranges for the addresses of its pods, out of `--cluster-cidr`.
 * @see {@link https://kubernetes.io/docs/concepts/cluster-administration/networking/ | Cluster networking}
 */
import type { Node } from '../../api/gen/types/core-v1.ts';
import { isNotFound } from '../../client/api-error.ts';
import type { Patch } from '../../client/index.ts';
import { changesOf } from '../../reconcile/controller.ts';
import type { ControllerContext } from '../manager/context.ts';
import { eventsOf } from '../shared/triggers.ts';
import { rangeMetrics } from './metrics.ts';
import { NodeRanges, RangesExhausted } from './ranges.ts';

const workers = 30;

export function startNodeIpam(context: ControllerContext): void {
  const { client, options, log } = context;
  const { allocateNodeCidrs, allocatorType } = options.nodeIpam;
  if (!allocateNodeCidrs) return;
  if (allocatorType === 'CloudAllocator')
    throw new Error("--cidr-allocator-type is set to 'CloudAllocator' but cloud provider is not configured");
  const nodes = context.informer(client.core.v1.nodes);
  const ranges = new NodeRanges(options.nodeIpam, rangeMetrics(context.metrics));
  const hold = (node: Node): void => {
    const strange = ranges.hold(node);
    if (strange.length > 0)
      log.warn({ controller: context.name, node: node.metadata.name, cidrs: strange }, 'a node has other ranges');
  };

  const sync = async (name: string): Promise<undefined> => {
    const node = nodes.objects.get(name);
    if (node === undefined || (node.spec?.podCIDRs ?? []).length > 0) return undefined;
    try {
      await assign(node, ranges.reserve(node));
    } catch (error) {
      if (error instanceof RangesExhausted) tell(node, 'CIDRNotAvailable');
      throw error;
    }
    return undefined;
  };

  /** Ranges stay reserved when that fails: the server may have taken them all the same. */
  const assign = async (node: Node, podCIDRs: string[]): Promise<void> => {
    const { name = '', uid = '' } = node.metadata;
    const body = { metadata: { uid }, spec: { podCIDR: podCIDRs[0]!, podCIDRs } };
    try {
      await client.core.v1.nodes.patch(name, { strategic: body } as unknown as Patch);
    } catch (error) {
      if (isNotFound(error)) return ranges.release(name);
      tell(node, 'CIDRAssignmentFailed');
      throw error;
    }
  };

  const tell = ({ metadata: { name = '', uid = '' } }: Node, status: string): void => {
    const about = { apiVersion: 'v1', kind: 'Node', metadata: { name, uid } };
    context.events.event(about, 'Normal', status, `Node ${name} status is now: ${status}`);
  };

  context.work({
    queue: 'cidrallocator_node',
    workers,
    triggers: [
      // All ranges that nodes have are known before the first one is given.
      eventsOf(nodes, () => ({
        onAdd: hold,
        onUpdate: (_, node) => hold(node),
        onDelete: ({ metadata }) => ranges.release(metadata.name!),
      })),
      changesOf(nodes, (node) => ((node.spec?.podCIDRs ?? []).length > 0 ? [] : [node.metadata.name!])),
    ],
    sync,
    isExpected: (error) => error instanceof RangesExhausted,
  });
}
