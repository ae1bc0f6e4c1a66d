/** Field ownership: `metadata.managedFields` and server-side apply. */
export { createFieldManager, type ApplyRequest, type ApplyResult, type FieldFilter, type FieldManager, type OwnershipRequest, type UpdateRequest, type VersionSource } from './field-manager.ts';
export { createBuiltInTypes, type BuiltInTypes } from './built-in-types.ts';
export { createCustomType, type CustomTypeOptions } from './structural-types.ts';
export { createJsonForm } from './json-form.ts';
export { keepTimes } from './keep-times.ts';
export { managedFieldsAfterScale, managedFieldsOfScale, type ScaledResource } from './scale.ts';
export type { MergeType } from './merge-type.ts';
