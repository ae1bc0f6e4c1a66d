/** The other side does not keep to the protocol, or the connection broke. The connection ends. */
export class SpdyError extends Error {}

/** The other side ended one stream. */
export class StreamReset extends Error {
  /** RST_STREAM status codes (section 2.6.3). */
  readonly status: number;

  constructor(status: number) {
    super(`the stream was reset with status ${status}`);
    this.status = status;
  }
}
