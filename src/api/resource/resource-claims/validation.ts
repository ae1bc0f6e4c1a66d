/** What claims ask for. @see {@link https://kep.k8s.io/4381 | KEP-4381: structured parameters} */
import type {
  DeviceClaim,
  DeviceClaimConfiguration,
  DeviceConstraint,
  DeviceRequest,
  ResourceClaim,
  ResourceClaimSpec,
} from '../../gen/types/resource-v1beta1.ts';
import { invalid, notSupported, required } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { isDns1123Subdomain } from '../../../machinery/formats/names.ts';
import { checkFormat, checkImmutable } from '../../meta/checks.ts';
import { shownStruct } from '../../shown-struct.ts';
import { checkCount, checkFullPropertyName, checkLabel, checkUnique, maxParts } from '../checks.ts';
import { checkConfiguration, checkSelectors } from '../device-rules.ts';

/** Begins with what is wrong with the metadata. In steps, those of each expression. */
export function* validateResourceClaim(
  { spec }: ResourceClaim,
  old: ResourceClaim | undefined,
  errors: FieldErrors,
): Generator<void, FieldErrors> {
  const path = FieldPath.of('spec');
  if (old !== undefined)
    checkImmutable(spec, old.spec, path, errors, (value: ResourceClaimSpec) =>
      shownStruct('resource/v1beta1.ResourceClaimSpec', value),
    );
  yield* checkClaimSpec(spec, path, errors, old !== undefined);
  return errors;
}

/** @param isStored the expressions are not new: a claim does not change */
export function* checkClaimSpec(
  { devices }: ResourceClaimSpec,
  path: FieldPath,
  errors: FieldErrors,
  isStored: boolean,
): Generator<void, void> {
  const { requests = [], constraints = [], config = [] } = devices;
  const at = path.child('devices');
  const names = requestNames(devices);
  for (const [i, request] of requests.entries())
    yield* checkRequest(request, at.child('requests').index(i), errors, isStored);
  checkCount(requests, maxParts, at.child('requests'), errors);
  checkUnique(
    requests.map(({ name = '' }) => name),
    at.child('requests'),
    errors,
    'name',
  );
  constraints.forEach((constraint, i) => checkConstraint(constraint, at.child('constraints').index(i), errors, names));
  checkCount(constraints, maxParts, at.child('constraints'), errors);
  config.forEach((each, i) => checkClaimConfiguration(each, at.child('config').index(i), errors, names, isStored));
  checkCount(config, maxParts, at.child('config'), errors);
}

export const requestNames = ({ requests = [] }: DeviceClaim): ReadonlySet<string> =>
  new Set(requests.map(({ name = '' }) => name));

const allocationModes = ['All', 'ExactCount'];

function* checkRequest(
  { name = '', deviceClassName = '', selectors, allocationMode = '', count = 0 }: DeviceRequest,
  path: FieldPath,
  errors: FieldErrors,
  isStored: boolean,
): Generator<void, void> {
  checkLabel(name, path.child('name'), errors);
  if (deviceClassName === '') errors.push(required(path.child('deviceClassName')));
  else checkFormat(isDns1123Subdomain, deviceClassName, path.child('deviceClassName'), errors);
  yield* checkSelectors(selectors, path.child('selectors'), errors, isStored);
  const countPath = path.child('count');
  if (!allocationModes.includes(allocationMode))
    errors.push(notSupported(path.child('allocationMode'), allocationMode, allocationModes));
  else if (allocationMode === 'ExactCount') {
    if (count <= 0) errors.push(invalid(countPath, count, 'must be greater than zero'));
  } else if (Number(count) !== 0)
    errors.push(invalid(countPath, count, `must not be specified when allocationMode is '${allocationMode}'`));
}

function checkConstraint(
  { requests, matchAttribute }: DeviceConstraint,
  path: FieldPath,
  errors: FieldErrors,
  names: ReadonlySet<string>,
): void {
  checkRequestRefs(requests, path.child('requests'), errors, names);
  const at = path.child('matchAttribute');
  if (matchAttribute === undefined) errors.push(required(at));
  else checkFullPropertyName(matchAttribute, at, errors);
}

function checkClaimConfiguration(
  config: DeviceClaimConfiguration,
  path: FieldPath,
  errors: FieldErrors,
  names: ReadonlySet<string>,
  isStored: boolean,
): void {
  checkRequestRefs(config.requests, path.child('requests'), errors, names);
  checkConfiguration(config, path, errors, isStored);
}

/** Names of requests of the claim, each once. */
export function checkRequestRefs(
  refs: readonly string[] = [],
  path: FieldPath,
  errors: FieldErrors,
  names: ReadonlySet<string>,
): void {
  refs.forEach((name, i) => checkRequestRef(name, path.index(i), errors, names));
  checkCount(refs, maxParts, path, errors);
  checkUnique(refs, path, errors);
}

export function checkRequestRef(name: string, path: FieldPath, errors: FieldErrors, names: ReadonlySet<string>): void {
  checkLabel(name, path, errors);
  if (!names.has(name)) errors.push(invalid(path, name, 'must be the name of a request in the claim'));
}
