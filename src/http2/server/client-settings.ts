import { ErrorCode, Setting, defaultMaxFrameBytes, maxWindowBytes } from '../frames.ts';
import { ConnectionError } from '../header-blocks.ts';

/** What a client wants of the answers. */
export interface ClientSettings {
  readonly streamWindow: number;
  readonly maxFrameBytes: number;
}

/** RFC 9113, section 6.5.2 */
const largestMaxFrameBytes = 2 ** 24 - 1;

/**
 * Reads the payload of a SETTINGS frame, of whole settings. Throws for values that cannot be. @param before what is not
 * in it stays
 */
export function changedSettings(payload: Buffer, before: ClientSettings): ClientSettings {
  let { streamWindow, maxFrameBytes } = before;
  for (let at = 0; at < payload.length; at += 6) {
    const id = payload.readUInt16BE(at);
    const value = payload.readUInt32BE(at + 2);
    if (id === Setting.enablePush && value > 1)
      throw new ConnectionError(ErrorCode.protocolError, 'ENABLE_PUSH is 0 or 1');
    if (id === Setting.maxFrameSize) {
      if (value < defaultMaxFrameBytes || value > largestMaxFrameBytes)
        throw new ConnectionError(ErrorCode.protocolError, 'MAX_FRAME_SIZE out of range');
      maxFrameBytes = value;
    }
    if (id === Setting.initialWindowSize) {
      if (value > maxWindowBytes) throw new ConnectionError(ErrorCode.flowControlError, 'window too large');
      streamWindow = value;
    }
  }
  return { streamWindow, maxFrameBytes };
}
