/** Checks of frames that do not depend on the state of the connection. Each throws a ConnectionError. */
import { ErrorCode, Flag } from '../frames.ts';
import { ConnectionError } from '../header-blocks.ts';

/** Bytes of the client's preface in `chunk`, of which `left` is still to come. */
export function prefaceLength(left: Buffer, chunk: Buffer): number {
  const length = Math.min(left.length, chunk.length);
  if (!chunk.subarray(0, length).equals(left.subarray(0, length)))
    throw new ConnectionError(ErrorCode.protocolError, 'another protocol');
  return length;
}

/** RFC 9113, section 6.5. */
export function checkSettings(flags: number, streamId: number, payload: Buffer): void {
  if (streamId !== 0) throw new ConnectionError(ErrorCode.protocolError, 'SETTINGS of a stream');
  if (payload.length % 6 !== 0 || (flags & Flag.ack && payload.length > 0))
    throw new ConnectionError(ErrorCode.frameSizeError, 'SETTINGS of odd length');
}

/** RFC 9113, section 6.7. */
export function checkPing(streamId: number, payload: Buffer): void {
  if (streamId !== 0) throw new ConnectionError(ErrorCode.protocolError, 'PING on a stream');
  if (payload.length !== 8) throw new ConnectionError(ErrorCode.frameSizeError, 'PING of odd length');
}
