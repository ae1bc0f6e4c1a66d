/**
 * @see {@link https://kubernetes.io/docs/concepts/scheduling-eviction/topology-spread-constraints/ | Pod topology
 *   spread constraints}
 */
import type { TopologySpreadConstraint } from '../../gen/types/core-v1.ts';
import { duplicate, forbidden, invalid, notSupported } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';
import { notPositiveMessage } from '../../../machinery/formats/messages.ts';
import { checkRequiredText, keyOf } from '../../meta/checks.ts';
import { checkLabelSelector } from '../../meta/label-selector.ts';
import { checkLabelName } from '../../meta/labels.ts';
import type { PodValidationOptions } from './validation-option-types.ts';

const actions = ['DoNotSchedule', 'ScheduleAnyway'];
const nodePolicies = ['Honor', 'Ignore'];

export function checkTopologySpread(
  constraints: readonly TopologySpreadConstraint[] | undefined,
  path: FieldPath,
  errors: FieldErrors,
  rules: PodValidationOptions,
): void {
  const last = new Map(constraints?.map((constraint, i) => [meaningOf(constraint), i]));
  constraints?.forEach((constraint, i) => {
    const at = path.index(i);
    const { maxSkew = 0, topologyKey = '', whenUnsatisfiable = '' } = constraint;
    if (maxSkew <= 0) errors.push(invalid(at.child('maxSkew'), maxSkew, notPositiveMessage));
    checkRequiredText(topologyKey, at.child('topologyKey'), errors, 'can not be empty');
    if (!actions.includes(whenUnsatisfiable))
      errors.push(notSupported(at.child('whenUnsatisfiable'), whenUnsatisfiable, actions));
    if (last.get(meaningOf(constraint))! > i)
      errors.push(duplicate(at.child('{topologyKey, whenUnsatisfiable}'), `{${topologyKey}, ${whenUnsatisfiable}}`));
    checkMinDomains(constraint, at.child('minDomains'), errors);
    checkNodePolicy(constraint.nodeAffinityPolicy, at.child('nodeAffinityPolicy'), errors);
    checkNodePolicy(constraint.nodeTaintsPolicy, at.child('nodeTaintsPolicy'), errors);
    checkSpreadKeys(constraint, at.child('matchLabelKeys'), errors);
    if (!rules.invalidSpreadSelectors) checkLabelSelector(constraint.labelSelector, at.child('labelSelector'), errors);
  });
}

/** Of constraints that mean the same, the last stands. */
const meaningOf = ({ topologyKey = '', whenUnsatisfiable = '' as never }: TopologySpreadConstraint): string =>
  keyOf(topologyKey, whenUnsatisfiable);

function checkMinDomains(
  { minDomains, whenUnsatisfiable = '' as never }: TopologySpreadConstraint,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (minDomains === undefined) return;
  if (minDomains <= 0) errors.push(invalid(path, minDomains, notPositiveMessage));
  if (whenUnsatisfiable !== 'DoNotSchedule')
    errors.push(
      invalid(
        path,
        minDomains,
        `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable as string}`,
      ),
    );
}

function checkNodePolicy(policy: string | undefined, path: FieldPath, errors: FieldErrors): void {
  if (policy !== undefined && !nodePolicies.includes(policy)) errors.push(notSupported(path, policy, nodePolicies));
}

/** Keys whose values are taken from the pod itself; the selector may not have them as well. */
function checkSpreadKeys(
  { matchLabelKeys = [], labelSelector }: TopologySpreadConstraint,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (matchLabelKeys.length === 0) return;
  if (labelSelector === undefined) errors.push(forbidden(path, 'must not be specified when labelSelector is not set'));
  const selected = new Set([
    ...Object.keys(labelSelector?.matchLabels ?? {}),
    ...(labelSelector?.matchExpressions ?? []).map(({ key }) => key),
  ]);
  matchLabelKeys.forEach((key, i) => {
    checkLabelName(key, path.index(i), errors);
    if (selected.has(key)) errors.push(invalid(path.index(i), key, 'exists in both matchLabelKeys and labelSelector'));
  });
}
