/**
 * Devices of the node and the containers that have them. Pure but for the state that it carries: which devices a
 * container gets is decided here, and its plugin is asked elsewhere.
 */
import type { ContainerAllocateResponse, Device } from './gen/device-plugin.ts';

/** Devices without a NUMA node. */
export const noNode = -1;

export interface KnownDevice {
  readonly isHealthy: boolean;
  /** Empty: it lies on none. */
  readonly nodes: readonly number[];
}

/** What a container has of a resource. */
export interface DeviceGrant {
  readonly uid: string;
  readonly container: string;
  readonly resource: string;
  /** Ids by NUMA node. */
  readonly devices: ReadonlyMap<number, readonly string[]>;
  /** What the plugin said that the container needs. */
  readonly response: ContainerAllocateResponse;
}

/** Of a resource. A plugin that lists more is taken for broken. */
export const maxDevices = 16_384;

export class DeviceInventory {
  readonly #devices = new Map<string, ReadonlyMap<string, KnownDevice>>();
  readonly #grants = new Map<string, DeviceGrant>();

  /** Throws for a list that no plugin has. */
  setDevices(resource: string, devices: readonly Device[]): void {
    if (devices.length > maxDevices) throw new Error(`more than ${maxDevices} devices of ${resource}`);
    this.#devices.set(
      resource,
      new Map(
        devices.map(({ ID = '', health, topology }) => [
          ID,
          {
            isHealthy: health === 'Healthy',
            nodes: (topology?.nodes ?? []).map((node) => Number(node.ID ?? 0)).filter(isNode),
          },
        ]),
      ),
    );
  }

  /** Its plugin is gone: its devices are there, and none of them is well. */
  setUnhealthy(resource: string): void {
    const devices = this.#devices.get(resource) ?? new Map<string, KnownDevice>();
    this.#devices.set(resource, new Map([...devices].map(([id, device]) => [id, { ...device, isHealthy: false }])));
  }

  forget(resource: string): void {
    this.#devices.delete(resource);
  }

  resources(): readonly string[] {
    return [...this.#devices.keys()];
  }

  devicesOf(resource: string): ReadonlyMap<string, KnownDevice> {
    return this.#devices.get(resource) ?? new Map();
  }

  /** A plugin has it, or had it when a container got some. */
  isKnown(resource: string): boolean {
    return this.#devices.has(resource) || [...this.#grants.values()].some((grant) => grant.resource === resource);
  }

  healthy(resource: string): readonly string[] {
    return [...this.devicesOf(resource)].flatMap(([id, { isHealthy }]) => (isHealthy ? [id] : []));
  }

  grants(): readonly DeviceGrant[] {
    return [...this.#grants.values()];
  }

  grantsOf(uid: string, container?: string): readonly DeviceGrant[] {
    return this.grants().filter(
      (grant) => grant.uid === uid && (container === undefined || grant.container === container),
    );
  }

  idsOf(uid: string, container: string, resource: string): readonly string[] | undefined {
    const grant = this.#grants.get(keyOf({ uid, container, resource }));
    return grant && [...grant.devices.values()].flat();
  }

  grant(grant: DeviceGrant): void {
    this.#grants.set(keyOf(grant), grant);
  }

  /** Ids of the resource by the NUMA nodes on which they lie: a device of two nodes is listed for both. */
  byNode(resource: string, ids: readonly string[]): ReadonlyMap<number, readonly string[]> {
    const byNode = new Map<number, string[]>();
    for (const id of ids) {
      const nodes = this.devicesOf(resource).get(id)?.nodes ?? [];
      for (const node of nodes.length === 0 ? [noNode] : nodes) {
        const list = byNode.get(node);
        if (list === undefined) byNode.set(node, [id]);
        else list.push(id);
      }
    }
    return byNode;
  }

  /** @returns whether the pod had anything */
  release(uid: string): boolean {
    const grants = this.grantsOf(uid);
    for (const grant of grants) this.#grants.delete(keyOf(grant));
    return grants.length > 0;
  }

  inUse(resource: string): ReadonlySet<string> {
    return new Set(
      this.grants().flatMap((grant) => (grant.resource === resource ? [...grant.devices.values()].flat() : [])),
    );
  }

  available(resource: string): readonly string[] {
    const inUse = this.inUse(resource);
    return this.healthy(resource).filter((id) => !inUse.has(id));
  }
}

const isNode = (node: number): boolean => Number.isInteger(node) && node >= 0 && node < 1024;

const keyOf = ({ uid, container, resource }: Pick<DeviceGrant, 'uid' | 'container' | 'resource'>): string =>
  JSON.stringify([uid, container, resource]);
