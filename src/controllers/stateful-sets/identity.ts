/**
 * Who a pod of a StatefulSet is: its ordinal, its names and its claims stay the same when it is made again.
 * @see {@link https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#pod-identity | Pod identity}
 */
import type { StatefulSet } from '../../api/gen/types/apps-v1.ts';
import type { PersistentVolumeClaim, Pod, PodTemplateSpec, Volume } from '../../api/gen/types/core-v1.ts';
import type { Input } from '../../client/index.ts';
import { podRevisionLabel } from '../shared/controller-revisions.ts';
import { podFromTemplate } from '../shared/pod-control.ts';

const podNameLabel = 'statefulset.kubernetes.io/pod-name';
const podIndexLabel = 'apps.kubernetes.io/pod-index';

export const startOrdinal = ({ spec }: StatefulSet): number => spec.ordinals?.start ?? 0;

export const replicasOf = ({ spec }: StatefulSet): number => spec.replicas ?? 1;

export const podNameOf = ({ metadata }: StatefulSet, ordinal: number): string => `${metadata.name}-${ordinal}`;

/** Undefined for a pod that does not have the name of a pod of the set. */
export function ordinalOf({ metadata }: StatefulSet, pod: Pod): number | undefined {
  const name = pod.metadata.name!;
  const prefix = `${metadata.name}-`;
  const digits = name.startsWith(prefix) ? name.slice(prefix.length) : '';
  return /^(0|[1-9]\d{0,9})$/.test(digits) && Number(digits) < 2 ** 31 ? Number(digits) : undefined;
}

export function isInRange(set: StatefulSet, pod: Pod): boolean {
  const index = (ordinalOf(set, pod) ?? -1) - startOrdinal(set);
  return index >= 0 && index < replicasOf(set);
}

/** A pod's revision: the name of the ControllerRevision with its template. */
export const revisionOf = ({ metadata }: Pod): string => metadata.labels?.[podRevisionLabel] ?? '';

/** The claims of a pod by the names of their volumes. */
export function claimsOf(set: StatefulSet, ordinal: number): ReadonlyMap<string, string> {
  const templates = set.spec.volumeClaimTemplates ?? [];
  return new Map(templates.map(({ metadata }) => [metadata.name!, claimNameOf(set, metadata.name!, ordinal)]));
}

export const claimNameOf = (set: StatefulSet, volume: string, ordinal: number): string =>
  `${volume}-${podNameOf(set, ordinal)}`;

export function newClaims(set: StatefulSet, ordinal: number): Input<PersistentVolumeClaim>[] {
  return (set.spec.volumeClaimTemplates ?? []).map(({ metadata, spec }) => ({
    metadata: {
      ...(metadata.annotations === undefined ? {} : { annotations: metadata.annotations }),
      labels: { ...metadata.labels, ...set.spec.selector?.matchLabels },
      name: claimNameOf(set, metadata.name!, ordinal),
      namespace: set.metadata.namespace!,
    },
    spec,
  }));
}

/** @param revision name of the ControllerRevision that has the template */
export function newPod(set: StatefulSet, ordinal: number, template: PodTemplateSpec, revision: string): Input<Pod> {
  const name = podNameOf(set, ordinal);
  const { serviceName = '' } = set.spec;
  const { metadata, spec, ...rest } = podFromTemplate({ template, owner: set, name });
  return {
    ...rest,
    metadata: {
      ...metadata,
      labels: { ...identityLabels(metadata?.labels, name, ordinal), [podRevisionLabel]: revision },
    },
    spec: {
      ...spec,
      hostname: name,
      ...(serviceName === '' ? {} : { subdomain: serviceName }),
      ...volumesWith(set, ordinal, template.spec.volumes),
    },
  };
}

const identityLabels = (
  labels: Readonly<Record<string, string>> | undefined,
  name: string,
  ordinal: number,
): Record<string, string> => ({ ...labels, [podNameLabel]: name, [podIndexLabel]: String(ordinal) });

/** The volumes of the claims, and those of the template that have other names. */
function volumesWith(set: StatefulSet, ordinal: number, others: readonly Volume[] = []): { volumes?: Volume[] } {
  const claims = claimsOf(set, ordinal);
  const own = [...claims].map(([name, claimName]) => ({ name, persistentVolumeClaim: { claimName } }));
  const volumes = [...own, ...others.filter(({ name }) => !claims.has(name!))];
  return volumes.length === 0 ? {} : { volumes };
}

/** Undefined when the pod has its identity and its claims, else the pod as it should be. */
export function repairedPod(set: StatefulSet, pod: Pod): Pod | undefined {
  const ordinal = ordinalOf(set, pod)!;
  const { name, labels } = pod.metadata;
  const hasStorage = [...claimsOf(set, ordinal)].every(([volume, claim]) =>
    pod.spec.volumes?.some((each) => each.name === volume && each.persistentVolumeClaim?.claimName === claim),
  );
  if (labels?.[podNameLabel] === name && hasStorage) return undefined;
  return {
    ...pod,
    metadata: { ...pod.metadata, labels: identityLabels(labels, name!, ordinal) },
    spec: hasStorage ? pod.spec : { ...pod.spec, ...volumesWith(set, ordinal, pod.spec.volumes) },
  };
}
