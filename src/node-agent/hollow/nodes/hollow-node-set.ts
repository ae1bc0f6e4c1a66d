/**
 * Registers the hollow nodes of this process and keeps them alive: leases, and status reports. What a node goes through
 * otherwise are stages.
 *
 * A work queue has the nodes; each comes up when its next heartbeat is due.
 */
import type { Node } from '../../../api/gen/types/core-v1.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/logger.ts';
import type { Client } from '../../../client/client.ts';
import { deadline } from '../../../client/deadline.ts';
import type { EventRecorder } from '../../../client/events/recorder.ts';
import { changesOf, Controller, type SyncResult } from '../../../reconcile/controller.ts';
import { Informer } from '../../../reconcile/informer.ts';
import type { WorkQueueObserver } from '../../../reconcile/work-queue.ts';
import { ExponentialRateLimiter } from '../../../reconcile/rate-limiter.ts';
import { timeText } from '../../pod-lifecycle/container-status.ts';
import { retryConflicts } from '../retry-conflicts.ts';
import type { ObjectWriter } from '../stages/apply.ts';
import type { StageLanes } from '../stages/lifecycle.ts';
import type { TemplateContext } from '../stages/template/functions.ts';
import type { NodeCapacity } from './capacity.ts';
import { nextBeat, secondBeat, slotOf } from './heartbeat-times.ts';
import type { HollowNode } from './hollow-node.ts';
import { NodeLease, renewEveryMs } from '../../node/node-lease.ts';
import { nodeObject } from './node-object.ts';
import { advanceNode } from './node-stages.ts';
import { readyStatusOf, reducedNode } from './node-view.ts';
import { createNodeWriter, type NodeWriter } from './node-writer.ts';

export interface HollowNodeSetOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: () => number;
  readonly wallTime: () => number;
  readonly nodes: ReadonlyMap<string, HollowNode>;
  readonly stages: StageLanes;
  readonly capacity: NodeCapacity;
  readonly labels: Readonly<Record<string, string>>;
  /** The node lives or dies: its pods are to be looked at. */
  readonly onChange: (node: HollowNode) => void;
  readonly events: EventRecorder;
  readonly queue?: WorkQueueObserver;
  readonly templateContext: (node: HollowNode) => TemplateContext;
}

/** What is due of one node, by the clock. */
interface Heartbeats {
  readonly lease: NodeLease;
  isRegistered: boolean;
  /** No lease has been written yet. */
  isFirst: boolean;
  leaseAt: number;
  reportAt: number;
}

const nodesResource = { group: '', version: 'v1', resource: 'nodes' };
const reportEveryMs = 300_000;
const workers = 64;
const retry = { firstMs: 100, maxMs: 7000 };
/** A renewal that takes longer comes too late to count on. */
const renewalTimeoutMs = 10_000;

export class HollowNodeSet {
  readonly #options: HollowNodeSetOptions;
  readonly #informer: Informer<Node>;
  readonly #controller: Controller;
  readonly #writer: NodeWriter;
  readonly #heartbeats = new Map<string, Heartbeats>();

