/** What `orch convert` asks for, and of whom. */
export const conversionForms = ['json', 'yaml', 'protobuf'] as const;
export type ConversionForm = (typeof conversionForms)[number];

/**
 * Finds out by itself whether the value is protobuf with its envelope, JSON or YAML, and of which type. Throws an error
 * whose message says what is wrong with the value.
 */
export type ConvertValue = (value: Uint8Array, to: ConversionForm) => Uint8Array;
