/** What is to be attached to a node and detached from it, from what there is. Reads nothing and writes nothing. */
import type { AttachedVolume, Node, Pod } from '../../api/gen/types/core-v1.ts';
import { isPodTerminal } from '../../api/core/pods/is-terminal.ts';
import type { AttachableVolume } from '../shared/attachable-volumes.ts';
import type { AttachedEntry } from './attached-volumes.ts';

/** Volumes of the nodes with this annotation are attached by the controller; other nodes do it themselves. */
const managedAnnotation = 'volumes.kubernetes.io/controller-managed-attach-detach';
const keepsTerminatedAnnotation = 'volumes.kubernetes.io/keep-terminated-pod-volumes';
const outOfServiceTaint = 'node.kubernetes.io/out-of-service';

/** How long a volume may stay mounted on a silent node that does not need it any more. */
export const maxUnmountWaitMs = 6 * 60_000;

export interface WantedVolume {
  readonly volume: AttachableVolume;
  readonly pods: readonly Pod[];
}

export type ForceReason = 'timeout' | 'out-of-service';

export interface Plan {
  readonly attach: readonly WantedVolume[];
  /** Attached elsewhere, to where it has to stay until then. */
  readonly blocked: readonly WantedVolume[];
  readonly detach: readonly { readonly entry: AttachedEntry; readonly force: ForceReason | undefined }[];
  /** By the clock: when to look again, if nothing changes before. */
  readonly lookAt: number | undefined;
}

export interface PlanInput {
  /** Undefined for a node that is gone. */
  readonly node: Node | undefined;
  readonly wanted: ReadonlyMap<string, WantedVolume>;
  readonly entries: readonly AttachedEntry[];
  readonly isForcedOnTimeout: boolean;
  /** By the clock. */
  readonly now: number;
  /** Entries of the volume on other nodes. */
  elsewhere(name: string): readonly AttachedEntry[];
}

/** Notes in the entries since when no pod wants them. */
export function planNode(input: PlanInput): Plan {
  const { entries, wanted } = input;
  const known = new Map(entries.map((entry) => [entry.name, entry]));
  const detach: { readonly entry: AttachedEntry; readonly force: ForceReason | undefined }[] = [];
  let lookAt: number | undefined;
  for (const entry of entries) {
    if (wanted.has(entry.name)) {
      delete entry.unwantedSince;
      continue;
    }
    const verdict = detachVerdict(entry, input);
    if (verdict.lookAt !== undefined) lookAt = earliest(lookAt, verdict.lookAt);
    if (verdict.isDue) detach.push({ entry, force: verdict.force });
  }
  const attach: WantedVolume[] = [];
  const blocked: WantedVolume[] = [];
  for (const item of wanted.values()) {
    const entry = known.get(item.volume.name);
    if (entry?.isAttached === true && entry.isReported) continue;
    const isElsewhere = item.volume.isExclusive && input.elsewhere(item.volume.name).length > 0;
    (isElsewhere ? blocked : attach).push(item);
  }
  return { attach, blocked, detach, lookAt };
}

interface DetachVerdict {
  readonly isDue: boolean;
  readonly force?: ForceReason | undefined;
  readonly lookAt?: number;
}

function detachVerdict(entry: AttachedEntry, { node, now, isForcedOnTimeout }: PlanInput): DetachVerdict {
  if (entry.detachingSince !== undefined) return { isDue: false };
  entry.unwantedSince ??= now;
  if (entry.retryAt > now) return { isDue: false, lookAt: entry.retryAt };
  const timeoutAt = entry.unwantedSince + maxUnmountWaitMs;
  const isTimedOut = isForcedOnTimeout && now >= timeoutAt && !isHealthy(node);
  const force = isOutOfService(node) ? 'out-of-service' : isTimedOut ? 'timeout' : undefined;
  if (force !== undefined || !isInUse(node, entry.name)) return { isDue: true, force };
  return { isDue: false, ...(now < timeoutAt && isForcedOnTimeout ? { lookAt: timeoutAt } : {}) };
}

export const earliest = (a: number | undefined, b: number): number => (a === undefined ? b : Math.min(a, b));

const isHealthy = (node: Node | undefined): boolean =>
  node?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') === true;

const isOutOfService = (node: Node | undefined): boolean =>
  node?.spec?.taints?.some(({ key }) => key === outOfServiceTaint) === true;

/** The node has it mounted, or is about to. */
export const isInUse = (node: Node | undefined, name: string): boolean =>
  node?.status?.volumesInUse?.includes(name) === true;

export const isManaged = (node: Node | undefined): boolean =>
  node?.metadata.annotations?.[managedAnnotation] !== undefined;

/** Whether the volumes of the pod are to be on its node. */
export const wantsVolumes = (pod: Pod, node: Node | undefined): boolean =>
  !isTerminated(pod) || node?.metadata.annotations?.[keepsTerminatedAnnotation] === 'true';

/** Over, or told to go and without a container that runs. */
function isTerminated(pod: Pod): boolean {
  if (isPodTerminal(pod)) return true;
  if (pod.metadata.deletionTimestamp === undefined) return false;
  const containers = pod.status?.containerStatuses ?? [];
  return containers.every(({ state }) => state?.terminated !== undefined || state?.waiting !== undefined);
}

/** What the status of the node is to say of attached volumes; undefined where it says so. */
export function reportFor(node: Node, entries: readonly AttachedEntry[]): AttachedVolume[] | undefined {
  const reported = entries.filter(({ isAttached, isReported }) => isAttached && isReported);
  const said = new Set(node.status?.volumesAttached?.map(({ name = '' }) => name));
  if (reported.length === said.size && reported.every(({ name }) => said.has(name))) return undefined;
  return reported.map(({ name, devicePath }) => ({ name, devicePath })).sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** @param others pods that have the volume on other nodes */
export function multiAttachMessage(title: string, pod: Pod, others: readonly Pod[]): string {
  return `Multi-Attach error for volume "${title}" ${multiAttachReason(pod, others)}`;
}

function multiAttachReason({ metadata }: Pod, others: readonly Pod[]): string {
  if (others.length === 0) return "Volume is already exclusively attached to one node and can't be attached to another";
  const known = others.filter((other) => other.metadata.namespace === metadata.namespace);
  const foreign = `${others.length - known.length} pod(s) in different namespaces`;
  if (known.length === 0) return `Volume is already used by ${foreign}`;
  const names = known.map((other) => other.metadata.name ?? '').join(', ');
  return `Volume is already used by pod(s) ${names}${known.length < others.length ? ` and ${foreign}` : ''}`;
}
