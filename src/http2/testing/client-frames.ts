/** Frames of a client, for tests of the HTTP/2 server. */
import { Flag, FrameType, frame, settingsPayload, uint32 } from '../frames.ts';
import { encodeHeaders } from '../hpack/encoder.ts';

export type Fields = ReadonlyArray<readonly [name: string, value: string]>;

export const settings = (...values: ReadonlyArray<readonly [id: number, value: number]>): Buffer =>
  frame(FrameType.settings, 0, 0, settingsPayload(values));

export const windowUpdate = (streamId: number, increment: number): Buffer =>
  frame(FrameType.windowUpdate, 0, streamId, uint32(increment));

export const reset = (streamId: number, code: number): Buffer => frame(FrameType.rstStream, 0, streamId, uint32(code));

export const ping = (text = 'a ping!!'): Buffer => frame(FrameType.ping, 0, 0, Buffer.from(text, 'latin1'));

export const data = (streamId: number, bytes: Buffer | string | number, flags = 0): Buffer =>
  frame(FrameType.data, flags, streamId, typeof bytes === 'number' ? Buffer.alloc(bytes) : Buffer.from(bytes));

export const goAway = (lastStreamId: number, code: number): Buffer =>
  frame(FrameType.goAway, 0, 0, Buffer.concat([uint32(lastStreamId), uint32(code)]));

export const continuation = (streamId: number, block: Uint8Array, flags: number = Flag.endHeaders): Buffer =>
  frame(FrameType.continuation, flags, streamId, block);

/** HEADERS with a whole block, open for a body unless `flags` says otherwise. */
export function headers(streamId: number, fields: Fields | Buffer, flags: number = Flag.endHeaders): Buffer {
  return frame(FrameType.headers, flags, streamId, Buffer.isBuffer(fields) ? fields : encodeHeaders(fields));
}
