/**
 * Deletes pods that do not tolerate a NoExecute taint of their node, at once or when the time is over that they do.
 * @see {@link
 *   https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/#taint-based-evictions | Taint-based
 *   evictions}
 */
import type { Node, Pod } from '../../api/gen/types/core-v1.ts';
import { undefinedWhenGone } from '../../client/undefined-when-gone.ts';
import { changesOf, type SyncResult } from '../../reconcile/controller.ts';
import type { Informer } from '../../reconcile/informer.ts';
import type { ControllerContext } from '../manager/context.ts';
import { nodeIndex, nodeKeys } from '../shared/pods-by-node.ts';
import { isPodTerminal } from '../../api/core/pods/is-terminal.ts';
import { formatMs } from '../shared/times.ts';
import { type EvictionMetrics, evictionMetrics } from './metrics.ts';
import { stayMs } from './sync.ts';

const workers = 8;

export function startTaintEviction(context: ControllerContext): void {
  const nodes = context.informer(context.client.core.v1.nodes);
  const pods = context.informer(context.client.core.v1.pods);
  context.index(pods, nodeIndex, nodeKeys);
  const evictions = new TaintEvictions(context, nodes, pods);
  /** Only what can change the answer: taints are rare, and nodes report often. */
  const podsOfNode = (node: Node): string[] =>
    evictions.isAffected(node)
      ? pods.objects.byIndex(nodeIndex, node.metadata.name!).map((pod) => pods.keyOf(pod))
      : [];
  const onTaintedNode = (pod: Pod): string[] => {
    const node = nodes.objects.get(pod.spec?.nodeName ?? '');
    const key = pods.keyOf(pod);
    return evictions.isPending(key) || (node !== undefined && hasEvictingTaint(node)) ? [key] : [];
  };
  context.work({
    queue: 'noexec_taint_pod',
    workers,
    triggers: [changesOf(nodes, podsOfNode), changesOf(pods, onTaintedNode)],
    sync: (key) => evictions.sync(key),
  });
}

const hasEvictingTaint = ({ spec }: Node): boolean =>
  spec?.taints?.some(({ effect }) => effect === 'NoExecute') === true;

interface Pending {
  readonly uid: string;
  /** By the clock: when the pod was first found to have to go. */
  readonly since: number;
  /** The pod was told to go. It is not told again, whatever it still waits for. */
  readonly isDone: boolean;
}

class TaintEvictions {
  readonly #context: ControllerContext;
  readonly #nodes: Informer<Node>;
  readonly #pods: Informer<Pod>;
  readonly #metrics: EvictionMetrics | undefined;
  /** Pods that are to be deleted later, or were deleted and are still there. */
  readonly #pending = new Map<string, Pending>();
  readonly #affectedNodes = new Set<string>();

  constructor(context: ControllerContext, nodes: Informer<Node>, pods: Informer<Pod>) {
    this.#context = context;
    this.#nodes = nodes;
    this.#pods = pods;
    this.#metrics = evictionMetrics(context.metrics);
  }

  isPending(key: string): boolean {
    return this.#pending.has(key);
  }

  /** The node evicts pods, or did so when it was seen last. */
  isAffected(node: Node): boolean {
    const name = node.metadata.name!;
    const had = this.#affectedNodes.has(name);
    const has = hasEvictingTaint(node) && this.#nodes.objects.get(name) !== undefined;
    if (has) this.#affectedNodes.add(name);
    else this.#affectedNodes.delete(name);
    return had || has;
  }

  async sync(key: string): Promise<SyncResult> {
    const pod = this.#pods.objects.get(key);
    if (pod === undefined || isPodTerminal(pod)) {
      this.#cancel(key);
      return undefined;
    }
    const taints = this.#nodes.objects.get(pod.spec?.nodeName ?? '')?.spec?.taints ?? [];
    const stay = stayMs(pod, taints);
    if (stay === undefined) {
      this.#cancel(key, pod);
      return undefined;
    }
    const now = this.#context.clock.now();
    const uid = pod.metadata.uid!;
    const known = this.#pending.get(key);
    const pending = known?.uid === uid ? known : { uid, since: now, isDone: false };
    if (pending.isDone) return undefined;
    this.#pending.set(key, pending);
    const leftMs = pending.since + stay - now;
    if (leftMs > 0) return { requeueAfterMs: leftMs };
    if (await this.#delete(pod)) this.#metrics?.deleted(this.#context.clock.now() - pending.since - stay);
    this.#pending.set(key, { ...pending, isDone: true });
    return undefined;
  }

  #cancel(key: string, pod?: Pod): void {
    const pending = this.#pending.get(key);
    this.#pending.delete(key);
    if (pod === undefined || pending === undefined || pending.isDone) return;
    const { namespace, name } = pod.metadata;
    this.#tell(pod, `Cancelling deletion of Pod ${namespace}/${name}`);
  }

  /** False when the pod is gone by itself. */
  async #delete(pod: Pod): Promise<boolean> {
    const { name, namespace, uid } = pod.metadata;
    const pods = this.#context.client.core.v1.pods.namespace(namespace!);
    this.#tell(pod, `Marking for deletion Pod ${namespace}/${name}`);
    const condition = {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'DeletionByTaintManager',
      message: 'Taint manager: deleting due to NoExecute taint',
      lastTransitionTime: formatMs(this.#context.wallTime()),
    };
    try {
      await pods.status.patch(name!, { strategic: { metadata: { uid: uid! }, status: { conditions: [condition] } } });
      await pods.delete(name!, { preconditions: { uid: uid! } });
      return true;
    } catch (error) {
      undefinedWhenGone(error);
      return false;
    }
  }

  #tell({ metadata }: Pod, message: string): void {
    const { name, namespace } = metadata;
    const about = { apiVersion: 'v1', kind: 'Pod', name: name!, namespace: namespace! };
    this.#context.events.event(about, 'Normal', 'TaintManagerEviction', message);
  }
}
