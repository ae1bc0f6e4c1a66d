/**
 * What containers can have of the node for themselves: opened before the agent runs pods. A state that cannot be taken
 * over keeps it from starting.
 */
import type { Registry } from 'prom-client';
import { isGateOn } from '../../api/feature-gates.ts';
import type { Pod } from '../../api/gen/types/core-v1.ts';
import { systemClock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import type { Client } from '../../client/client.ts';
import { undefinedWhenGone } from '../../client/undefined-when-gone.ts';
import type { NodeAgentSettings } from '../../node-agent/config/settings.ts';
import { type CpuFigures, createCpuMetrics } from '../../node-agent/metrics/cpu-metrics.ts';
import { createDeviceMetrics } from '../../node-agent/metrics/device-metrics.ts';
import { countPinning } from '../../node-agent/metrics/pinning.ts';
import { createPodResourcesMetrics } from '../../node-agent/metrics/pod-resources-metrics.ts';
import { createTopologyMetrics } from '../../node-agent/metrics/topology-metrics.ts';
import { readMachine } from '../../node-agent/node/read-machine.ts';
import type { PluginHandler, PluginHandlers } from '../../node-agent/plugin-registration/plugin-handler.ts';
import { createAllocations } from '../../node-agent/resources/allocations.ts';
import { CheckpointError } from '../../node-agent/resources/checkpoint-file.ts';
import { readTopology } from '../../node-agent/resources/cpu/read-topology.ts';
import { DeviceManager } from '../../node-agent/resources/devices/device-manager.ts';
import { devicePluginHandler, RegistrationServer } from '../../node-agent/resources/devices/registration-server.ts';
import { DraManager } from '../../node-agent/resources/dra/dra-manager.ts';
import { DraPlugins } from '../../node-agent/resources/dra/dra-plugins.ts';
import { readNumaNodes } from '../../node-agent/resources/numa-nodes.ts';
import { type Managers, type ManagersOptions, openManagers } from '../../node-agent/resources/open-managers.ts';
import type { PodAllocations } from '../../node-agent/resources/pod-allocations.ts';
import { PodResourcesView } from '../../node-agent/resources/pod-resources/pod-resources.ts';
import { PodResourcesServer } from '../../node-agent/resources/pod-resources/pod-resources-server.ts';
import { OptionError } from '../../node-agent/resources/policy-options.ts';
import { UserError } from '../user-error.ts';

export interface AgentAllocations {
  readonly allocations: PodAllocations;
  readonly devices: DeviceManager;
  /** Of plugins that register themselves. */
  readonly handlers: PluginHandlers;
  /** From now on plugins can register. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface AllocationsParts {
  /** None without an API server. */
  readonly client: Client | undefined;
  /** Those of the node, as they are now. */
  readonly pods: () => readonly Pod[];
  /** Whether the runtime has a container of the pod that runs. */
  readonly isRunning: (uid: string, container: string) => boolean;
  readonly registry: Registry;
  readonly log: Logger;
}

export async function openAllocations(
  { config, featureGates: gates, rootDir }: NodeAgentSettings,
  { client, pods, isRunning, registry, log }: AllocationsParts,
): Promise<AgentAllocations> {
  const { memoryBytes } = await readMachine({ rootDir });
  const numaNodes = await readNumaNodes(memoryBytes);
  const machine = { topology: await readTopology(), numaNodes, memoryBytes };
  const topology = createTopologyMetrics(registry);
  let managers: Managers | undefined = undefined;
  const figures = (): CpuFigures => managers?.cpus.figures ?? { exclusive: 0, shared: 0 };
  const observers = {
    cpus: { ...createCpuMetrics(registry, figures), aligned: () => topology.aligned('physical_cpu', 'container') },
    memory: countPinning(registry, 'memory', 'memory'),
  };
  managers = await openOrRefuse({ config, gates, rootDir, machine, observers, log });
  const directory = `${rootDir}/device-plugins`;
  const devices = new DeviceManager({
    checkpoint: `${directory}/kubelet_internal_checkpoint`,
    numaNodes: numaNodes.map(({ id }) => id),
    isRunning,
    clock: systemClock,
    log,
    observer: createDeviceMetrics(registry),
  });
  const server = new RegistrationServer(directory, devices.plugins, log);
  const dra = isGateOn('DynamicResourceAllocation', gates) ? await openDra(rootDir, client) : undefined;
  const tellsClaims = isGateOn('KubeletPodResourcesDynamicResources', gates);
  const view = new PodResourcesView({
    ...managers,
    pods,
    devices: devices.inventory,
    claims: dra === undefined || !tellsClaims ? undefined : (...of) => dra.manager.resourcesOf(...of),
    answersGet: isGateOn('KubeletPodResourcesGet', gates),
  });
  const podResources = new PodResourcesServer(
    `${rootDir}/pod-resources/kubelet.sock`,
    view,
    systemClock,
    createPodResourcesMetrics(registry),
  );
  return {
    allocations: createAllocations(managers, [devices], dra?.manager, topology),
    devices,
    handlers: new Map<string, PluginHandler>([
      ['DevicePlugin', devicePluginHandler(devices.plugins)],
      ...(dra === undefined ? [] : [['DRAPlugin', dra.plugins] as const]),
    ]),
    async start() {
      await devices.restore();
      await server.start();
      await podResources.start();
    },
    async stop() {
      await podResources.stop();
      await server.stop();
      await devices.stop();
      dra?.plugins.close();
    },
  };
}

async function openDra(rootDir: string, client: Client | undefined) {
  const plugins = new DraPlugins();
  const manager = new DraManager({
    checkpoint: `${rootDir}/dra_manager_state`,
    plugins,
    readClaim: async (namespace, name) =>
      client?.resource.v1beta1.resourceclaims.namespace(namespace).get(name).catch(undefinedWhenGone),
  });
  try {
    await manager.restore();
  } catch (error) {
    if (error instanceof CheckpointError)
      throw new UserError(`${rootDir}/dra_manager_state: ${error.message}`, { cause: error });
    throw error;
  }
  return { plugins, manager };
}

async function openOrRefuse(options: ManagersOptions): Promise<Managers> {
  try {
    return await openManagers(options);
  } catch (error) {
    if (error instanceof OptionError || error instanceof CheckpointError)
      throw new UserError(error.message, { cause: error });
    throw error;
  }
}
