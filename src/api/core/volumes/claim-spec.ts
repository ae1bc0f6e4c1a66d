/** What a claim asks of a volume: shared by PersistentVolumeClaim and the templates of claims. */
import type {
  PersistentVolumeClaimSpec,
  PersistentVolumeClaimTemplate,
  TypedObjectReference,
} from '../../gen/types/core-v1.ts';
import { forbidden, invalid, notSupported, required } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';
import { isDns1123Label, isDns1123Subdomain } from '../../../machinery/formats/names.ts';
import { goStruct } from '../../../machinery/go-quote.ts';
import { checkFormat, checkRequiredText } from '../../meta/checks.ts';
import { checkLabelSelector } from '../../meta/label-selector.ts';
import { checkTemplateMeta } from '../../meta/template-meta.ts';
import { checkPositiveAmount } from '../resources/resource-amounts.ts';

/** What depends on gates and on the object before. */
export interface ClaimRules {
  readonly volumeAttributesClass: boolean;
  readonly invalidSelectorValues?: boolean;
  readonly invalidDataSourceGroups?: boolean;
}

export function checkClaimTemplate(
  { metadata, spec }: PersistentVolumeClaimTemplate,
  path: FieldPath,
  errors: FieldErrors,
  rules: ClaimRules,
): void {
  checkTemplateMeta(metadata, path.child('metadata'), errors);
  checkClaimSpec(spec, path.child('spec'), errors, rules);
}

const volumeModes = ['Block', 'Filesystem'];

export function checkClaimSpec(
  spec: PersistentVolumeClaimSpec,
  path: FieldPath,
  errors: FieldErrors,
  rules: ClaimRules,
): void {
  const { accessModes = [], resources, storageClassName = '', volumeMode, volumeAttributesClassName = '' } = spec;
  if (accessModes.length === 0) errors.push(required(path.child('accessModes'), 'at least 1 access mode is required'));
  checkLabelSelector(spec.selector, path.child('selector'), errors, {
    allowInvalidValues: rules.invalidSelectorValues === true,
  });
  checkAccessModes(accessModes, path.child('accessModes'), errors);
  checkStorage(resources.requests?.storage, path.child('resources').key('storage'), errors);
  if (storageClassName !== '')
    checkFormat(isDns1123Subdomain, storageClassName, path.child('storageClassName'), errors);
  if (volumeMode !== undefined && !volumeModes.includes(volumeMode))
    errors.push(notSupported(path.child('volumeMode'), volumeMode, volumeModes));
  checkDataSources(spec, path, errors, rules);
  if (volumeAttributesClassName !== '' && rules.volumeAttributesClass)
    checkFormat(isDns1123Subdomain, volumeAttributesClassName, path.child('volumeAttributesClassName'), errors);
}

export const supportedAccessModes = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];

/** Errors about single modes, and about a mode that must be alone. */
export function checkAccessModes(modes: readonly string[], path: FieldPath, errors: FieldErrors): void {
  for (const mode of modes)
    if (!supportedAccessModes.includes(mode)) errors.push(notSupported(path, mode, supportedAccessModes));
  if (
    modes.includes('ReadWriteOncePod') &&
    modes.some((mode) => mode !== 'ReadWriteOncePod' && supportedAccessModes.includes(mode))
  ) {
    errors.push(forbidden(path, 'may not use ReadWriteOncePod with other access modes'));
  }
}

function checkStorage(storage: string | undefined, path: FieldPath, errors: FieldErrors): void {
  if (storage === undefined) errors.push(required(path));
  else checkPositiveAmount(storage, path, errors);
}

function checkDataSources(
  { dataSource, dataSourceRef }: PersistentVolumeClaimSpec,
  path: FieldPath,
  errors: FieldErrors,
  rules: ClaimRules,
): void {
  if (dataSource !== undefined) checkDataSource(dataSource, path.child('dataSource'), errors, rules);
  if (dataSourceRef === undefined) return;
  checkDataSource(dataSourceRef, path.child('dataSourceRef'), errors, rules);
  const { namespace = '' } = dataSourceRef;
  if (namespace !== '') checkFormat(isDns1123Label, namespace, path.child('dataSourceRef', 'namespace'), errors);
  if (dataSource === undefined) return;
  const shown = goStruct('field.Path', path.child('dataSource').toString());
  if (namespace !== '')
    errors.push(invalid(path, shown, 'may not be specified when dataSourceRef.namespace is specified'));
  else if (!isSameSource(dataSource, dataSourceRef)) errors.push(invalid(path, shown, 'must match dataSourceRef'));
}

const isSameSource = (a: TypedObjectReference, b: TypedObjectReference): boolean =>
  a.apiGroup === b.apiGroup && a.kind === b.kind && a.name === b.name;

function checkDataSource(
  { name, kind = '', apiGroup = '' }: TypedObjectReference,
  path: FieldPath,
  errors: FieldErrors,
  rules: ClaimRules,
): void {
  checkRequiredText(name, path.child('name'), errors);
  checkRequiredText(kind, path.child('kind'), errors);
  if (apiGroup === '') {
    if (kind !== 'PersistentVolumeClaim')
      errors.push(invalid(path, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup"));
  } else if (rules.invalidDataSourceGroups !== true)
    checkFormat(isDns1123Subdomain, apiGroup, path.child('apiGroup'), errors);
}
