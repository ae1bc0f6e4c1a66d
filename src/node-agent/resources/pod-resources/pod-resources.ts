/**
 * What containers of the node have of it for themselves, and what there is of it, as programs that monitor devices ask
 * for it.
 * @see {@link https://kep.k8s.io/606 | KEP-606: Support 3rd party device monitoring plugins}
 */
import type { Container, Pod } from '../../../api/gen/types/core-v1.ts';
import { GrpcError } from '../../../grpc/grpc-error.ts';
import { GrpcCode } from '../../../grpc/status.ts';
import { isSidecar } from '../../pod-lifecycle/containers.ts';
import type { CpuManager } from '../cpu/cpu-manager.ts';
import { type DeviceInventory, noNode } from '../devices/device-inventory.ts';
import type { MemoryManager } from '../memory/memory-manager.ts';
import type {
  AllocatableResourcesResponse,
  ContainerDevices,
  ContainerMemory,
  DynamicResource,
  GetPodResourcesRequest,
  GetPodResourcesResponse,
  ListPodResourcesResponse,
  PodResources,
  TopologyInfo,
} from './gen/pod-resources.ts';

export interface PodResourcesSource {
  readonly pods: () => readonly Pod[];
  readonly cpus: Pick<CpuManager, 'exclusiveOf' | 'allocatable'>;
  readonly memory: Pick<MemoryManager, 'blocksOf' | 'machine'>;
  readonly devices: Pick<DeviceInventory, 'grantsOf' | 'resources' | 'devicesOf' | 'healthy'>;
  /** Devices of claims; undefined: they are not told. */
  readonly claims?: ((pod: Pod, container: Container) => readonly DynamicResource[]) | undefined;
  /** Feature gate KubeletPodResourcesGet. */
  readonly answersGet: boolean;
}

export class PodResourcesView {
  readonly #source: PodResourcesSource;

  constructor(source: PodResourcesSource) {
    this.#source = source;
  }

  list(): ListPodResourcesResponse {
    return { podResources: this.#source.pods().map((pod) => this.#podResources(pod)) };
  }

  /** Throws a `GrpcError`. */
  get({ podName = '', podNamespace = '' }: GetPodResourcesRequest): GetPodResourcesResponse {
    if (!this.#source.answersGet) throw new GrpcError(GrpcCode.unknown, 'PodResources API Get method disabled');
    const pod = this.#source
      .pods()
      .find(({ metadata }) => metadata.name === podName && metadata.namespace === podNamespace);
    if (pod === undefined)
      throw new GrpcError(GrpcCode.unknown, `pod ${podName} in namespace ${podNamespace} not found`);
    return { podResources: this.#podResources(pod) };
  }

  allocatable(): AllocatableResourcesResponse {
    const { cpus, memory, devices } = this.#source;
    return {
      cpuIds: cpus.allocatable.ids,
      devices: devices
        .resources()
        .flatMap((resource) =>
          devices
            .healthy(resource)
            .map((id) => deviceOf(resource, id, devices.devicesOf(resource).get(id)?.nodes ?? [])),
        ),
      memory: Object.entries(memory.machine).flatMap(([node, { memoryMap }]) =>
        Object.entries(memoryMap)
          .filter(([, { allocatable }]) => allocatable > 0)
          .map(([memoryType, { allocatable }]) => ({
            memoryType,
            size: allocatable,
            topology: topologyOf([Number(node)]),
          })),
      ),
    };
  }

  #podResources(pod: Pod): PodResources {
    const { name = '', namespace = '', uid = '' } = pod.metadata;
    const { cpus, memory, devices, claims } = this.#source;
    const longLived = [...(pod.spec.initContainers ?? []).filter(isSidecar), ...(pod.spec.containers ?? [])];
    return {
      name,
      namespace,
      containers: longLived.map((container) => ({
        name: container.name ?? '',
        cpuIds: cpus.exclusiveOf(uid, container.name ?? '')?.ids ?? [],
        memory: memory.blocksOf(uid, container.name ?? '').map(
          ({ type, size, numaAffinity }): ContainerMemory => ({
            memoryType: type,
            size,
            topology: topologyOf(numaAffinity),
          }),
        ),
        devices: devices
          .grantsOf(uid, container.name ?? '')
          .flatMap(({ resource, devices: byNode }) =>
            [...byNode].flatMap(([node, ids]) =>
              ids.map((id) =>
                deviceOf(resource, id, devices.devicesOf(resource).get(id)?.nodes ?? (node === noNode ? [] : [node])),
              ),
            ),
          ),
        dynamicResources: claims?.(pod, container) ?? [],
      })),
    };
  }
}

const deviceOf = (resourceName: string, id: string, nodes: readonly number[]): ContainerDevices => ({
  resourceName,
  deviceIds: [id],
  ...(nodes.length === 0 ? {} : { topology: topologyOf(nodes) }),
});

const topologyOf = (nodes: readonly number[]): TopologyInfo => ({ nodes: nodes.map((ID) => ({ ID })) });
