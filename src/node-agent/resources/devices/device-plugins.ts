/** The plugins that are there, and what the node has by them. */
import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/logger.ts';
import type { DeviceObserver } from '../../metrics/device-metrics.ts';
import type { DeviceInventory } from './device-inventory.ts';
import type { DevicePluginOptions } from './gen/device-plugin.ts';
import { PluginEndpoint } from './plugin-endpoint.ts';

/** Amounts of resources, as the status of a node has them. */
export interface DeviceAmounts {
  readonly capacity: Readonly<Record<string, string>>;
  readonly allocatable: Readonly<Record<string, string>>;
}

/** How long the devices of a plugin that is gone are waited for. */
const goneMs = 300_000;
/** Plugins at a time. */
const maxPlugins = 256;

export interface DevicePluginsOptions {
  readonly inventory: DeviceInventory;
  readonly clock: Clock;
  readonly log: Logger;
  /** Devices have come, gone, or changed. */
  readonly onChange: () => void;
  readonly observer?: Pick<DeviceObserver, 'registered'> | undefined;
}

interface Plugin {
  readonly endpoint: PluginEndpoint | undefined;
  /** When it ended, by the clock. */
  readonly goneAt?: number | undefined;
}

export class DevicePlugins {
  readonly #options: DevicePluginsOptions;
  readonly #plugins = new Map<string, Plugin>();
  /** Resources that went: they are told once more, with nothing. */
  readonly #removed = new Set<string>();

  constructor(options: DevicePluginsOptions) {
    this.#options = options;
  }

  endpointOf(resource: string): PluginEndpoint | undefined {
    return this.#plugins.get(resource)?.endpoint;
  }

  /** It was there before the agent started, and may come again. */
  expect(resource: string): void {
    const { inventory, clock } = this.#options;
    inventory.setDevices(resource, []);
    this.#plugins.set(resource, { endpoint: undefined, goneAt: clock.now() });
  }

  /** A plugin in place of the one before. Throws when there are too many. */
  register(resource: string, socket: string, options?: DevicePluginOptions): PluginEndpoint {
    const { log, inventory, onChange, observer } = this.#options;
    const before = this.#plugins.get(resource);
    if (before === undefined && this.#plugins.size >= maxPlugins)
      throw new Error(`there are ${maxPlugins} device plugins already`);
    const endpoint: PluginEndpoint = new PluginEndpoint({
      resource,
      socket,
      options,
      onDevices: (devices) => {
        inventory.setDevices(resource, devices);
        onChange();
      },
      onGone: (error) => {
        log.warn({ resource, err: error }, 'a device plugin is gone');
        this.#gone(resource, endpoint);
      },
    });
    before?.endpoint?.stop();
    this.#plugins.set(resource, { endpoint });
    this.#removed.delete(resource);
    if (before === undefined) inventory.setDevices(resource, []);
    log.info({ resource, socket }, 'a device plugin has registered');
    observer?.registered(resource);
    return endpoint;
  }

  /** Its registration is gone: so is the plugin. */
  deregister(resource: string): void {
    const endpoint = this.#plugins.get(resource)?.endpoint;
    if (endpoint === undefined) return;
    endpoint.stop();
    this.#gone(resource, endpoint);
  }

  stop(): void {
    for (const { endpoint } of this.#plugins.values()) endpoint?.stop();
  }

  /** For the status of the node. What plugins took away is 0. */
  amounts(): DeviceAmounts {
    this.#forgetGone();
    const { inventory } = this.#options;
    const resources = inventory.resources();
    const zero = [...this.#removed].map((resource) => [resource, '0']);
    const amountsOf = (count: (resource: string) => number) =>
      Object.fromEntries([...zero, ...resources.map((resource) => [resource, String(count(resource))])]);
    return {
      capacity: amountsOf((resource) => inventory.devicesOf(resource).size),
      allocatable: amountsOf((resource) => inventory.healthy(resource).length),
    };
  }

  #gone(resource: string, endpoint: PluginEndpoint): void {
    // Another one may have taken its place meanwhile.
    if (this.#plugins.get(resource)?.endpoint !== endpoint) return;
    const { inventory, clock, onChange } = this.#options;
    this.#plugins.set(resource, { endpoint: undefined, goneAt: clock.now() });
    inventory.setUnhealthy(resource);
    onChange();
  }

  #forgetGone(): void {
    const { inventory, clock, onChange } = this.#options;
    const now = clock.now();
    for (const [resource, { goneAt }] of this.#plugins)
      if (goneAt !== undefined && now - goneAt >= goneMs) {
        this.#plugins.delete(resource);
        inventory.forget(resource);
        this.#removed.add(resource);
        onChange();
      }
  }
}
