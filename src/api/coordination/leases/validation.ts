/** @see {@link https://kubernetes.io/docs/concepts/architecture/leases/ | Leases} */
import type { Lease, LeaseSpec } from '../../gen/types/coordination-v1.ts';
import { forbidden, invalid } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { checkNonNegative } from '../../meta/checks.ts';
import { subdomainName } from '../../meta/name-rules.ts';
import { validateBuiltInMeta, validateBuiltInMetaUpdate } from '../../meta/object-meta.ts';
import { checkStrategy } from './strategies.ts';

export function validateLease({ metadata, spec }: Lease): FieldErrors {
  const errors = validateBuiltInMeta(metadata, { namespaced: true, validateName: subdomainName });
  checkSpec(spec, FieldPath.of('spec'), errors);
  return errors;
}

export function validateLeaseUpdate({ metadata, spec }: Lease, old: Lease): FieldErrors {
  const errors = validateBuiltInMetaUpdate(metadata, old.metadata);
  checkSpec(spec, FieldPath.of('spec'), errors);
  return errors;
}

function checkSpec(
  { leaseDurationSeconds, leaseTransitions, strategy, preferredHolder = '' }: LeaseSpec,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (leaseDurationSeconds !== undefined && leaseDurationSeconds <= 0)
    errors.push(invalid(path.child('leaseDurationSeconds'), leaseDurationSeconds, 'must be greater than 0'));
  checkNonNegative(leaseTransitions, path.child('leaseTransitions'), errors);
  if (strategy !== undefined) checkStrategy(strategy, path.child('strategy'), errors);
  if (preferredHolder !== '' && (strategy ?? '') === '')
    errors.push(forbidden(path.child('preferredHolder'), 'may only be specified if `strategy` is defined'));
}
