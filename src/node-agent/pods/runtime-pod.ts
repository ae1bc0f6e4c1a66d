/** What the runtime has of a pod. */
import { isPodUid } from './pods-config.ts';
import type { Container, ContainerStatus, PodSandbox, PodSandboxStatus } from '../runtime/gen/cri.ts';
import { containerNameLabel, podNameLabel, podNamespaceLabel, podUidLabel } from './config/labels.ts';

/** Newest first. */
export interface RuntimePod {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  readonly sandboxes: readonly PodSandboxStatus[];
  readonly containers: readonly RuntimeContainer[];
}

export interface RuntimeContainer {
  readonly status: ContainerStatus;
  readonly sandboxId: string;
  /** What the container left as its last words. */
  readonly terminationMessage?: string | undefined;
}

/** Ids and states of a pod, as the lists of a runtime have them. */
export interface ListedPod {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  readonly sandboxes: PodSandbox[];
  readonly containers: Container[];
}

/** By uid. What carries no uid belongs to no pod. */
export function groupedByPod(
  sandboxes: readonly PodSandbox[],
  containers: readonly Container[],
): ReadonlyMap<string, ListedPod> {
  const pods = new Map<string, ListedPod>();
  const podOf = (labels: Readonly<Record<string, string>> = {}): ListedPod | undefined => {
    const uid = labels[podUidLabel];
    // An uid that would lead out of the directories of pods is none of this agent.
    if (uid === undefined || !isPodUid(uid)) return undefined;
    let pod = pods.get(uid);
    if (pod === undefined) {
      const [name = '', namespace = ''] = [labels[podNameLabel], labels[podNamespaceLabel]];
      pods.set(uid, (pod = { uid, name, namespace, sandboxes: [], containers: [] }));
    }
    return pod;
  };
  for (const sandbox of sandboxes) podOf(sandbox.labels)?.sandboxes.push(sandbox);
  for (const container of containers) podOf(container.labels)?.containers.push(container);
  return pods;
}

/** Equal as long as nothing has begun or ended. */
export const fingerprint = ({
  sandboxes,
  containers,
}: {
  readonly sandboxes: readonly { readonly id?: string | undefined; readonly state?: string | undefined }[];
  readonly containers: readonly { readonly id?: string | undefined; readonly state?: string | undefined }[];
}): string =>
  [...sandboxes, ...containers]
    .map(({ id, state }) => `${id} ${state}`)
    .sort()
    .join('\n');

export const nameOf = ({ status }: RuntimeContainer): string => status.labels?.[containerNameLabel] ?? '';

export const isRunning = ({ status }: RuntimeContainer): boolean => status.state === 'CONTAINER_RUNNING';

interface Made {
  readonly createdAt?: number | bigint | undefined;
  readonly metadata?: { readonly attempt?: number | undefined } | undefined;
}

/** The newest first. */
export const byAge = (a: Made, b: Made): number => {
  // The clock may have been set back between two attempts.
  const attempts = (b.metadata?.attempt ?? 0) - (a.metadata?.attempt ?? 0);
  return attempts === 0 ? Number(BigInt(b.createdAt ?? 0) - BigInt(a.createdAt ?? 0)) : attempts;
};
