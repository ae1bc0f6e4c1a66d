/** Frames of SPDY/3.1 (section 2.6), as they are written. */
const version = 3;

export const frameTypes = {
  synStream: 1,
  synReply: 2,
  rstStream: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  headers: 8,
  windowUpdate: 9,
} as const;

export const flagFin = 0x01;

/** Status codes of RST_STREAM (section 2.6.3). */
export const resetStatus = {
  protocolError: 1,
  invalidStream: 2,
  refusedStream: 3,
  cancel: 5,
  flowControlError: 7,
} as const;

export const goAwayStatus = { ok: 0, protocolError: 1 } as const;

/** SETTINGS_INITIAL_WINDOW_SIZE (section 2.6.4). */
export const settingsInitialWindow = 7;

/** What a stream may send before the other side has said more (section 2.6.8). */
export const initialWindowBytes = 64 * 1024;

function control(type: number, flags: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt16BE(0x8000 | version, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt32BE(flags * 0x1000000 + payload.length, 4);
  return Buffer.concat([head, payload]);
}

function numbers(...values: number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, i) => bytes.writeUInt32BE(value, 4 * i));
  return bytes;
}

export const synStream = (id: number, fin: boolean, block: Buffer): Buffer =>
  control(frameTypes.synStream, fin ? flagFin : 0, Buffer.concat([numbers(id, 0), Buffer.alloc(2), block]));

export const synReply = (id: number, fin: boolean, block: Buffer): Buffer =>
  control(frameTypes.synReply, fin ? flagFin : 0, Buffer.concat([numbers(id), block]));

export const rstStream = (id: number, status: number): Buffer => control(frameTypes.rstStream, 0, numbers(id, status));

export const ping = (id: number): Buffer => control(frameTypes.ping, 0, numbers(id));

export const goAway = (lastId: number, status: number): Buffer =>
  control(frameTypes.goAway, 0, numbers(lastId, status));

export const windowUpdate = (id: number, delta: number): Buffer =>
  control(frameTypes.windowUpdate, 0, numbers(id, delta));

/** The head of a data frame; the data comes behind it. */
export function dataHead(id: number, fin: boolean, length: number): Buffer {
  return numbers(id, (fin ? flagFin : 0) * 0x1000000 + length);
}
