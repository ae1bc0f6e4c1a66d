/**
 * Devices of containers, by their plugins.
 *
 * - A plugin registers; the agent connects to it, and hears which devices there are, until the plugin ends.
 * - A container that asks for devices gets some that are well; their plugin says what they need in it.
 * - A plugin that is gone leaves devices that are not well, and after five minutes none.
 * - What containers have is kept on the disk, and stays theirs over a restart of the agent and of the plugin.
 *
 * @see {@link https://kubernetes.io/docs/concepts/extend-kubernetes/compute-storage-net/device-plugins/ | Device
 *   Plugins}
 */
import type { Container, Pod } from '../../../api/gen/types/core-v1.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/logger.ts';
import { parseQuantity } from '../../../machinery/quantity.ts';
import type { DeviceObserver } from '../../metrics/device-metrics.ts';
import { runtimeErrorText } from '../../runtime/container-runtime.ts';
import type { GrantingManager } from '../allocations.ts';
import { CheckpointWriter, readCheckpoint } from '../checkpoint-file.ts';
import { containersInOrder, peakOf, roleOf } from '../container-requests.ts';
import { AllocationError, type Hint, type Hints } from '../topology/hints.ts';
import { chooseDevices, deviceHints, hasTopology } from './choose-devices.ts';
import { formatDeviceCheckpoint, parseDeviceCheckpoint } from './device-checkpoint.ts';
import { DeviceInventory } from './device-inventory.ts';
import { grantOfResponses } from './device-grant.ts';
import { DevicePlugins } from './device-plugins.ts';

export interface DeviceManagerOptions {
  /** `/var/lib/kubelet/device-plugins/kubelet_internal_checkpoint` */
  readonly checkpoint: string;
  readonly numaNodes: readonly number[];
  /** A container that runs keeps its devices, whatever becomes of their plugin. */
  readonly isRunning: (uid: string, container: string) => boolean;
  readonly clock: Clock;
  readonly log: Logger;
  readonly observer?: DeviceObserver | undefined;
}

export class DeviceManager implements GrantingManager {
  readonly #options: DeviceManagerOptions;
  readonly #inventory = new DeviceInventory();
  readonly #plugins: DevicePlugins;
  readonly #reusable = new Map<string, Map<string, readonly string[]>>();
  readonly #writer: CheckpointWriter;

