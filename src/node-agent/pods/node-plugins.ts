/** The plugins that this node has, as they come and go, and what is there for each type of them. */
import { existsSync } from 'node:fs';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { Client } from '../../client/client.ts';
import { pause } from '../../reconcile/pause.ts';
import type { VolumeObserver } from '../metrics/volume-metrics.ts';
import type { PluginHandlers } from '../plugin-registration/plugin-handler.ts';
import { PluginRegistry } from '../plugin-registration/plugin-registry.ts';
import { CsiDrivers } from '../volumes/csi/csi-drivers.ts';
import { createCsiNodeInfo, noNodeInfo } from '../volumes/csi/csi-node-info.ts';

export interface NodePluginsOptions {
  /** None without an API server. */
  readonly client: Client | undefined;
  readonly nodeName: string;
  readonly rootDirectory: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** By type, beside those of CSI drivers. */
  readonly handlers?: PluginHandlers | undefined;
  readonly observer?: Pick<VolumeObserver, 'called'> | undefined;
}

export interface NodePlugins {
  readonly csiDrivers: CsiDrivers;
  start(): void;
  stop(): Promise<void>;
}

const retryMs = 5000;

export function createNodePlugins(options: NodePluginsOptions): NodePlugins {
  const { client, nodeName, rootDirectory, clock, log, handlers = [], observer } = options;
  const nodeInfo = client === undefined ? noNodeInfo : createCsiNodeInfo(client, nodeName);
  const csiDrivers = new CsiDrivers({ nodeInfo, observer, log });
  const registry = new PluginRegistry({
    directory: `${rootDirectory}/plugins_registry`,
    handlers: new Map([['CSIPlugin', csiDrivers], ...handlers]),
    clock,
    log,
  });
  const stopped = new AbortController();
  let preparing: Promise<void> | undefined;
  return {
    csiDrivers,
    start() {
      preparing ??= prepare(nodeInfo.prepare, stopped.signal, { clock, log });
      registry.start();
    },
    async stop() {
      stopped.abort();
      await registry.stop();
      await preparing;
      csiDrivers.close();
    },
  };
}

async function prepare(
  work: () => Promise<void>,
  signal: AbortSignal,
  { clock, log }: Pick<NodePluginsOptions, 'clock' | 'log'>,
): Promise<void> {
  while (!signal.aborted)
    try {
      await work();
      return;
    } catch (error) {
      if (signal.aborted) return;
      log.warn({ err: error }, 'the CSINode could not be made');
      await pause(clock, retryMs, signal);
    }
}

/** Whether the kernel labels files. */
export const hasSeLinux = (): boolean => existsSync('/sys/fs/selinux/enforce');
