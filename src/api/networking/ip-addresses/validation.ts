/** Rules of IP addresses that services hold. @see {@link https://kep.k8s.io/1880 | KEP-1880} */
import type { IPAddress, ParentReference } from '../../gen/types/networking-v1beta1.ts';
import { required } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { isDns1123Subdomain, isPathSegmentName } from '../../../machinery/formats/names.ts';
import { parseStrictAddress } from '../../../machinery/formats/strict-addresses.ts';
import { checkFormat, checkImmutable } from '../../meta/checks.ts';
import type { NameRule } from '../../meta/name-rules.ts';
import { validateBuiltInMeta, validateBuiltInMetaUpdate } from '../../meta/object-meta.ts';
import { ageCell } from '../../table/cells.ts';
import { shownStruct } from '../../shown-struct.ts';

const parentPath = FieldPath.of('spec', 'parentRef');

/** The name is the address. */
const addressName: NameRule = (name) => {
  const address = parseStrictAddress(name);
  if (!address.ok) return [address.problem];
  return address.text === name ? [] : ['must be a canonical format IP address'];
};

export function validateIpAddress({ metadata, spec: { parentRef } }: IPAddress): FieldErrors {
  const errors = validateBuiltInMeta(metadata, { namespaced: false, validateName: addressName });
  if (parentRef === undefined) errors.push(required(parentPath));
  else checkParent(parentRef, parentPath, errors);
  return errors;
}

export function validateIpAddressUpdate(address: IPAddress, old: IPAddress): FieldErrors {
  const errors = validateBuiltInMetaUpdate(address.metadata, old.metadata);
  checkImmutable(address.spec.parentRef, old.spec.parentRef, parentPath, errors, (parent: ParentReference) =>
    shownStruct('networking/v1beta1.ParentReference', parent),
  );
  return errors;
}

function checkParent(
  { group = '', resource = '', namespace = '', name = '' }: ParentReference,
  path: FieldPath,
  errors: FieldErrors,
): void {
  // The core group has no name.
  if (group !== '') checkFormat(isDns1123Subdomain, group, path.child('group'), errors);
  checkSegment(resource, path.child('resource'), errors);
  checkSegment(name, path.child('name'), errors);
  if (namespace !== '') checkFormat(isPathSegmentName, namespace, path.child('namespace'), errors);
}

function checkSegment(text: string, path: FieldPath, errors: FieldErrors): void {
  if (text === '') errors.push(required(path));
  else checkFormat(isPathSegmentName, text, path, errors);
}

/** One cell more than there are columns, as upstream has it. */
export const ipAddressCells = ({ metadata, spec }: IPAddress, now: Date): string[] => [
  metadata.name ?? '',
  parentCell(spec.parentRef),
  ageCell(metadata.creationTimestamp, now),
];

function parentCell(parent: ParentReference | undefined): string {
  if (parent === undefined) return '<none>';
  const { group = '', resource = '', namespace = '', name = '' } = parent;
  return [
    `${resource}${group === '' ? '' : `.${group}`}`.toLowerCase(),
    ...(namespace === '' ? [] : [namespace]),
    name,
  ].join('/');
}
