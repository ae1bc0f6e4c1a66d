/** The annotations by which a Deployment and its ReplicaSets know revisions and sizes. */
import { compareText } from '../../machinery/compare-text.ts';
import type { Deployment, ReplicaSet } from '../../api/gen/types/apps-v1.ts';
import type { PodTemplateSpec } from '../../api/gen/types/core-v1.ts';
import { isEqual } from '../../machinery/equal.ts';
import { maxSurgeOf } from './limits.ts';

export const revisionAnnotation = 'deployment.kubernetes.io/revision';
const historyAnnotation = 'deployment.kubernetes.io/revision-history';
export const desiredAnnotation = 'deployment.kubernetes.io/desired-replicas';
export const maxAnnotation = 'deployment.kubernetes.io/max-replicas';
export const rollbackAnnotation = 'deprecated.deployment.rollback.to';
export const hashLabel = 'pod-template-hash';

/** Annotations of a Deployment that its ReplicaSets do not get. */
const notCopied: ReadonlySet<string> = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  revisionAnnotation,
  historyAnnotation,
  desiredAnnotation,
  maxAnnotation,
  rollbackAnnotation,
]);

/** Longest history of revisions, in characters. */
const maxHistoryLength = 2000;

type Annotations = Readonly<Record<string, string>>;

export const revisionOf = ({ metadata }: ReplicaSet | Deployment): number => {
  const revision = Number(metadata.annotations?.[revisionAnnotation] ?? 0);
  return Number.isSafeInteger(revision) ? revision : 0;
};

export const latestRevision = (sets: readonly ReplicaSet[]): number => Math.max(0, ...sets.map(revisionOf));

/** The annotations of the ReplicaSet that has the template of the Deployment. */
export function newSetAnnotations(
  deployment: Deployment,
  before: Annotations,
  revision: number,
  exists: boolean,
): Annotations {
  const annotations: Record<string, string> = { ...before };
  for (const [name, value] of Object.entries(deployment.metadata.annotations ?? {}))
    if (!notCopied.has(name)) annotations[name] = value;
  const old = before[revisionAnnotation] ?? '';
  if (Number(old) < revision) {
    annotations[revisionAnnotation] = String(revision);
    if (exists && old !== '') annotations[historyAnnotation] = historyWith(before[historyAnnotation] ?? '', old);
  }
  return exists ? annotations : withSizes(deployment, annotations);
}

/** What a ReplicaSet remembers of the Deployment's size when it was scaled. */
export function withSizes(deployment: Deployment, before: Annotations): Record<string, string> {
  const desired = deployment.spec!.replicas ?? 1;
  return {
    ...before,
    [desiredAnnotation]: String(desired),
    [maxAnnotation]: String(desired + maxSurgeOf(deployment)),
  };
}

function historyWith(history: string, revision: string): string {
  const entries = history === '' ? [] : history.split(',');
  if (entries.includes(revision)) return history;
  entries.push(revision);
  while (entries.length > 1 && entries.join(',').length > maxHistoryLength) entries.shift();
  return entries.join(',');
}

export const sizeAnnotation = ({ metadata }: ReplicaSet, name: string): number | undefined => {
  const text = metadata.annotations?.[name];
  return text !== undefined && /^-?\d{1,10}$/.test(text) ? Number(text) : undefined;
};

/** Of the same meaning: the label with the hash is the ReplicaSet's. */
export const isSameTemplate = (a: PodTemplateSpec | undefined, b: PodTemplateSpec | undefined): boolean =>
  isEqual(withoutHash(a), withoutHash(b));

export function withoutHash(template: PodTemplateSpec | undefined): PodTemplateSpec | undefined {
  const labels = template?.metadata?.labels;
  if (labels?.[hashLabel] === undefined) return template;
  const { [hashLabel]: _, ...others } = labels;
  const { labels: __, ...metadata } = template!.metadata!;
  const isEmpty = Object.keys(others).length === 0;
  return { ...template!, metadata: isEmpty ? metadata : { ...metadata, labels: others } };
}

export const byAge = (a: ReplicaSet, b: ReplicaSet): number =>
  compareText(a.metadata.creationTimestamp!, b.metadata.creationTimestamp!) ||
  compareText(a.metadata.name!, b.metadata.name!);

export const byRevision = (a: ReplicaSet, b: ReplicaSet): number => revisionOf(a) - revisionOf(b) || byAge(a, b);

/** The ReplicaSet with the template of the Deployment. Of several, the oldest: all controllers choose the same. */
export const currentSet = ({ spec }: Deployment, sets: readonly ReplicaSet[]): ReplicaSet | undefined =>
  sets.toSorted(byAge).find((set) => isSameTemplate(set.spec?.template, spec!.template));
