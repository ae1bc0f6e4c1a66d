import { FieldErrors } from '../../machinery/field-errors.ts';
import { FieldPath } from '../../machinery/field-path.ts';
import type { KubeObject } from '../../machinery/object-meta.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../api/meta/object-meta.ts';

const metadata = FieldPath.of('metadata');

/** Names are segments of URLs and keys: `.`, `..`, `/` and `%` are never allowed. */
export function pathSegmentErrors(name: string): string[] {
  if (name === '.' || name === '..') return [`may not be '${name}'`];
  return ['/', '%'].filter((char) => name.includes(char)).map((char) => `may not contain '${char}'`);
}

/** What holds for metadata of every kind, after the kind's own rules. */
export function validatePathSegmentMeta(object: KubeObject, namespaced: boolean): FieldErrors {
  return validateObjectMeta(object.metadata ?? {}, { namespaced, validateName: pathSegmentErrors, path: metadata });
}

/** The same on an update, and what may not change. */
export function validateCommonUpdate(object: KubeObject, old: KubeObject, namespaced: boolean): FieldErrors {
  return FieldErrors.joined(
    validatePathSegmentMeta(object, namespaced),
    validateObjectMetaUpdate(object.metadata ?? {}, old.metadata ?? {}, metadata),
  );
}
