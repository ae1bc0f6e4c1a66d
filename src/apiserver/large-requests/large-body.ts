/**
 * Where the work on a request stops because its body is large: another thread begins it anew.
 *
 * The verbs read bodies before they do anything that could be seen, so that beginning again is no harm.
 */
export class LargeBody extends Error {
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    super('the body is large');
    this.bytes = bytes;
  }
}
