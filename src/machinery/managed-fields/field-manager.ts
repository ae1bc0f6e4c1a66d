/**
 * Managed fields of an object: the one place that writes `metadata.managedFields`.
 *
 * - `update` compares what a create, PUT or patch makes of an object with what was there; the fields that changed go
 *   to its manager. It runs between defaulting and mutating admission: defaults are owned by the client's manager, what
 *   admission adds has no owner.
 * - `apply` merges an applied configuration into the live object (server-side apply).
 *
 * Both take the live object and the new one in the API version of the request: field paths are paths of that
 * version. Neither changes what it is given.
 *
 * @see {@link https://kubernetes.io/docs/reference/using-api/server-side-apply/ | Server-Side Apply}
 */
import type { ManagedFieldsEntry } from '../object-meta.ts';
import type { SchemaRegistry } from '../schema.ts';
import { createBuiltInTypes } from './built-in-types.ts';
import { withoutManagedFields, type MergeType } from './merge-type.ts';
import { encodingOf, type OwnershipRequest } from './request.ts';
import { applyRequest, type ApplyRequest, type ApplyResult } from './server-side-apply.ts';
import { recordUpdate, type UpdateRequest } from './update.ts';
import { Versions } from './versions.ts';

export interface FieldManager {
  /**
   * The managedFields of the object after the change. Where they cannot be told (a list item without its key), it has
   * none, as upstream has it.
   */
  update(request: UpdateRequest): ManagedFieldsEntry[] | undefined;
  /**
   * @throws StatusError 409 with a cause per field that another manager owns, 400 for another type or for
   * managedFields in the configuration, 500 for a configuration that does not fit the type.
   */
  apply(request: ApplyRequest): ApplyResult;
}

export function createFieldManager({ schemas }: { schemas: SchemaRegistry }): FieldManager {
  const types = createBuiltInTypes(schemas);
  /** Types of whole objects: the managed fields themselves are left out. */
  const roots = new Map<string, MergeType>();

  function rootOf(type: string | MergeType): MergeType {
    if (typeof type !== 'string') return type;
    let root = roots.get(type);
    if (root === undefined) {
      root = withoutManagedFields(types.of(type));
      roots.set(type, root);
    }
    return root;
  }

  const versionsOf = (request: OwnershipRequest): Versions =>
    new Versions(
      { apiVersion: request.apiVersion, type: rootOf(request.typeId) },
      request.versions,
      rootOf,
      encodingOf(request),
    );

  return {
    update: (request) => recordUpdate(request, versionsOf(request)),
    apply: (request) => applyRequest(request, versionsOf(request)),
  };
}
