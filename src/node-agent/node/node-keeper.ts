/**
 * Keeps a node registered and alive, and its status true.
 *
 * - The runtime is asked for its status every 5 s.
 * - The node is registered, again and again until that succeeds.
 * - Its lease is renewed four times in the time for which a renewal counts.
 * - Its status is computed at `nodeStatusUpdateFrequency`, and written when it changed, else at
 *   `nodeStatusReportFrequency`. A node that starts is looked at more often until it is ready.
 */
import type { Node, NodeAddress } from '../../api/gen/types/core-v1.ts';
import { abortable } from '../../base/abortable.ts';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { Client } from '../../client/client.ts';
import type { EventRecorder, EventType } from '../../client/events/recorder.ts';
import { pause } from '../../reconcile/pause.ts';
import { RetryDelay } from '../../reconcile/retry-delay.ts';
import type { DeviceAmounts } from '../resources/devices/device-plugins.ts';
import type { NodeAgentSettings } from '../config/settings.ts';
import type { NodePressure } from './conditions.ts';
import type { Machine } from './machine.ts';
import { NodeLease, renewEveryMs } from './node-lease.ts';
import { type NodeIdentity, nodeObject } from './node-object.ts';
import { registerNode } from './registration.ts';
import { repeat } from './repeat.ts';
import { RuntimeWatch } from './runtime-watch.ts';
import { StatusReport } from './status-report.ts';
import { isStatusChanged, statusPatch } from './status-patch.ts';
import type { NodeRuntime } from './node-runtime.ts';

export interface NodeKeeperOptions {
  /** Undefined: without an API server there is no node, but a runtime that is looked at. */
  readonly client: Client | undefined;
  readonly settings: NodeAgentSettings;
  readonly runtime: NodeRuntime;
  readonly readMachine: () => Promise<Machine>;
  readonly findAddresses: () => Promise<NodeAddress[]>;
  readonly pressure: () => NodePressure;
  /** Why the node is not ready, beside its runtime. */
  readonly problems: () => readonly string[];
  readonly looksFirst: boolean;
  /** What plugins have, for the status. */
  readonly devices?: (() => DeviceAmounts) | undefined;
  /** Told of the node at its start: reason and message. */
  readonly warnings: readonly (readonly [reason: string, message: string])[];
  readonly events: Pick<EventRecorder, 'event'>;
  readonly log: Logger;
  readonly clock: Clock;
  readonly random: () => number;
  readonly wallTime: () => number;
}

const jitter = 0.04;
const retry = { firstMs: 100, maxMs: 7000, jitter: 0 };
/** How long a node that starts is looked at so often. */
const startMs = 120_000;
const startEveryMs = 100;
const statusTries = 5;
const heartbeatTimeoutMs = 10_000;

