/** Which pod and container a control group is of. */
import path from 'node:path';
import { podCgroupName } from '../../pods/config/pod-resources.ts';
import { cgroupPath, type CgroupSettings } from '../../resources/cgroups/cgroup-path.ts';
import { containerLabel, type PodPorts, runtimeUid } from '../served-pods.ts';

export interface KnownContainer {
  readonly container: string;
  readonly image: string;
  readonly name: string;
  readonly namespace: string;
  readonly pod: string;
}

export interface KnownGroup {
  readonly labels: KnownContainer;
  /** Milliseconds since 1970. */
  readonly startedAt: number | undefined;
  /** The group is of a sandbox, whose network is that of its pod. */
  readonly isSandbox: boolean;
}

const nothing: KnownContainer = { container: '', image: '', name: '', namespace: '', pod: '' };
export const unknownGroup: KnownGroup = { labels: nothing, startedAt: undefined, isSandbox: false };

const podLabel = 'io.kubernetes.pod.name';
const namespaceLabel = 'io.kubernetes.pod.namespace';

const milliseconds = (nanoseconds: number | bigint | undefined): number | undefined =>
  nanoseconds === undefined ? undefined : Number(BigInt(nanoseconds) / 1_000_000n);

/** Finds what is known of a group by its path: of containers by the id in it, of pods by the whole. */
export async function knownGroups(
  { served, runtime }: PodPorts,
  cgroups: CgroupSettings,
): Promise<(group: string) => KnownGroup> {
  const [{ items = [] }, { containers = [] }] = await Promise.all([
    runtime.listPodSandbox({}),
    runtime.listContainers({}),
  ]);
  const byId = new Map<string, KnownGroup>();
  for (const { id = '', labels = {}, createdAt } of items) {
    const [pod = '', namespace = ''] = [labels[podLabel], labels[namespaceLabel]];
    const known = { container: '', image: '', name: id, namespace, pod };
    byId.set(id, { labels: known, startedAt: milliseconds(createdAt), isSandbox: true });
  }
  for (const { id = '', labels = {}, createdAt, image } of containers) {
    const [pod = '', namespace = ''] = [labels[podLabel], labels[namespaceLabel]];
    const known = { container: labels[containerLabel] ?? '', image: image?.image ?? '', name: id, namespace, pod };
    byId.set(id, { labels: known, startedAt: milliseconds(createdAt), isSandbox: false });
  }
  const byGroup = new Map<string, KnownGroup>();
  for (const pod of served.pods()) {
    const { name = '', namespace = '' } = pod.metadata;
    const group = cgroupPath(podCgroupName(pod.spec, runtimeUid(pod)), cgroups);
    byGroup.set(group, { ...unknownGroup, labels: { ...nothing, namespace, pod: name } });
  }
  return (group) => byGroup.get(group) ?? byId.get(idOf(group)) ?? unknownGroup;
}

/** The last part of the path, which may have a name of the runtime around it: `cri-containerd-ID.scope`. */
const idOf = (group: string): string => /([0-9a-f]{64})(\.scope)?$/.exec(group)?.[1] ?? path.posix.basename(group);
