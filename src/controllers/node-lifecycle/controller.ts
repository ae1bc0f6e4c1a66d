/**
 * Watches over nodes: nodes that are silent become unknown, conditions become taints, and taints evict pods zone by
 * zone.
 * @see {@link https://kubernetes.io/docs/concepts/architecture/nodes/#node-controller | Node controller}
 */
import type { Node, NodeCondition, Pod, Taint } from '../../api/gen/types/core-v1.ts';
import { isConflict, isNotFound } from '../../client/api-error.ts';
import { changesOf } from '../../reconcile/controller.ts';
import type { Informer } from '../../reconcile/informer.ts';
import type { ControllerContext } from '../manager/context.ts';
import { nodeIndex, nodeKeys } from '../shared/pods-by-node.ts';
import { isPodReady, podCondition } from '../shared/pod-conditions.ts';
import { formatMs } from '../shared/times.ts';
import { nodeCondition, NodeHealth } from './health.ts';
import { type NodeMetrics, nodeMetrics } from './metrics.ts';
import { evictingKey, evictingTaint, withConditionTaints, withEvictingTaint } from './taints.ts';
import { type NodeTaints, writeTaints } from './write-taints.ts';
import { isAllDisrupted, ratesOf, type ZoneCounts, zoneOf, ZonePace } from './zones.ts';

/** How often nodes that wait to be tainted are looked at. */
const taintEveryMs = 100;
const workers = 8;
const leaseNamespace = 'kube-node-lease';
const excludedLabel = 'node.kubernetes.io/exclude-disruption';

/** Labels of old versions that follow their successors. */
const secondaryLabels: readonly (readonly [primary: string, secondary: string])[] = [
  ['kubernetes.io/os', 'beta.kubernetes.io/os'],
  ['kubernetes.io/arch', 'beta.kubernetes.io/arch'],
];

export function startNodeLifecycle(context: ControllerContext): void {
  const lifecycle = new NodeLifecycle(context);
  const { nodes } = lifecycle;
  context.work({
    queue: 'node_lifecycle_controller',
    workers,
    triggers: [changesOf(nodes)],
    sync: (name) => lifecycle.syncTaintsAndLabels(name),
  });
  context.every(context.options.nodeLifecycle.monitorPeriodMs, () => lifecycle.monitor(), 0);
  context.every(taintEveryMs, () => lifecycle.taintNext());
}

class NodeLifecycle {
  readonly nodes: Informer<Node>;
  readonly #context: ControllerContext;
  readonly #leases;
  readonly #pods: Informer<Pod>;
  readonly #health: NodeHealth;
  /** Nodes that were told as registered, with what events about them name. */
  readonly #known = new Map<string, Node>();
  /** Nodes that fell silent, until their pods are marked. */
  readonly #unheard = new Set<string>();
  /** Nodes that wait for a taint that evicts pods, and the paces at which zones get them. */
  readonly #waiting = new Set<string>();
  readonly #paces = new Map<string, ZonePace>();
  readonly #metrics: NodeMetrics | undefined;
  #isAllDisrupted = false;

