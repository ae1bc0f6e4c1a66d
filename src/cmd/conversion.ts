/** The encodings that `orch convert` can print. */
export const conversionFormats = ['json', 'yaml', 'protobuf'] as const;
export type ConversionFormat = (typeof conversionFormats)[number];

/**
 * Finds out by itself whether the value is protobuf with its envelope, JSON or YAML, and of which type. Rejects with an
 * error whose message says what is wrong with the value.
 */
export type ConvertValue = (value: Uint8Array, to: ConversionFormat) => Promise<Uint8Array>;
