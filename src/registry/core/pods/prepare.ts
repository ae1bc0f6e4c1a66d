/** What the server writes into a new pod. */
import {
  appArmorAnnotation,
  appArmorAnnotationOf,
  appArmorProfileOf,
  checkAppArmorProfile,
} from '../../../api/core/pods/app-armor.ts';
import { podAffinityTerms } from '../../../api/core/pods/affinity.ts';
import { annotationsPath } from '../../../api/core/pods/validation.ts';
import { setPodCondition } from '../../../api/core/pods/binding.ts';
import { visitContainers } from '../../../api/core/pods/container-list.ts';
import type { Pod, PodAffinityTerm } from '../../../api/gen/types/core-v1.ts';
import { isEqual } from '../../../machinery/equal.ts';
import { findsErrors } from '../../../machinery/field-errors.ts';

/** A pod that may not be scheduled yet says why. */
export function setSchedulingGated(pod: Pod, now: Date): void {
  if ((pod.spec.schedulingGates?.length ?? 0) === 0) return;
  setPodCondition(
    pod,
    {
      type: 'PodScheduled',
      status: 'False',
      reason: 'SchedulingGated',
      message: 'Scheduling is blocked due to non-empty scheduling gates',
    },
    now,
  );
}

/**
 * Keys in terms about other pods stand for this pod's own values: they become expressions of the selector.
 * @see {@link https://kep.k8s.io/3633 | KEP-3633}
 */
export function mergeAffinityKeys({ metadata: { labels }, spec: { affinity } }: Pod): void {
  if (affinity === undefined) return;
  for (const term of podAffinityTerms(affinity)) {
    addExpressions(term, term.matchLabelKeys, 'In', labels);
    addExpressions(term, term.mismatchLabelKeys, 'NotIn', labels);
  }
}

function addExpressions(
  { labelSelector }: PodAffinityTerm,
  keys: readonly string[] | undefined,
  operator: 'In' | 'NotIn',
  labels: Pod['metadata']['labels'],
): void {
  if (labelSelector === undefined || keys === undefined) return;
  for (const key of keys) {
    const value = labels?.[key];
    if (value !== undefined) (labelSelector.matchExpressions ??= []).push({ key, operator, values: [value] });
  }
}

/**
 * Annotations about AppArmor become the fields that replace them, and fields the annotations that older nodes know.
 * Returns the keys of the annotations that were not given as fields as well.
 * @see {@link https://kep.k8s.io/24 | KEP-24}
 */
export function syncAppArmor({ metadata, spec }: Pod): ReadonlySet<string> {
  const taken = new Set<string>();
  if (spec.os?.name === 'windows') return taken;
  visitContainers(spec, (container) => {
    const key = appArmorAnnotation + (container.name ?? '');
    const field = container.securityContext?.appArmorProfile;
    const annotation = metadata.annotations?.[key];
    if (annotation === undefined) {
      const wanted = appArmorAnnotationOf(field ?? spec.securityContext?.appArmorProfile ?? {});
      if (wanted !== undefined) (metadata.annotations ??= {})[key] = wanted;
      return;
    }
    if (field !== undefined) return;
    const profile = appArmorProfileOf(annotation);
    const isGood =
      profile !== undefined && !findsErrors((errors) => checkAppArmorProfile(profile, annotationsPath, errors));
    if (isGood && isEqual(profile, spec.securityContext?.appArmorProfile)) return;
    if (isGood) (container.securityContext ??= {}).appArmorProfile = profile;
    taken.add(key);
  });
  return taken;
}
