/**
 * HTTP/2 frames: the numbers of the wire and nothing that keeps state.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9113#section-6 | RFC 9113, section 6: frame definitions}
 */

export const frameHeaderBytes = 9;
/** Of PRIORITY, and in HEADERS that have one. */
export const priorityBytes = 5;

export const FrameType = {
  data: 0x0,
  headers: 0x1,
  priority: 0x2,
  rstStream: 0x3,
  settings: 0x4,
  pushPromise: 0x5,
  ping: 0x6,
  goAway: 0x7,
  windowUpdate: 0x8,
  continuation: 0x9,
} as const;

export const Flag = {
  /** Of DATA and HEADERS. */
  endStream: 0x1,
  /** Of SETTINGS and PING. */
  ack: 0x1,
  endHeaders: 0x4,
  padded: 0x8,
  priority: 0x20,
} as const;

export const Setting = {
  headerTableSize: 0x1,
  enablePush: 0x2,
  maxConcurrentStreams: 0x3,
  initialWindowSize: 0x4,
  maxFrameSize: 0x5,
  maxHeaderListSize: 0x6,
} as const;

/** RFC 9113, section 7. */
export const ErrorCode = {
  noError: 0x0,
  protocolError: 0x1,
  internalError: 0x2,
  flowControlError: 0x3,
  settingsTimeout: 0x4,
  streamClosed: 0x5,
  frameSizeError: 0x6,
  refusedStream: 0x7,
  cancel: 0x8,
  compressionError: 0x9,
  connectError: 0xa,
  enhanceYourCalm: 0xb,
  inadequateSecurity: 0xc,
  http11Required: 0xd,
} as const;

export const defaultWindowBytes = 65_535;
export const defaultMaxFrameBytes = 16_384;
export const maxWindowBytes = 0x7fff_ffff;
export const maxStreamId = 0x7fff_ffff;

/** What a client sends first (RFC 9113, section 3.4), before its SETTINGS frame. */
export const connectionPreface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');

/** Writes a frame header at `offset`; nine bytes must be free there. */
export function writeFrameHeader(
  target: Buffer,
  offset: number,
  frame: { length: number; type: number; flags: number; streamId: number },
): void {
  target[offset] = frame.length >>> 16;
  target[offset + 1] = frame.length >>> 8;
  target[offset + 2] = frame.length;
  target[offset + 3] = frame.type;
  target[offset + 4] = frame.flags;
  target.writeUInt32BE(frame.streamId, offset + 5);
}

/** A whole frame with a small payload. */
export function frame(type: number, flags: number, streamId: number, payload: Uint8Array): Buffer {
  const buffer = Buffer.allocUnsafe(frameHeaderBytes + payload.length);
  writeFrameHeader(buffer, 0, { length: payload.length, type, flags, streamId });
  buffer.set(payload, frameHeaderBytes);
  return buffer;
}

export function uint32(value: number): Buffer {
  const buffer = Buffer.allocUnsafe(4);
  buffer.writeUInt32BE(value);
  return buffer;
}

/** The payload of a SETTINGS frame. */
export function settingsPayload(settings: ReadonlyArray<readonly [id: number, value: number]>): Buffer {
  const buffer = Buffer.allocUnsafe(settings.length * 6);
  settings.forEach(([id, value], i) => {
    buffer.writeUInt16BE(id, i * 6);
    buffer.writeUInt32BE(value, i * 6 + 2);
  });
  return buffer;
}
