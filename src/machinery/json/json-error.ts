/** Text that is no JSON. The message is the one of Go's decoder. */
export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError';
}

/**
 * JSON that does not fit the type. The message is the one of Go's decoder (`json: cannot unmarshal …`, `parsing time
 * …`).
 */
export class JsonTypeError extends Error {
  override readonly name = 'JsonTypeError';
}
