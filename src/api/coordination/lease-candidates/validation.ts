/** @see {@link https://kep.k8s.io/4355 | KEP-4355: coordinated leader election} */
import type { LeaseCandidate, LeaseCandidateSpec } from '../../gen/types/coordination-v1alpha2.ts';
import { invalid, required } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { isConfigMapKey } from '../../../machinery/formats/names.ts';
import { compareSemanticVersions, parseSemanticVersion } from '../../../machinery/formats/semantic-version.ts';
import { checkImmutable } from '../../meta/checks.ts';
import { validateBuiltInMeta, validateBuiltInMetaUpdate } from '../../meta/object-meta.ts';
import { checkStrategy } from '../leases/strategies.ts';

const specPath = FieldPath.of('spec');

export function validateLeaseCandidate({ metadata, spec }: LeaseCandidate): FieldErrors {
  // Identities of processes have underscores.
  const errors = validateBuiltInMeta(metadata, { namespaced: true, validateName: isConfigMapKey });
  checkSpec(spec, specPath, errors);
  return errors;
}

export function validateLeaseCandidateUpdate({ metadata, spec }: LeaseCandidate, old: LeaseCandidate): FieldErrors {
  const errors = validateBuiltInMetaUpdate(metadata, old.metadata);
  checkSpec(spec, specPath, errors);
  checkImmutable(spec.leaseName ?? '', old.spec.leaseName ?? '', specPath.child('leaseName'), errors);
  return errors;
}

function checkSpec(
  { leaseName = '', binaryVersion = '', emulationVersion = '', strategy = '' }: LeaseCandidateSpec,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (leaseName === '') errors.push(required(path.child('leaseName')));
  const emulated = parseSemanticVersion(emulationVersion);
  if (emulationVersion !== '' && emulated === undefined)
    errors.push(invalid(path.child('emulationVersion'), emulationVersion, 'must be a valid semantic version'));
  const binary = parseSemanticVersion(binaryVersion);
  if (binaryVersion === '') errors.push(required(path.child('binaryVersion')));
  else if (binary === undefined)
    errors.push(invalid(path.child('binaryVersion'), binaryVersion, 'must be a valid semantic version'));
  // Upstream takes what is no version for 0.0.0 here.
  const zero = { numbers: [0n, 0n, 0n], preRelease: [] };
  if (binaryVersion !== '' && emulationVersion !== '' && compareSemanticVersions(binary ?? zero, emulated ?? zero) < 0)
    errors.push(
      invalid(path.child('binaryVersion'), binaryVersion, 'must be greater than or equal to `emulationVersion`'),
    );
  if (strategy === '') {
    errors.push(required(path.child('strategy')));
    return;
  }
  if (strategy === 'OldestEmulationVersion' && compareSemanticVersions(emulated ?? zero, zero) === 0)
    errors.push(
      required(path.child('emulationVersion'), "must be specified when `strategy` is 'OldestEmulationVersion'"),
    );
  checkStrategy(strategy, path.child('strategy'), errors);
}
