/**
 * Bytes that are no message of the type: truncated, of another wire type, absurd lengths, nested too deep. Worded as
 * upstream does.
 */
export class DecodeError extends Error {
  override readonly name = 'DecodeError';
}

/** A value that the target encoding cannot represent. */
export class EncodeError extends Error {
  override readonly name = 'EncodeError';
}
