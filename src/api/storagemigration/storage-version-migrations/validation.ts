/** Rules of migrations of stored objects. @see {@link https://kep.k8s.io/4192 | KEP-4192} */
import type { MigrationCondition, StorageVersionMigration } from '../../gen/types/storagemigration-v1alpha1.ts';
import { forbidden, invalid, required } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { checkImmutable } from '../../meta/checks.ts';
import { subdomainName } from '../../meta/name-rules.ts';
import { validateBuiltInMeta, validateBuiltInMetaUpdate } from '../../meta/object-meta.ts';

const resourcePath = FieldPath.of('spec', 'resource');
const conditionsPath = FieldPath.of('status', 'conditions');

export function validateMigration(migration: StorageVersionMigration): FieldErrors {
  const errors = validateBuiltInMeta(migration.metadata, { namespaced: false, validateName: subdomainName });
  const { resource = '', version = '' } = migration.spec?.resource ?? {};
  if (resource === '') errors.push(required(resourcePath.child('resource'), 'resource is required'));
  if (version === '') errors.push(required(resourcePath.child('version'), 'version is required'));
  return errors;
}

export function validateMigrationUpdate(migration: StorageVersionMigration, old: StorageVersionMigration): FieldErrors {
  const errors = validateBuiltInMetaUpdate(migration.metadata, old.metadata);
  const [now, before] = [migration.spec?.resource ?? {}, old.spec?.resource ?? {}];
  for (const member of ['group', 'version', 'resource'] as const)
    checkImmutable(now[member], before[member], resourcePath.child(member), errors);
  return errors;
}

/** A migration that has ended, ended one way; its resource version does not change once it has one. */
export function validateMigrationStatus(migration: StorageVersionMigration, old: StorageVersionMigration): FieldErrors {
  const errors = validateBuiltInMetaUpdate(migration.metadata, old.metadata);
  const { conditions = [], resourceVersion = '' } = migration.status ?? {};
  const before = old.status?.resourceVersion ?? '';
  const at = FieldPath.of('status', 'resourceVersion');
  if (resourceVersion !== '' && !/^\d+$/.test(resourceVersion))
    errors.push(invalid(at, resourceVersion, 'resource version is not well formed'));
  if (before !== '' && before !== resourceVersion) errors.push(invalid(at, resourceVersion, 'field is immutable'));
  conditions.forEach((condition, i) => {
    const path = conditionsPath.index(i);
    if ((condition.type ?? '') === '') errors.push(required(path.child('type')));
    if ((condition.status ?? '') === '') errors.push(required(path.child('status')));
  });
  const holds = (type: string, of: readonly MigrationCondition[] = conditions): boolean =>
    of.some((condition) => condition.type === type && condition.status === 'True');
  if (holds('Succeeded') && holds('Failed'))
    errors.push(forbidden(conditionsPath, 'Both success and failed conditions cannot be true at the same time'));
  if (holds('Running') && (holds('Succeeded') || holds('Failed')))
    errors.push(forbidden(conditionsPath, 'Running condition cannot be true when migration has ended'));
  for (const type of ['Succeeded', 'Failed'])
    if (holds(type, old.status?.conditions) && !holds(type))
      errors.push(forbidden(conditionsPath, `${type} condition cannot be set to false once it is true`));
  return errors;
}
