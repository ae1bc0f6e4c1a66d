import { subdomainName } from '../../api/meta/name-rules.ts';
import { validateBuiltInMeta, validateBuiltInMetaUpdate } from '../../api/meta/object-meta.ts';
import { FieldErrors } from '../../machinery/field-errors.ts';
import type { KubeObject } from '../../machinery/object-meta.ts';
import type { ResourceStrategy } from '../strategy.ts';

/** Rules of a kind that has none of its own: those of metadata, and of a status that only its own endpoint writes. */
export function defaultStrategy(namespaced: boolean): ResourceStrategy {
  const validate = (object: KubeObject): FieldErrors =>
    validateBuiltInMeta(object.metadata ?? {}, { namespaced, validateName: subdomainName });
  const validateUpdate = (object: KubeObject, old: KubeObject): FieldErrors =>
    FieldErrors.joined(validateBuiltInMetaUpdate(object.metadata ?? {}, old.metadata ?? {}), validate(object));
  return { validate, validateUpdate };
}
