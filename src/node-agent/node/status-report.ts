/** The next status of a node, from what its machine and its runtime say now. */
import type { Node, NodeAddress } from '../../api/gen/types/core-v1.ts';
import { timeText } from '../pod-lifecycle/container-status.ts';
import type { NodeAgentSettings } from '../config/settings.ts';
import type { DeviceAmounts } from '../resources/devices/device-plugins.ts';
import { nodeResources, withDevices } from './capacity.ts';
import { nextConditions, type NodePressure } from './conditions.ts';
import type { Machine } from './machine.ts';
import { nodeStatus } from './node-object.ts';
import type { RuntimeWatch } from './runtime-watch.ts';

export interface StatusReportOptions {
  readonly settings: NodeAgentSettings;
  readonly watch: RuntimeWatch;
  readonly readMachine: () => Promise<Machine>;
  readonly findAddresses: () => Promise<NodeAddress[]>;
  readonly pressure: () => NodePressure;
  readonly problems: () => readonly string[];
  readonly wallTime: () => number;
  /** Of plugins. */
  readonly devices?: (() => DeviceAmounts) | undefined;
}

export interface NextStatus {
  readonly status: Node['status'];
  /** Reasons of events about conditions that changed. */
  readonly events: readonly string[];
}

export class StatusReport {
  readonly #options: StatusReportOptions;

  constructor(options: StatusReportOptions) {
    this.#options = options;
  }

  /** @param before as the API server has it; undefined for a node that is to be registered */
  async next(before: Node['status'] | undefined): Promise<NextStatus> {
    const { settings, watch, readMachine, pressure, problems, wallTime, devices } = this.#options;
    const { config, keepsEvictionThresholds } = settings;
    const machine = await readMachine();
    const runtime = await watch.version();
    const { conditions, events } = nextConditions(
      before?.conditions ?? [],
      pressure(),
      [...watch.health.problems, ...problems()],
      timeText(wallTime()),
    );
    const status = nodeStatus(
      {
        machine,
        ...withDevices(nodeResources(machine, config, keepsEvictionThresholds), devices?.()),
        addresses: await this.#addresses(before?.addresses),
        conditions,
        port: config.port,
        runtime,
        runtimeStatus: watch.status,
        images: config.nodeStatusMaxImages === 0 ? [] : await watch.images(),
        maxImages: config.nodeStatusMaxImages,
      },
      before,
    );
    return { status, events };
  }

  /** Those of a cloud are the business of its controller manager. */
  async #addresses(before: readonly NodeAddress[] = []): Promise<NodeAddress[]> {
    const { settings, findAddresses } = this.#options;
    if (!settings.hasExternalCloud) return findAddresses();
    if (before.length > 0) return [...before];
    return settings.nodeIPs.length > 0 ? findAddresses() : [{ type: 'Hostname', address: settings.nodeName }];
  }
}
