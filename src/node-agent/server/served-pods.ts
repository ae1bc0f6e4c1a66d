/** The pods of the node, as its server sees them. */
import type { Pod } from '../../api/gen/types/core-v1.ts';
import type { CgroupSettings } from '../resources/cgroups/cgroup-path.ts';
import type { ContainerRuntime } from '../runtime/container-runtime.ts';
import type { Volumes } from '../volumes/volumes.ts';
import { Refusal } from './refusal.ts';

export interface ServedPods {
  /** With the status that the agent computed last. */
  pods(): readonly Pod[];
  /** How control groups are made; undefined until the runtime has been asked. */
  cgroupDriver?(): CgroupSettings['driver'] | undefined;
  /** What the driver of a CSI volume says of its use; undefined where it does not. @param directory of the volume */
  csiUsage?: Volumes['csiUsage'];
  /** The name of the persistent volume behind a claim; undefined where there is none. */
  volumeOfClaim?(namespace: string, claim: string): Promise<string | undefined>;
}

/** What routes work on. */
export interface PodPorts {
  readonly served: ServedPods;
  readonly runtime: ContainerRuntime;
}

/** Labels that agents put on what they make. */
export const uidLabel = 'io.kubernetes.pod.uid';
export const containerLabel = 'io.kubernetes.container.name';

export interface PodName {
  readonly namespace: string;
  readonly name: string;
  /** Undefined where the request has none. */
  readonly uid?: string | undefined;
}

export function findPod({ served }: PodPorts, { namespace, name, uid }: PodName): Pod | undefined {
  return served
    .pods()
    .find(
      ({ metadata }) =>
        metadata.name === name && metadata.namespace === namespace && (uid === undefined || metadata.uid === uid),
    );
}

/** Throws a {@link Refusal}. */
export function existingPod(ports: PodPorts, name: PodName): Pod {
  const pod = findPod(ports, name);
  if (pod === undefined) throw new Refusal(404, 'pod does not exist');
  return pod;
}

/** Static pods are known to the runtime by the uid of their file, and to the API server by that of their mirror. */
export const runtimeUid = ({ metadata }: Pod): string =>
  metadata.annotations?.['kubernetes.io/config.mirror'] ?? metadata.uid ?? '';

/** The id of the container that runs; throws a {@link Refusal} where none does. */
export async function runningContainer({ runtime }: PodPorts, pod: Pod, container: string): Promise<string> {
  const labelSelector = { [uidLabel]: runtimeUid(pod), [containerLabel]: container };
  const filter = { state: { state: 'CONTAINER_RUNNING' as const }, labelSelector };
  const { containers = [] } = await runtime.listContainers({ filter });
  const newest = containers.toSorted((a, b) => Number(BigInt(b.createdAt ?? 0) - BigInt(a.createdAt ?? 0)))[0];
  if (newest?.id === undefined) throw new Refusal(500, `container not found (${JSON.stringify(container)})`);
  return newest.id;
}

/** The id of the sandbox that is ready; throws a {@link Refusal} where none is. */
export async function readySandbox({ runtime }: PodPorts, pod: Pod): Promise<string> {
  const filter = { state: { state: 'SANDBOX_READY' as const }, labelSelector: { [uidLabel]: runtimeUid(pod) } };
  const { items = [] } = await runtime.listPodSandbox({ filter });
  if (items[0]?.id === undefined)
    throw new Refusal(500, `pod not found (${JSON.stringify(`${pod.metadata.name}_${pod.metadata.namespace}`)})`);
  return items[0].id;
}