  constructor(context: ControllerContext) {
    const { client, options } = context;
    this.#context = context;
    this.nodes = context.informer(client.core.v1.nodes);
    this.#leases = context.informer(client.coordination.v1.leases);
    this.#pods = context.informer(client.core.v1.pods);
    this.#health = new NodeHealth(options.nodeLifecycle);
    this.#metrics = nodeMetrics(context.metrics);
    context.index(this.#pods, nodeIndex, nodeKeys);
  }

  async syncTaintsAndLabels(name: string): Promise<undefined> {
    const node = this.nodes.objects.get(name);
    if (node === undefined) return;
    await this.#setTaints(node, (current) => withConditionTaints(current, this.#context.wallTime()));
    await this.#syncLabels(node);
  }

  /** Looks at all nodes. Errors of one do not keep others from being looked at. */
  async monitor(): Promise<void> {
    const { signal, clock } = this.#context;
    await Promise.all([this.nodes, this.#leases, this.#pods].map((informer) => informer.untilSynced(signal)));
    const begun = clock.now();
    this.#tellChanges();
    const zones = new Map<string, ZoneCounts>();
    for (const node of [...this.nodes.objects.values()]) {
      const begunNode = clock.now();
      const ready = await this.#monitorOne(node).catch((error: unknown) => {
        this.#context.log.warn({ err: error, node: node.metadata.name }, 'the health of a node could not be looked at');
        return nodeCondition(node, 'Ready')?.status;
      });
      this.#metrics?.lookedAtNode(clock.now() - begunNode);
      if (node.metadata.labels?.[excludedLabel] === undefined) count(zones, zoneOf(node), ready === 'True');
      else count(zones, zoneOf(node), undefined);
    }
    this.#metrics?.zones(zones);
    for (const [zone, rate] of ratesOf(zones, this.#context.options.nodeLifecycle)) this.#paceOf(zone).rate = rate;
    await this.#noteDisruption(isAllDisrupted(zones));
    this.#metrics?.lookedAtAll(clock.now() - begun);
  }

  /**
   * Where nothing is heard of any node any more, pods stay where they are. When something is heard again, the others
   * have their grace period once more.
   */
  async #noteDisruption(isAll: boolean): Promise<void> {
    if (isAll && !this.#isAllDisrupted) {
      this.#waiting.clear();
      for (const node of [...this.nodes.objects.values()])
        if (evictingTaint(node) !== undefined) await this.#setEvictingTaint(node, undefined);
    }
    if (!isAll && this.#isAllDisrupted) this.#health.renewAll(this.#context.clock.now());
    this.#isAllDisrupted = isAll;
  }

  async #monitorOne(node: Node): Promise<string | undefined> {
    const { clock, wallTime, events } = this.#context;
    const { name } = node.metadata;
    const renewal = this.#leases.objects.get(`${leaseNamespace}/${name}`)?.spec?.renewTime;
    const before = nodeCondition(node, 'Ready')?.status;
    const silent = this.#health.look(node, renewal, clock.now(), wallTime());
    if (silent !== undefined) await this.#writeConditions(node, silent);
    const ready = silent === undefined ? before : 'Unknown';
    // By what was known before: whether it is the only one that is silent is not known yet.
    await this.#evictBy(node, before ?? ready);
    if (before === 'True' && ready !== 'True') {
      events.event(
        { ...node, metadata: { ...node.metadata, uid: name! } },
        'Normal',
        'NodeNotReady',
        `Node ${name} status is now: NodeNotReady`,
      );
      this.#unheard.add(name!);
    } else if (ready === 'True') this.#unheard.delete(name!);
    if (this.#unheard.has(name!)) await this.#markPodsNotReady(node);
    return ready;
  }

  /** A node that has one of the two taints gets the other at once; else it waits for its turn. */
  async #evictBy(node: Node, ready: string | undefined): Promise<void> {
    const name = node.metadata.name!;
    const key = ready === undefined ? undefined : evictingKey(ready);
    const current = evictingTaint(node);
    if (key === undefined) {
      this.#waiting.delete(name);
      if (current !== undefined && ready !== undefined) await this.#setEvictingTaint(node, undefined);
    } else if (current === undefined) this.#waiting.add(name);
    else if (current.key !== key) await this.#setEvictingTaint(node, key);
  }

  /** Gives nodes their taints, as fast as their zones allow. */
  async taintNext(): Promise<void> {
    for (const name of [...this.#waiting]) {
      const node = this.nodes.objects.get(name);
      const ready = node === undefined ? 'True' : nodeCondition(node, 'Ready')?.status;
      // What was written of a node that never said anything has not been told yet.
      if (ready === undefined) continue;
      // It may have become ready since it was looked at.
      const key = evictingKey(ready);
      if (node === undefined || key === undefined) this.#waiting.delete(name);
      else if (this.#paceOf(zoneOf(node)).tryTake()) {
        this.#waiting.delete(name);
        await this.#setEvictingTaint(node, key);
        this.#metrics?.evicted(zoneOf(node));
      }
    }
  }

  #paceOf(zone: string): ZonePace {
    const { clock, options } = this.#context;
    const pace = this.#paces.get(zone) ?? new ZonePace(clock, options.nodeLifecycle.evictionRate);
    this.#paces.set(zone, pace);
    return pace;
  }

  #setEvictingTaint(node: Node, key: string | undefined): Promise<void> {
    return this.#setTaints(node, (current) => withEvictingTaint(current, key, this.#context.wallTime()));
  }

  #setTaints(node: Node, taintsOf: (node: Node) => readonly Taint[] | undefined): Promise<void> {
    const { nodes } = this.#context.client.core.v1;
    const port: NodeTaints = {
      read: (name) => nodes.get(name),
      write: (name, resourceVersion, taints) =>
        nodes.patch(name, { merge: { metadata: { resourceVersion }, spec: { taints: taints && [...taints] } } }),
    };
    return writeTaints(port, node, taintsOf);
  }