export class NodeKeeper {
  readonly #options: NodeKeeperOptions;
  readonly #abort = new AbortController();
  readonly #report: Pick<StatusReport, 'next'>;
  readonly #machine: () => Promise<Machine>;
  readonly runtime: RuntimeWatch;
  #node: Node | undefined;
  #writtenAt = -Infinity;
  #isUnschedulable: boolean | undefined;
  #podCidr: string | undefined;
  #running: Promise<unknown> = Promise.resolve();
  #tellKnown: () => void = () => undefined;
  /** Resolves when the API server has told the node, or the keeper ends. */
  readonly known = new Promise<void>((resolve) => (this.#tellKnown = resolve));

  constructor(options: NodeKeeperOptions) {
    this.#options = options;
    this.runtime = new RuntimeWatch(options);
    this.#machine = options.readMachine;
    const report = new StatusReport({ ...options, watch: this.runtime });
    // A runtime that hangs does not hold up the end of the agent.
    this.#report = { next: (before) => abortable(report.next(before), this.#abort.signal) };
  }

  /** The node as the API server last told it; undefined until it is registered. */
  get node(): Node | undefined {
    return this.#node;
  }

  start(): void {
    const { signal } = this.#abort;
    const { client } = this.#options;
    const loops = [this.runtime.run(signal), ...(client === undefined ? [this.#standalone()] : [this.#keep(client)])];
    this.#running = Promise.all(loops);
  }

  /** Something has changed that the status is to show at once. */
  syncSoon(): void {
    const { client } = this.#options;
    if (client !== undefined && this.#node !== undefined && !this.#abort.signal.aborted) void this.#sync(client);
  }

  async stop(): Promise<void> {
    this.#abort.abort();
    this.#tellKnown();
    await this.#running;
  }

  /** There is no object of the node, but what it would say is known: static pods have addresses and resources of it. */
  async #standalone(): Promise<void> {
    const { settings, log } = this.#options;
    const { podCIDR, nodeStatusUpdateFrequency } = settings.config;
    if (podCIDR !== '') await this.#tellPodCidr(podCIDR);
    await this.#every(nodeStatusUpdateFrequency, async () => {
      try {
        const { status } = await this.#report.next(this.#node?.status);
        this.#take(nodeObject(identityOf(settings, await this.#machine()), status));
      } catch (error) {
        log.warn({ err: error }, 'the state of the machine could not be read');
      }
    });
  }

  async #keep(client: Client): Promise<void> {
    const { signal } = this.#abort;
    const lease = this.#renewLease(client);
    if (this.#options.settings.config.registerNode) await this.#register(client);
    if (!signal.aborted) {
      this.#event('Normal', 'Starting', 'Starting kubelet.');
      for (const [reason, message] of this.#options.warnings) this.#event('Warning', reason, message);
      await this.#untilReady(client);
      await this.#every(this.#options.settings.config.nodeStatusUpdateFrequency, () => this.#sync(client));
    }
    await lease;
  }

  #every(everyMs: number, work: () => Promise<void>): Promise<void> {
    const { clock, random } = this.#options;
    return repeat(work, { everyMs, jitter, clock, random, signal: this.#abort.signal });
  }

  async #register(client: Client): Promise<void> {
    const { settings, looksFirst, log, clock, random } = this.#options;
    const { signal } = this.#abort;
    const delay = new RetryDelay(retry, random);
    while (!signal.aborted)
      try {
        const machine = await this.#machine();
        const { status, events } = await this.#report.next(undefined);
        const identity = identityOf(settings, machine);
        this.#take(await registerNode(status, { client, identity, signal, looksFirst }));
        this.#tell(events);
        log.info({ node: settings.nodeName }, 'the node is registered');
        return;
      } catch (error) {
        if (signal.aborted) return;
        log.warn({ err: error, node: settings.nodeName }, 'the node could not be registered');
        await pause(clock, delay.next(), signal);
      }
  }

  /** A node that becomes ready shows it at once; until then its status is written as often as always. */
  async #untilReady(client: Client): Promise<void> {
    const { clock, problems, settings } = this.#options;
    const { signal } = this.#abort;
    const endsAt = clock.now() + startMs;
    await this.#sync(client);
    let syncedAt = clock.now();
    while (!signal.aborted && clock.now() < endsAt && !isReady(this.#node)) {
      await pause(clock, startEveryMs, signal);
      if (this.runtime.health.problems.length === 0 && problems().length === 0) return;
      if (clock.now() - syncedAt < settings.config.nodeStatusUpdateFrequency) continue;
      await this.#sync(client);
      syncedAt = clock.now();
    }
  }

  async #renewLease(client: Client): Promise<void> {
    const { settings, wallTime, log, clock, random } = this.#options;
    const { signal } = this.#abort;
    const { nodeLeaseDurationSeconds: seconds } = settings.config;
    const lease = new NodeLease(client, wallTime, seconds);
    const delay = new RetryDelay(retry, random);
    // A lease belongs to its node.
    await this.known;
    while (!signal.aborted)
      try {
        // One that takes longer comes too late to count on.
        const late = AbortSignal.any([signal, AbortSignal.timeout(heartbeatTimeoutMs)]);
        await lease.renew({ name: settings.nodeName, uid: this.#node?.metadata.uid }, late);
        delay.reset();
        await pause(clock, renewEveryMs(seconds) * (1 + jitter * random()), signal);
      } catch (error) {
        if (signal.aborted) return;
        log.warn({ err: error, node: settings.nodeName }, 'the lease of the node could not be renewed');
        await pause(clock, delay.next(), signal);
      }
  }

  async #sync(client: Client): Promise<void> {
    const { log, settings } = this.#options;
    for (let triesLeft = statusTries; triesLeft > 0 && !this.#abort.signal.aborted; triesLeft--)
      try {
        await this.#write(client, triesLeft < statusTries);
        return;
      } catch (error) {
        if (!this.#abort.signal.aborted)
          log.warn({ err: error, node: settings.nodeName }, 'the status of the node could not be written');
      }
  }

  /** @param isAgain what a cache of the server has was not enough */
  async #write(client: Client, isAgain: boolean): Promise<void> {
    const { settings, clock } = this.#options;
    const request = { signal: this.#abort.signal, timeoutMs: heartbeatTimeoutMs };
    const { nodes } = client.core.v1;
    this.#take(await nodes.get(settings.nodeName, isAgain ? request : { ...request, resourceVersion: '0' }));
    const before = this.#node!.status;
    const { status, events } = await this.#report.next(before);
    const isDue = clock.now() - this.#writtenAt >= settings.config.nodeStatusReportFrequency;
    if (!isDue && !isStatusChanged(before, status)) return;
    const patch = { strategic: { status: statusPatch(before, status) } };
    this.#take(await nodes.status.patch(settings.nodeName, patch, request));
    this.#writtenAt = clock.now();
    this.#tell(events);
    this.#tellReboot(before, status);
  }

  #tell(reasons: readonly string[]): void {
    const { nodeName } = this.#options.settings;
    for (const reason of reasons) this.#event('Normal', reason, `Node ${nodeName} status is now: ${reason}`);
  }

  #tellReboot({ nodeInfo }: Node['status'], status: Node['status']): void {
    const { nodeName } = this.#options.settings;
    const before = nodeInfo?.bootID ?? '';
    const { bootID } = status.nodeInfo;
    if (before !== '' && before !== bootID)
      this.#event('Warning', 'Rebooted', `Node ${nodeName} has been rebooted, boot id: ${bootID}`);
  }

  #take(node: Node): void {
    this.#node = node;
    this.#tellKnown();
    const isUnschedulable = node.spec.unschedulable === true;
    if (this.#isUnschedulable !== undefined && this.#isUnschedulable !== isUnschedulable) {
      const reason = isUnschedulable ? 'NodeNotSchedulable' : 'NodeSchedulable';
      this.#event('Normal', reason, `Node ${node.metadata.name} status is now: ${reason}`);
    }
    this.#isUnschedulable = isUnschedulable;
    const cidrs = (node.spec.podCIDRs ?? []).join(',');
    if (cidrs !== '' && cidrs !== this.#podCidr) void this.#tellPodCidr(cidrs);
  }

  async #tellPodCidr(podCidr: string): Promise<void> {
    const { runtime, log } = this.#options;
    this.#podCidr = podCidr;
    try {
      await runtime.updatePodCidr(podCidr);
    } catch (error) {
      this.#podCidr = undefined;
      log.warn({ err: error, podCidr }, 'the runtime did not take the range of pod addresses');
    }
  }

  #event(type: EventType, reason: string, message: string): void {
    const { events, settings } = this.#options;
    events.event({ kind: 'Node', name: settings.nodeName, uid: settings.nodeName }, type, reason, message);
  }
}

const isReady = (node: Node | undefined): boolean =>
  node?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;

const identityOf = (settings: NodeAgentSettings, { architecture }: Machine): NodeIdentity => ({
  name: settings.nodeName,
  architecture,
  labels: settings.nodeLabels,
  taints: settings.config.registerWithTaints,
  isSchedulable: settings.isSchedulable,
  providerID: settings.config.providerID,
  hasExternalCloud: settings.hasExternalCloud,
  nodeIPs: settings.nodeIPs,
  isAttachedByController: settings.config.enableControllerAttachDetach,
});
