/**
 * @see {@link https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/#priorityclass |
 *   PriorityClass}
 */
import type { PriorityClass } from '../../gen/types/scheduling-v1.ts';
import { forbidden, notSupported, required } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { checkImmutable } from '../../meta/checks.ts';
import { subdomainName } from '../../meta/name-rules.ts';
import { metadataPath, validateBuiltInMeta, validateBuiltInMetaUpdate } from '../../meta/object-meta.ts';

const highestUserPriority = 1_000_000_000;

/** The classes that the system brings, by name; their values are out of users' reach. */
const systemClasses: Readonly<Record<string, number>> = {
  'system-node-critical': 2_000_001_000,
  'system-cluster-critical': 2_000_000_000,
};

export const isSystemPriorityClass = (name: string): boolean => Object.hasOwn(systemClasses, name);

const policies = ['PreemptLowerPriority', 'Never'];
const policyPath = FieldPath.of('preemptionPolicy');

export function setPriorityClassDefaults(object: PriorityClass): void {
  object.preemptionPolicy ??= 'PreemptLowerPriority';
}

export function validatePriorityClass(object: PriorityClass): FieldErrors {
  const { metadata, value = 0, preemptionPolicy: policy } = object;
  const errors = validateBuiltInMeta(metadata, { namespaced: false, validateName: subdomainName });
  if (metadata.name?.startsWith('system-') === true) {
    const problem = systemClassProblem(object, metadata.name);
    if (problem !== undefined)
      errors.push(
        forbidden(
          metadataPath.child('name'),
          `priority class names with 'system-' prefix are reserved for system use only. error: ${problem}`,
        ),
      );
  } else if (value > highestUserPriority)
    errors.push(
      forbidden(FieldPath.of('value'), `maximum allowed value of a user defined priority is ${highestUserPriority}`),
    );
  if ((policy as string) === '') errors.push(required(policyPath));
  else if (policy !== undefined && !policies.includes(policy)) errors.push(notSupported(policyPath, policy, policies));
  return errors;
}

function systemClassProblem({ value = 0, globalDefault = false }: PriorityClass, name: string): string | undefined {
  if (!isSystemPriorityClass(name)) return `${name} is not a known system priority class`;
  if (value !== systemClasses[name]) return `value of ${name} PriorityClass must be ${systemClasses[name]}`;
  return globalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}

/** What pods have copied may not change. */
export function validatePriorityClassUpdate(object: PriorityClass, old: PriorityClass): FieldErrors {
  const errors = validateBuiltInMetaUpdate(object.metadata, old.metadata);
  if ((object.value ?? 0) !== (old.value ?? 0))
    errors.push(forbidden(FieldPath.of('value'), 'may not be changed in an update.'));
  checkImmutable(object.preemptionPolicy, old.preemptionPolicy, policyPath, errors);
  return errors;
}