  async #syncLabels({ metadata }: Node): Promise<void> {
    const { name, labels = {} } = metadata;
    const missing = secondaryLabels
      .filter(([primary, secondary]) => labels[primary] !== undefined && labels[secondary] !== labels[primary])
      .map(([primary, secondary]) => [secondary, labels[primary]!] as const);
    if (missing.length === 0) return;
    await this.#write(() =>
      this.#context.client.core.v1.nodes.patch(name!, { merge: { metadata: { labels: Object.fromEntries(missing) } } }),
    );
  }

  async #writeConditions(node: Node, conditions: NodeCondition[]): Promise<void> {
    const { nodes } = this.#context.client.core.v1;
    await this.#write(() => nodes.status.update({ ...node, status: { ...node.status, conditions } }));
  }

  /** A node that is gone needs nothing any more; one that changed is looked at again. */
  async #write(write: () => Promise<unknown>): Promise<void> {
    try {
      await write();
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }

  /** Traffic does not go to pods of which nothing is heard. */
  async #markPodsNotReady({ metadata }: Node): Promise<void> {
    const { client, events, wallTime } = this.#context;
    for (const pod of this.#pods.objects.byIndex(nodeIndex, metadata.name!)) {
      if (!isPodReady(pod)) continue;
      const ready = {
        ...podCondition(pod, 'Ready'),
        status: 'False',
        lastTransitionTime: formatMs(wallTime()),
      } as const;
      const others = (pod.status?.conditions ?? []).filter(({ type }) => type !== 'Ready');
      const { namespace } = pod.metadata;
      await this.#write(() =>
        client.core.v1.pods
          .namespace(namespace!)
          .status.update({ ...pod, status: { ...pod.status, conditions: [...others, ready] } }),
      );
      events.event(pod, 'Warning', 'NodeNotReady', 'Node is not ready');
    }
    this.#unheard.delete(metadata.name!);
  }

  #tellChanges(): void {
    const tell = ({ metadata, apiVersion, kind }: Node, reason: string, message: string): void => {
      const { name, uid } = metadata;
      const about = { apiVersion: apiVersion!, kind: kind!, name: name!, uid: uid! };
      this.#context.events.event(about, 'Normal', reason, `Node ${name} event: ${message}`);
    };
    for (const node of this.nodes.objects.values()) {
      const name = node.metadata.name!;
      if (!this.#known.has(name)) tell(node, 'RegisteredNode', `Registered Node ${name} in Controller`);
      this.#known.set(name, node);
    }
    for (const [name, node] of this.#known) {
      if (this.nodes.objects.get(name) !== undefined) continue;
      tell(node, 'RemovingNode', `Removing Node ${name} from Controller`);
      this.#known.delete(name);
      this.#waiting.delete(name);
      this.#unheard.delete(name);
      this.#health.forget(name);
    }
  }
}

/** @param isReady undefined for a node that does not count */
function count(zones: Map<string, ZoneCounts>, zone: string, isReady: boolean | undefined): void {
  const counts = zones.get(zone) ?? { ready: 0, notReady: 0 };
  zones.set(zone, counts);
  if (isReady === true) counts.ready++;
  else if (isReady === false) counts.notReady++;
}
