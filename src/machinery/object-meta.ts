import type { JsonObject, JsonValue } from './value.ts';

/**
 * Standard metadata of every object, as JSON. @see {@link
 * https://kubernetes.io/docs/reference/generated/kubernetes-api/v1.32/#objectmeta-v1-meta | ObjectMeta}
 */
export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  selfLink?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number | bigint;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number | bigint;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: ManagedFieldsEntry[];
}

export interface OwnerReference {
  apiVersion?: string;
  kind?: string;
  name?: string;
  uid?: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

export interface ManagedFieldsEntry {
  manager?: string;
  operation?: string;
  apiVersion?: string;
  time?: string;
  fieldsType?: string;
  fieldsV1?: JsonValue;
  subresource?: string;
}

/** Any object of the API: what generic code may know of it. Typed interfaces of `api/gen` are assignable to it. */
export interface KubeObject {
  apiVersion?: string;
  kind?: string;
  metadata?: ObjectMeta;
}

/** The object as a plain JSON object, for code driven by the schema. */
export const asJson = (object: KubeObject): JsonObject => object as JsonObject;

/** The metadata, made when missing. */
export function metaOf(object: KubeObject): ObjectMeta {
  object.metadata ??= {};
  return object.metadata;
}
