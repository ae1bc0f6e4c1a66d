/** Field ownership: `metadata.managedFields` and server-side apply. */
export { createFieldManager, type FieldManager } from './field-manager.ts';
export type { OwnershipRequest } from './request.ts';
export type { UpdateRequest } from './update.ts';
export type { ApplyRequest, ApplyResult } from './server-side-apply.ts';
export type { FieldFilter, VersionSource } from './versions.ts';
export { createBuiltInTypes, type BuiltInTypes } from './built-in-types.ts';
export { createCustomType, type CustomTypeOptions } from './structural-types.ts';
export { createJsonEncoder } from './json-encoder.ts';
export { keepTimes } from './keep-times.ts';
export { managedFieldsAfterScale, managedFieldsOfScale, type ScaledResource } from './scale.ts';
export type { MergeType } from './merge-type.ts';
