/** What the rows of broken rules begin from, and what they are made of. */
import { Flag, FrameType, frame, uint32 } from '../../frames.ts';
import { encodeHeaders } from '../../hpack/encoder.ts';
import { request } from '../requests.ts';
import type { Fields } from '../client-frames.ts';
import type { ServerConnectionOptions } from '../../server/connection-options.ts';

export const wholeRequest = Flag.endHeaders | Flag.endStream;
export const nothing = Buffer.alloc(0);
/** What a row of the table below finds. */
export const streamIds = {
  /** Open for DATA, and not read. */
  open: 1,
  /** The request is whole, the answer is not: half-closed (remote). */
  halfClosed: 3,
  /** Over in both directions. */
  answered: 5,
  /** Reset by the client. */
  cancelled: 7,
  /** Reset by the server. */
  brokenOff: 9,
  /** Not opened yet; those between were skipped once it is. */
  next: 21,
  probe: 99,
} as const;

export const block = (fields: Fields = request('GET', '/')): Buffer => encodeHeaders(fields);
export const { open, halfClosed, answered, cancelled, brokenOff, next } = streamIds;
export const sized = (type: number, streamId: number, bytes: number): Buffer =>
  frame(type, 0, streamId, Buffer.alloc(bytes));
export const priority = (streamId: number, dependency: number): Buffer =>
  frame(FrameType.priority, 0, streamId, Buffer.concat([uint32(dependency), Buffer.from([15])]));
export const oversize = 16_385;

export interface Row {
  readonly name: string;
  readonly send: readonly Buffer[];
  /** Where the RFC leaves a choice, the one that this server made. */
  readonly expected: string;
  readonly options?: Partial<ServerConnectionOptions>;
}
