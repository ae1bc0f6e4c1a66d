/**
 * Where a pod wants to be: near or far from nodes and other pods.
 * @see {@link https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/#affinity-and-anti-affinity |
 *   Affinity and anti-affinity}
 */
import type { Affinity, NodeAffinity, PodAffinity, PodAffinityTerm, PodAntiAffinity } from '../../gen/types/core-v1.ts';
import { forbidden, invalid } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';
import { isDns1123Label } from '../../../machinery/formats/names.ts';
import type { LabelSelector } from '../../../machinery/label-selector.ts';
import { checkRequiredText, invalidEach } from '../../meta/checks.ts';
import { checkLabelSelector, hasInvalidSelectorValue } from '../../meta/label-selector.ts';
import { checkLabelName } from '../../meta/labels.ts';
import { checkNodeSelector, checkPreferredTerms, checkWeight } from './node-selector.ts';
import type { PodValidationOptions } from './validation-option-types.ts';

const required = 'requiredDuringSchedulingIgnoredDuringExecution';
const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';

export function checkAffinity(
  affinity: Affinity | undefined,
  path: FieldPath,
  errors: FieldErrors,
  rules: PodValidationOptions,
): void {
  if (affinity === undefined) return;
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity;
  if (nodeAffinity !== undefined) checkNodeAffinity(nodeAffinity, path.child('nodeAffinity'), errors, rules);
  if (podAffinity !== undefined) checkPodAffinity(podAffinity, path.child('podAffinity'), errors, rules);
  if (podAntiAffinity !== undefined) checkPodAffinity(podAntiAffinity, path.child('podAntiAffinity'), errors, rules);
}

function checkNodeAffinity(
  affinity: NodeAffinity,
  path: FieldPath,
  errors: FieldErrors,
  rules: PodValidationOptions,
): void {
  const selector = affinity[required];
  if (selector !== undefined)
    checkNodeSelector(selector, path.child(required), errors, { allowInvalidValues: rules.invalidNodeAffinityValues });
  checkPreferredTerms(affinity[preferred], path.child(preferred), errors);
}

function checkPodAffinity(
  affinity: PodAffinity | PodAntiAffinity,
  path: FieldPath,
  errors: FieldErrors,
  rules: PodValidationOptions,
): void {
  affinity[required]?.forEach((term, i) => checkTerm(term, path.child(required).index(i), errors, rules));
  affinity[preferred]?.forEach(({ weight, podAffinityTerm }, i) => {
    const at = path.child(preferred).index(i);
    checkWeight(weight, at.child('weight'), errors);
    checkTerm(podAffinityTerm, at.child('podAffinityTerm'), errors, rules);
  });
}

function checkTerm(term: PodAffinityTerm, path: FieldPath, errors: FieldErrors, rules: PodValidationOptions): void {
  const selectorRules = { allowInvalidValues: rules.invalidAffinitySelectorValues };
  const { topologyKey = '' } = term;
  checkLabelSelector(term.labelSelector, path.child('labelSelector'), errors, selectorRules);
  checkLabelSelector(term.namespaceSelector, path.child('namespaceSelector'), errors, selectorRules);
  term.namespaces?.forEach((name) => invalidEach(isDns1123Label(name), path.child('namespace'), name, errors));
  checkTermKeys(term, path, errors);
  checkRequiredText(topologyKey, path.child('topologyKey'), errors, 'can not be empty');
  checkLabelName(topologyKey, path.child('topologyKey'), errors);
}

/** Keys whose values are taken from the pod itself. @see {@link https://kep.k8s.io/3633 | KEP-3633} */
function checkTermKeys(
  { labelSelector, matchLabelKeys = [], mismatchLabelKeys = [] }: PodAffinityTerm,
  path: FieldPath,
  errors: FieldErrors,
): void {
  checkKeys(matchLabelKeys, labelSelector, path.child('matchLabelKeys'), errors);
  checkKeys(mismatchLabelKeys, labelSelector, path.child('mismatchLabelKeys'), errors);
  if (labelSelector !== undefined) checkKeysOnce(labelSelector, matchLabelKeys, path, errors);
  const mismatched = new Set(mismatchLabelKeys);
  matchLabelKeys.forEach((key, i) => {
    if (mismatched.has(key))
      errors.push(
        invalid(path.child('matchLabelKeys').index(i), key, 'exists in both matchLabelKeys and mismatchLabelKeys'),
      );
  });
}

function checkKeys(
  keys: readonly string[],
  selector: LabelSelector | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (keys.length === 0) return;
  if (selector === undefined) errors.push(forbidden(path, 'must not be specified when labelSelector is not set'));
  else keys.forEach((key, i) => checkLabelName(key, path.index(i), errors));
}

/** Each key has already become an expression of the selector, so it is given twice when it is there before that one. */
function checkKeysOnce(
  { matchLabels, matchExpressions }: LabelSelector,
  keys: readonly string[],
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (keys.length === 0) return;
  const seen = new Set(Object.keys(matchLabels ?? {}));
  const last = new Map(keys.map((key, i) => [key, i]));
  matchExpressions?.forEach(({ key = '' }) => {
    if (last.has(key) && seen.has(key))
      errors.push(invalid(path.index(last.get(key)!), key, 'exists in both matchLabelKeys and labelSelector'));
    seen.add(key);
  });
}

/** All terms about pods, required and preferred. */
export function podAffinityTerms({ podAffinity, podAntiAffinity }: Affinity): PodAffinityTerm[] {
  return [podAffinity, podAntiAffinity].flatMap((affinity) => [
    ...(affinity?.[required] ?? []),
    ...(affinity?.[preferred] ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ]);
}

export const hasInvalidAffinitySelector = (affinity: Affinity): boolean =>
  podAffinityTerms(affinity).some(
    ({ labelSelector, namespaceSelector }) =>
      hasInvalidSelectorValue(labelSelector) || hasInvalidSelectorValue(namespaceSelector),
  );