  constructor(options: HollowNodeSetOptions) {
    const { client, clock, log, nodes, stages, random } = options;
    this.#options = options;
    this.#writer = createNodeWriter(client);
    const [only] = nodes.keys();
    this.#informer = new Informer<Node>({
      source: (stages.readsAll ? client.dynamic<Node>(nodesResource) : client.core.v1.nodes).source({
        ...(nodes.size === 1 ? { fieldSelector: `metadata.name=${only}` } : {}),
        dropManagedFields: true,
      }),
      transform: (node) => reducedNode(node, nodes.has(node.metadata.name!), stages.readsAll),
      log,
      clock,
      random,
    });
    this.#controller = new Controller({
      sync: (name, signal) => retryConflicts(this.#sync(name, signal)),
      onFailure: (node, error) => log.warn({ err: error, node }, 'the heartbeat of a hollow node failed'),
      workers,
      ...(options.queue === undefined ? {} : { observer: options.queue }),
      triggers: [changesOf(this.#informer, ({ metadata: { name = '' } }) => (nodes.has(name) ? [name] : []))],
      rateLimiter: new ExponentialRateLimiter(retry),
      clock,
    });
    this.#informer.addHandler({ onDelete: ({ metadata }) => this.#lose(metadata.name!) });
  }

  start(): void {
    this.#informer.start();
    this.#controller.start();
    for (const name of this.#options.nodes.keys()) this.#controller.add(name);
  }

  async stop(): Promise<void> {
    await this.#controller.stop();
    await this.#informer.stop();
  }

  /** A node whose object was deleted is a machine that was taken away. */
  #lose(name: string): void {
    const node = this.#options.nodes.get(name);
    if (node === undefined || this.#heartbeats.get(name)?.isRegistered !== true) return;
    this.#options.log.info({ node: name }, 'a hollow node was deleted: it is gone until the next start');
    node.uid = undefined;
    node.isGone = true;
  }

  async #sync(name: string, signal: AbortSignal): Promise<SyncResult> {
    const node = this.#options.nodes.get(name)!;
    if (node.isGone) return undefined;
    const beats = this.#heartbeatsOf(name);
    if (!beats.isRegistered) await this.#register(node, beats, signal);
    const object = this.#informer.objects.get(name);
    const stageMs = object === undefined ? undefined : await this.#applyStages(object, node, signal);
    if (node.isDead || node.isGone) return stageMs === undefined ? undefined : { requeueAfterMs: stageMs };
    await this.#beat(node, object, beats, signal);
    const nextMs = Math.min(beats.leaseAt, beats.reportAt) - this.#options.clock.now();
    return { requeueAfterMs: Math.max(1, Math.min(nextMs, stageMs ?? Infinity)) };
  }

  async #register(node: HollowNode, beats: Heartbeats, signal: AbortSignal): Promise<void> {
    const { wallTime, capacity, labels } = this.#options;
    const { name, hostIPs } = node;
    const object = nodeObject({ name, hostIPs, capacity, labels, now: timeText(wallTime()) });
    this.#see(node, await this.#writer.register(object, signal));
    beats.isRegistered = true;
  }

  async #applyStages(object: Node, node: HollowNode, signal: AbortSignal): Promise<number | undefined> {
    this.#see(node, object);
    const wasDead = node.isDead;
    const inMs = await advanceNode(object, node, this.#options, this.#objectWriter(signal));
    if (node.isDead === wasDead) return inMs;
    this.#options.log.info({ node: node.name }, node.isDead ? 'a hollow node died' : 'a hollow node lives again');
    this.#heartbeatsOf(node.name).leaseAt = 0;
    this.#options.onChange(node);
    return inMs;
  }

  async #beat(node: HollowNode, object: Node | undefined, beats: Heartbeats, signal: AbortSignal): Promise<void> {
    const { clock, wallTime, random } = this.#options;
    if (clock.now() >= beats.leaseAt) {
      const limited = deadline(clock, renewalTimeoutMs, signal, 'the lease was not renewed');
      await beats.lease.renew(node, limited.signal).finally(() => limited.end());
      const now = clock.now();
      beats.leaseAt = beats.isFirst ? secondBeat(now, renewEveryMs(), random()) : nextBeat(now, renewEveryMs());
      beats.isFirst = false;
    }
    // What the controllers say of a node that was silent is over once it speaks again.
    const isUnknown = object !== undefined && readyStatusOf(object) === 'Unknown';
    if (!isUnknown && clock.now() < beats.reportAt) return;
    const now = timeText(wallTime());
    await (isUnknown ? this.#writer.recover(node.name, now, signal) : this.#writer.report(node.name, now, signal));
    beats.reportAt = nextBeat(clock.now(), reportEveryMs);
  }

  #objectWriter(signal: AbortSignal): ObjectWriter<Node> {
    const nodes = this.#options.client.dynamic<Node>(nodesResource);
    return {
      patch: ({ metadata }, patch, subresource) =>
        (subresource === '' ? nodes : nodes.subresource<Node>(subresource)).patch(metadata.name!, patch, { signal }),
      delete: ({ metadata }) => nodes.delete(metadata.name!, { preconditions: { uid: metadata.uid! }, signal }),
    };
  }

  #see(node: HollowNode, { metadata, spec }: Node): void {
    node.uid = metadata.uid;
    node.podCIDR = spec.podCIDR;
  }

  #heartbeatsOf(name: string): Heartbeats {
    const { client, clock, random, wallTime } = this.#options;
    let beats = this.#heartbeats.get(name);
    if (beats === undefined) {
      const reportAt = slotOf(clock.now() + reportEveryMs * random());
      beats = { lease: new NodeLease(client, wallTime), isRegistered: false, isFirst: true, leaseAt: 0, reportAt };
      this.#heartbeats.set(name, beats);
    }
    return beats;
  }
}