  constructor(options: DeviceManagerOptions) {
    this.#options = options;
    this.#plugins = new DevicePlugins({ ...options, inventory: this.#inventory, onChange: () => this.#save() });
    this.#writer = new CheckpointWriter(options.checkpoint, () =>
      formatDeviceCheckpoint({
        grants: this.#inventory.grants(),
        registered: new Map(
          this.#inventory.resources().map((resource) => [resource, this.#inventory.healthy(resource)]),
        ),
      }),
    );
  }

  /** Takes over what containers had. A checkpoint that cannot be read is passed over, as upstream does. */
  async restore(): Promise<void> {
    const { checkpoint, log } = this.#options;
    try {
      const text = await readCheckpoint(checkpoint);
      if (text === undefined) return;
      const { grants, registered } = parseDeviceCheckpoint(text);
      for (const grant of grants) this.#inventory.grant(grant);
      for (const resource of registered.keys()) this.#plugins.expect(resource);
    } catch (error) {
      log.error({ err: error, checkpoint }, 'what devices containers have is not known any more');
    }
  }

  /** At least what containers have: a plugin that is gone does not keep their pods from the node. */
  withGranted(allocatable: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    const granted: Record<string, string> = {};
    for (const resource of new Set(this.#inventory.grants().map((grant) => grant.resource))) {
      const count = this.#inventory.inUse(resource).size;
      const text = allocatable[resource];
      if (text === undefined || parseQuantity(text).toNumber() < count) granted[resource] = String(count);
    }
    return { ...allocatable, ...granted };
  }

  /** Leaves containers with what they have. */
  async stop(): Promise<void> {
    this.#plugins.stop();
    await this.#writer.settled();
  }

  get plugins(): DevicePlugins {
    return this.#plugins;
  }

  get inventory(): Pick<DeviceInventory, 'grantsOf' | 'resources' | 'devicesOf' | 'healthy'> {
    return this.#inventory;
  }

  uids(): readonly string[] {
    return [...new Set(this.#inventory.grants().map(({ uid }) => uid))];
  }

  isAsked(pod: Pod): boolean {
    return containersInOrder(pod).some((container) => this.#requestsOf(container).length > 0);
  }

  hintsOfContainer(pod: Pod, container: Container): Hints {
    return new Map(
      this.#requestsOf(container).map(([resource, count]) => [
        resource,
        this.#hints(pod, resource, count, this.#inventory.idsOf(uidOf(pod), container.name ?? '', resource)),
      ]),
    );
  }

  hintsOfPod(pod: Pod): Hints {
    const resources = new Set(
      containersInOrder(pod).flatMap((container) => this.#requestsOf(container).map(([resource]) => resource)),
    );
    return new Map(
      [...resources].map((resource) => {
        const count = peakOf(pod, (container) => amountOf(container, resource));
        const granted = this.#inventory.grantsOf(uidOf(pod)).filter((grant) => grant.resource === resource);
        const ids = [...new Set(granted.flatMap(({ devices }) => [...devices.values()].flat()))];
        return [resource, this.#hints(pod, resource, count, ids.length === 0 ? undefined : ids)];
      }),
    );
  }

  async allocate(pod: Pod, container: Container, hint: Hint): Promise<void> {
    let hasChanged = false;
    for (const [resource, count] of this.#requestsOf(container))
      hasChanged = (await this.#allocateResource(pod, container, resource, count, hint)) || hasChanged;
    if (hasChanged) await this.#writer.save();
  }

  release(uid: string): void {
    this.#reusable.delete(uid);
    if (this.#inventory.release(uid)) this.#save();
  }

  async grantOf(pod: Pod, container: string): ReturnType<GrantingManager['grantOf']> {
    const grants = this.#inventory.grantsOf(uidOf(pod), container);
    for (const { resource, devices } of grants) {
      const endpoint = this.#plugins.endpointOf(resource);
      try {
        await endpoint?.preStart([...new Set([...devices.values()].flat())]);
      } catch (error) {
        throw new Error(`device plugin PreStartContainer rpc failed with err: ${runtimeErrorText(error)}`, {
          cause: error,
        });
      }
    }
    return grantOfResponses(grants.map(({ response }) => response));
  }

  #requestsOf(container: Container): [resource: string, count: number][] {
    return Object.keys(container.resources?.limits ?? {})
      .filter((resource) => this.#inventory.isKnown(resource))
      .map((resource): [string, number] => [resource, amountOf(container, resource)])
      .filter(([, count]) => count > 0);
  }

  #hints(
    pod: Pod,
    resource: string,
    count: number,
    granted: readonly string[] | undefined,
  ): readonly Hint[] | undefined {
    const inventory = this.#inventory;
    if (!hasTopology(inventory, resource)) return undefined;
    const { numaNodes } = this.#options;
    if (granted !== undefined)
      return granted.length === count
        ? deviceHints(inventory, numaNodes, { resource, count, available: granted, reusable: [] })
        : [];
    const available = inventory.available(resource);
    const reusable = this.#reusableOf(pod, resource);
    return new Set([...available, ...reusable]).size < count
      ? []
      : deviceHints(inventory, numaNodes, { resource, count, available, reusable });
  }

  #reusableOf(pod: Pod, resource: string): readonly string[] {
    return this.#reusable.get(uidOf(pod))?.get(resource) ?? [];
  }

  /** @returns whether anything changed */
  async #allocateResource(
    pod: Pod,
    container: Container,
    resource: string,
    count: number,
    { affinity }: Hint,
  ): Promise<boolean> {
    const inventory = this.#inventory;
    const uid = uidOf(pod);
    const name = container.name ?? '';
    const before = inventory.idsOf(uid, name, resource);
    if (before !== undefined && before.length !== count)
      throw new AllocationError(
        `pod "${uid}" container "${name}" changed request for resource "${resource}" from ${before.length} to ${count}`,
      );
    if (before !== undefined && this.#options.isRunning(uid, name)) return this.#keep(pod, container, resource, before);
    this.#checkHealth(resource, before ?? []);
    if (before !== undefined) return this.#keep(pod, container, resource, before);
    const endpoint = this.#plugins.endpointOf(resource);
    if (endpoint === undefined) throw new AllocationError(`unknown Device Plugin ${resource}`);
    const reusable = this.#reusableOf(pod, resource);
    this.#checkCount(resource, count, reusable);
    try {
      const ids = await chooseDevices(inventory, { resource, count, reusable, affinity }, (...choice) =>
        endpoint.preferred(...choice),
      );
      if (ids.length < count)
        throw new AllocationError(
          `unexpectedly allocated less resources than required. Requested: ${count}, Got: ${ids.length}`,
        );
      const response = await this.#ask(resource, () => endpoint.allocate(ids));
      inventory.grant({
        uid,
        container: name,
        resource,
        devices: firstNodes(inventory.byNode(resource, ids)),
        response,
      });
      this.#keep(pod, container, resource, ids);
      return true;
    } catch (error) {
      if (error instanceof AllocationError) throw error;
      throw new AllocationError(runtimeErrorText(error));
    }
  }

  async #ask<T>(resource: string, call: () => Promise<T>): Promise<T> {
    const begunAt = performance.now();
    try {
      return await call();
    } finally {
      this.#options.observer?.allocated(resource, (performance.now() - begunAt) / 1000);
    }
  }

  #checkHealth(resource: string, before: readonly string[]): void {
    const healthy = new Set(this.#inventory.healthy(resource));
    if (!this.#inventory.resources().includes(resource))
      throw new AllocationError(`cannot allocate unregistered device ${resource}`);
    if (healthy.size === 0)
      throw new AllocationError(`no healthy devices present; cannot allocate unhealthy devices ${resource}`);
    if (!before.every((id) => healthy.has(id)))
      throw new AllocationError(
        `previously allocated devices are no longer healthy; cannot allocate unhealthy devices ${resource}`,
      );
  }

  #checkCount(resource: string, count: number, reusable: readonly string[]): void {
    const available = this.#inventory.available(resource).filter((id) => !reusable.includes(id)).length;
    const needed = count - Math.min(count, reusable.length);
    if (available < needed)
      throw new AllocationError(
        `requested number of devices unavailable for ${resource}. Requested: ${needed}, Available: ${available}`,
      );
  }

  /** An init container leaves its devices to the containers after it. */
  #keep(pod: Pod, container: Container, resource: string, ids: readonly string[]): false {
    const kept = this.#reusable.get(uidOf(pod)) ?? new Map<string, readonly string[]>();
    this.#reusable.set(uidOf(pod), kept);
    const before = kept.get(resource) ?? [];
    const isInit = roleOf(pod, container) === 'init';
    kept.set(resource, isInit ? [...new Set([...before, ...ids])] : before.filter((id) => !ids.includes(id)));
    return false;
  }

  #save(): void {
    this.#writer
      .save()
      .catch((error: unknown) =>
        this.#options.log.error({ err: error }, 'what devices containers have could not be written'),
      );
  }
}

const uidOf = ({ metadata }: Pod): string => metadata.uid ?? '';

function amountOf(container: Container, resource: string): number {
  const text = container.resources?.limits?.[resource];
  return text === undefined ? 0 : parseQuantity(text).toNumber();
}

/** A device of two nodes is kept with the first one. */
function firstNodes(byNode: ReadonlyMap<number, readonly string[]>): ReadonlyMap<number, readonly string[]> {
  const seen = new Set<string>();
  const first = new Map<number, readonly string[]>();
  for (const [node, ids] of [...byNode].sort(([a], [b]) => a - b)) {
    const own = ids.filter((id) => !seen.has(id));
    for (const id of own) seen.add(id);
    if (own.length > 0) first.set(node, own);
  }
  return first;
}
