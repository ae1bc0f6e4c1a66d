/** Of some answers the managed fields were left out of the recording. */
export function withoutUnrecorded(body: unknown, expected: unknown): unknown {
  const metadataOf = (value: unknown): object | undefined => (value as { metadata?: object } | undefined)?.metadata;
  const [metadata, recorded] = [metadataOf(body), metadataOf(expected)];
  if (metadata === undefined || recorded === undefined || 'managedFields' in recorded) return body;
  const { managedFields: _, ...rest } = metadata as { readonly managedFields?: unknown };
  return { ...(body as object), metadata: rest };
}
