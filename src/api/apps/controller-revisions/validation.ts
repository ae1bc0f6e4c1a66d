/** States of a template that a controller keeps to go back to. */
import type { ControllerRevision } from '../../gen/types/apps-v1.ts';
import { required } from '../../../machinery/field-error.ts';
import { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { type GoSyntax, goStruct } from '../../../machinery/go-quote.ts';
import { RawJson } from '../../../machinery/value.ts';
import { checkImmutable, checkNonNegative } from '../../meta/checks.ts';
import { subdomainName } from '../../meta/name-rules.ts';
import { validateBuiltInMeta, validateBuiltInMetaUpdate } from '../../meta/object-meta.ts';

const dataPath = FieldPath.of('data');

export function validateControllerRevision(revision: ControllerRevision): FieldErrors {
  const errors = validateBuiltInMeta(revision.metadata, { namespaced: true, validateName: subdomainName });
  if (revision.data === undefined || revision.data === null) errors.push(required(dataPath, 'data is mandatory'));
  checkNonNegative(revision.revision, FieldPath.of('revision'), errors);
  return errors;
}

export function validateControllerRevisionUpdate(revision: ControllerRevision, old: ControllerRevision): FieldErrors {
  const errors = FieldErrors.joined(
    validateBuiltInMetaUpdate(revision.metadata, old.metadata),
    validateControllerRevision(revision),
  );
  checkImmutable(revision.data, old.data, dataPath, errors, shownData);
  return errors;
}

const shownData = (data: unknown): GoSyntax =>
  goStruct('runtime.RawExtension', data instanceof RawJson ? data.text : data);
