/**
 * The server's side of an HTTP/2 connection, over a socket that speaks TLS already.
 *
 * Why not `node:http2`: its streams, header objects and callbacks were a third of what reading an object costs this
 * server, and half of what delivering a watch event does (docs/performance.md). Here everything that is sent in one
 * tick of the event loop leaves in one write, and a stream is one small object.
 *
 * Left out, because no client of this server asks for it: push, priorities, compression state for answers, extended
 * CONNECT.
 *
 * What a client can cause is bounded: streams and requests in work by `maxStreams`, header blocks by
 * `maxHeaderListBytes`, bodies that were not read yet by the windows, frames without effect by token buckets. A client
 * that does not take its responses is not read any further; of each response at most one piece is buffered here, and
 * for a bounded time.
 *
 * One file because every frame reads or changes the state that they share: streams, windows, the write buffer, the end.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9113 | RFC 9113}
 */
import type { Duplex } from 'node:stream';
import { unlimited } from '../../base/memory-quota.ts';
import type { Usage } from '../../base/evicting-quota.ts';
import { FrameReader } from '../frame-reader.ts';
import type { FrameSink } from '../frame-reader.ts';
import {
  ErrorCode,
  Flag,
  FrameType,
  connectionPreface,
  defaultMaxFrameBytes,
  defaultWindowBytes,
  frame,
  maxWindowBytes,
  priorityBytes,
  uint32,
} from '../frames.ts';
import { ConnectionError, HeaderBlocks, unpad } from '../header-blocks.ts';
import type { HeaderBlock } from '../header-blocks.ts';
import { HpackDecoder } from '../hpack/decoder.ts';
import type { WriteBuffer } from '../write-buffer.ts';
import { ResponseScheduler, maxBacklogBytes } from './response-scheduler.ts';
import { changedSettings, type ClientSettings } from './client-settings.ts';
import type { ServerConnectionOptions } from './connection-options.ts';
import { countedWriteBuffer } from './counted-write-buffer.ts';
import { checkPing, checkSettings, prefaceLength } from './frame-checks.ts';
import { closeLingering } from './lingering-close.ts';
import { IdleTimer } from './idle-timer.ts';
import { ReceiveWindow } from './receive-window.ts';
import { RecentStreams } from './recent-streams.ts';
import { refuse } from './refuse.ts';
import { areTrailers, checkRequest, tooLarge } from './request-fields.ts';
import { serverSettings } from './server-settings.ts';
import { StalledStreams } from './stalled-streams.ts';
import { ServerStream, type StreamOwner } from './stream.ts';
import { FloodLimits } from './flood-limits.ts';

/** A table of this size is what a client may assume (RFC 7541, section 4.2). */
const headerTableBytes = 4096;
/** With so much waiting, small frames mostly, the client is not read until it takes some. */
const pausingBacklogBytes = 2 * maxBacklogBytes;
/** Of the strings and what refers to them. */
const bytesOfField = 32;

export class ServerConnection implements StreamOwner {
  readonly #socket: Duplex;
  readonly #options: ServerConnectionOptions;
  readonly #writeBuffer: WriteBuffer;
  readonly #responses: ResponseScheduler;
  readonly #reader: FrameReader;
  readonly #headerBlocks: HeaderBlocks<string[] | undefined>;
  readonly #streams = new Map<number, ServerStream>();
  readonly #brokenOff = new RecentStreams();
  readonly #floodLimits = new FloodLimits();
  #prefaceLeft: Buffer = connectionPreface;
  #hasSettings = false;
  #lastStreamId = 0;
  /** What GOAWAY said. */
  #lastServed: number | undefined;
  #requestsInWork = 0;
  /** What the client takes of a stream that begins, and of a frame. */
  #settings: ClientSettings = { streamWindow: defaultWindowBytes, maxFrameBytes: defaultMaxFrameBytes };
  readonly #receiveWindow: ReceiveWindow;
  readonly #stalls: StalledStreams;
  readonly #headUsage: Usage | undefined;
  #leaving = false;
  #ended = false;
  #dropRest: (bytes: number) => void = () => undefined;
  readonly #idleTimer: IdleTimer;
  #leaveTimer: NodeJS.Timeout | undefined;

  constructor(socket: Duplex, options: ServerConnectionOptions) {
    this.#socket = socket;
    this.#options = options;
    const { memory } = options;
    const destroy = (): void => this.#destroy();
    const backlog = memory?.answers.track({ evict: destroy, progress: () => this.#writeBuffer.progress });
    this.#writeBuffer = countedWriteBuffer(socket, backlog);
    this.#headUsage = memory?.heads.track({ evict: destroy });
    this.#responses = new ResponseScheduler(this.#writeBuffer, (stream) => this.#localEnd(stream), memory?.answers);
    this.#receiveWindow = new ReceiveWindow(this.#writeBuffer, options.connectionWindowBytes);
    this.#stalls = new StalledStreams({
      stallMs: options.stallMs,
      streams: this.#streams,
      answers: this.#responses,
      writeBuffer: this.#writeBuffer,
      onStalledStream: (stream) => this.reset(stream, ErrorCode.cancel),
      onStalledConnection: destroy,
    });
    const decoder = new HpackDecoder({ tableBytes: headerTableBytes, maxListBytes: options.maxHeaderListBytes });
    this.#headerBlocks = new HeaderBlocks((block) => decoder.decode(block), 2 * options.maxHeaderListBytes);
    this.#reader = new FrameReader(this.#sink(), defaultMaxFrameBytes);
    this.#idleTimer = new IdleTimer(options.idleMs, this.#streams, () => this.leave());
    socket.on('data', (chunk: Buffer) => this.#onSocketData(chunk));
    socket.on('drain', () => this.#onSocketDrain());
    socket.on('error', () => this.#end());
    socket.on('close', () => {
      backlog?.set(0);
      this.#end();
    });
    this.#writeBuffer.append(frame(FrameType.settings, 0, 0, serverSettings(options)));
    this.#receiveWindow.announce();
  }

  get activeStreams(): number {
    return this.#streams.size;
  }

  /** Takes no further request, and ends when those that came are answered. */
  leave(): void {
    if (this.#leaving) return;
    this.#leaving = true;
    this.#sayGoAway(ErrorCode.noError);
    this.#leaveTimer = setTimeout(() => this.#hangUp(), this.#options.leaveMs).unref();
    this.#endIfLeft();
  }

  // ── answers ──

  sendHeaders(
    stream: ServerStream,
    status: number,
    fields: Iterable<readonly [name: string, value: string]>,
    end: boolean,
  ): void {
    this.#responses.sendHeaders(stream, status, fields, end);
  }

  transmit(stream: ServerStream): void {
    this.#responses.transmit(stream);
  }

  #onSocketDrain(): void {
    this.#socket.resume();
    this.#responses.goOn();
  }

  // ── ends ──

  reset(stream: ServerStream, code: number): void {
    this.#breakOff(stream.id, code);
    this.#remove(stream);
  }

  #breakOff(streamId: number, code: number): void {
    this.#writeBuffer.append(frame(FrameType.rstStream, 0, streamId, uint32(code)));
    this.#brokenOff.add(streamId);
  }

  /** All of the answer is sent. */
  #localEnd(stream: ServerStream): void {
    // The rest of a body that is not needed (RFC 9113, section 8.1).
    if (!stream.remoteEnded) this.reset(stream, ErrorCode.noError);
    else this.#remove(stream);
  }

  #remove(stream: ServerStream): void {
    if (!this.#streams.delete(stream.id)) return;
    this.#responses.forget(stream);
    if (this.#streams.size === 0) this.#idleTimer.begin();
    this.dropped(stream.close());
    this.#endIfLeft();
  }

  #endIfLeft(): void {
    if (this.#leaving && this.#streams.size === 0) this.#hangUp();
  }

  #sayGoAway(code: number): void {
    // What was said once stays (RFC 9113, section 6.8).
    this.#lastServed ??= this.#lastStreamId;
    this.#writeBuffer.append(frame(FrameType.goAway, 0, 0, Buffer.concat([uint32(this.#lastServed), uint32(code)])));
  }

  /** Behind what there is to say. */
  #hangUp(): void {
    if (this.#ended) return;
    this.#reader.stop();
    this.#writeBuffer.flush();
    this.#dropRest = closeLingering(this.#socket, {
      patienceMs: this.#options.idleMs,
      underWayBytes: 2 * this.#options.connectionWindowBytes,
    });
    this.#end();
  }

  /** Without a GOAWAY. */
  #destroy(): void {
    this.#socket.destroy();
    this.#end();
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#leaving = true;
    this.#reader.stop();
    this.#idleTimer.stop();
    clearTimeout(this.#leaveTimer);
    this.#stalls.stop();
    this.#headUsage?.set(0);
    for (const stream of this.#streams.values()) {
      this.#responses.forget(stream);
      stream.close();
    }
    this.#streams.clear();
  }

  /** A connection error (RFC 9113, section 5.4.1). */
  #fail(code: number): void {
    this.#leaving = true;
    this.#sayGoAway(code);
    this.#hangUp();
  }

  // ── requests ──

  #onSocketData(chunk: Buffer): void {
    if (this.#ended) return this.#dropRest(chunk.length);
    try {
      this.#reader.push(this.#prefaceLeft.length === 0 ? chunk : this.#withoutPreface(chunk));
    } catch (error) {
      this.#fail(error instanceof ConnectionError ? error.code : ErrorCode.internalError);
    }
    if (this.#writeBuffer.backlog >= pausingBacklogBytes) this.#socket.pause();
  }

  #withoutPreface(chunk: Buffer): Buffer {
    const length = prefaceLength(this.#prefaceLeft, chunk);
    this.#prefaceLeft = this.#prefaceLeft.subarray(length);
    return chunk.subarray(length);
  }

  #sink(): FrameSink {
    return {
      dataStart: (streamId, length) => this.#onDataStart(streamId, length),
      dataPiece: (streamId, piece) => this.#onDataPiece(streamId, piece),
      dataEnd: (streamId, endStream) => void (endStream && this.#onBodyEnd(streamId)),
      frame: (type, flags, streamId, payload) => this.#onFrame(type, flags, streamId, payload),
      oversized: (type, length) => {
        throw new ConnectionError(ErrorCode.frameSizeError, `frame of type ${type} with ${length} bytes`);
      },
    };
  }

  #onFrame(type: number, flags: number, streamId: number, payload: Buffer): void {
    if (this.#headerBlocks.incomplete && type !== FrameType.continuation)
      throw new ConnectionError(ErrorCode.protocolError, 'a header block was interrupted');
    // RFC 9113, section 3.4
    if (!this.#hasSettings && (type !== FrameType.settings || flags & Flag.ack))
      throw new ConnectionError(ErrorCode.protocolError, 'the first frame is not SETTINGS');
    switch (type) {
      case FrameType.data:
        return this.#onPaddedData(flags, streamId, payload);
      case FrameType.headers:
        if (streamId % 2 === 0) throw new ConnectionError(ErrorCode.protocolError, 'HEADERS on a stream of ours');
        return this.#onHeaders(this.#headerBlocks.headers(flags, streamId, payload));
      case FrameType.continuation:
        return this.#onHeaders(this.#headerBlocks.continuation(flags, streamId, payload));
      case FrameType.priority:
        return this.#onPriority(streamId, payload);
      case FrameType.rstStream:
        return this.#onReset(streamId, payload);
      case FrameType.settings:
        return this.#onSettings(flags, streamId, payload);
      case FrameType.ping:
        return this.#onPing(flags, streamId, payload);
      case FrameType.goAway:
        if (streamId !== 0) throw new ConnectionError(ErrorCode.protocolError, 'GOAWAY on a stream');
        if (payload.length < 8) throw new ConnectionError(ErrorCode.frameSizeError, 'GOAWAY of odd length');
        this.#floodLimits.spend();
        return this.leave();
      case FrameType.windowUpdate:
        return this.#onWindowUpdate(streamId, payload);
      case FrameType.pushPromise:
        throw new ConnectionError(ErrorCode.protocolError, 'push from a client');
      default:
        // Unknown frames are to be ignored (RFC 9113, section 4.1).
        this.#floodLimits.spend();
    }
  }

  #onHeaders(block: HeaderBlock<string[] | undefined> | undefined): void {
    this.#headUsage?.set(this.#headerBlocks.pendingBytes);
    if (block === undefined) return;
    const { streamId, headers: fields, endStream, bytes } = block;
    const open = this.#streams.get(streamId);
    if (open !== undefined) return this.#onTrailers(open, fields, endStream);
    if (streamId <= this.#lastStreamId) {
      if (this.#brokenOff.has(streamId)) return;
      throw new ConnectionError(ErrorCode.protocolError, 'a stream that is over begins again');
    }
    this.#lastStreamId = streamId;
    // The client will hear, or has heard, that this one is not looked at.
    if (this.#leaving) return this.#brokenOff.add(streamId);
    // A request that was reset counts until its handler has ended: opening and resetting streams does not evade the
    // limit.
    if (this.#streams.size >= this.#options.maxStreams || this.#requestsInWork >= 2 * this.#options.maxStreams)
      return this.#breakOff(streamId, ErrorCode.refusedStream);
    this.#open(streamId, fields, endStream, bytes);
  }

  #open(streamId: number, fields: string[] | undefined, endStream: boolean, blockBytes: number): void {
    const head = fields === undefined ? { bodyBytes: undefined, refusal: tooLarge } : checkRequest(fields);
    if (head === undefined || (endStream && (head.bodyBytes ?? 0) > 0))
      return this.#failStream(streamId, ErrorCode.protocolError);
    const windows = { send: this.#settings.streamWindow, receive: this.#options.streamWindowBytes };
    const reservation = endStream ? unlimited : (this.#options.memory?.bodies.open() ?? unlimited);
    const headBytes = blockBytes + bytesOfField * (fields?.length ?? 0);
    const stream = new ServerStream(this, {
      id: streamId,
      fields: fields ?? [],
      headBytes,
      endStream,
      bodyBytes: head.bodyBytes,
      windows,
      reservation,
    });
    this.#streams.set(streamId, stream);
    this.#stalls.look();
    if (head.refusal !== undefined) return refuse(stream, head.refusal);
    this.#requestsInWork++;
    void this.#options.onRequest(stream).then(() => {
      this.#requestsInWork--;
      reservation.close();
    });
  }

  #onTrailers(stream: ServerStream, fields: string[] | undefined, endStream: boolean): void {
    if (stream.remoteEnded) return this.#failStream(stream.id, ErrorCode.streamClosed);
    if (!endStream || fields === undefined || !areTrailers(fields))
      return this.#failStream(stream.id, ErrorCode.protocolError);
    this.#onBodyEnd(stream.id);
  }

  #onDataStart(streamId: number, length: number): void {
    if (this.#headerBlocks.incomplete)
      throw new ConnectionError(ErrorCode.protocolError, 'a header block was interrupted');
    if (this.#isIdle(streamId)) throw new ConnectionError(ErrorCode.protocolError, 'DATA on a stream that is not open');
    this.#receiveWindow.use(length);
    if (length === 0) this.#floodLimits.spend();
    const stream = this.#streams.get(streamId);
    if (stream === undefined) {
      if (!this.#brokenOff.has(streamId)) this.#failStream(streamId, ErrorCode.streamClosed);
    } else if (stream.remoteEnded) this.#failStream(streamId, ErrorCode.streamClosed);
    else if ((stream.receiveWindow -= length) < 0) this.#failStream(streamId, ErrorCode.flowControlError);
  }

  #onDataPiece(streamId: number, piece: Buffer): void {
    // All padding: no window bounds what would be kept of it.
    if (piece.length === 0) return;
    const stream = this.#streams.get(streamId);
    if (stream === undefined) return this.dropped(piece.length);
    if (stream.bodyLeft !== undefined && (stream.bodyLeft -= piece.length) < 0) {
      this.dropped(piece.length);
      return this.#failStream(streamId, ErrorCode.protocolError);
    }
    stream.receive(piece);
  }

  #onPaddedData(flags: number, streamId: number, payload: Buffer): void {
    const data = unpad(flags, payload);
    this.#onDataStart(streamId, payload.length);
    const stream = this.#streams.get(streamId);
    const padding = payload.length - data.length;
    if (data.length === 0) this.#floodLimits.spend();
    if (stream === undefined) this.dropped(padding);
    else this.took(stream, padding);
    this.#onDataPiece(streamId, data);
    if (flags & Flag.endStream) this.#onBodyEnd(streamId);
  }

  #onBodyEnd(streamId: number): void {
    this.#floodLimits.bodyEnded();
    const stream = this.#streams.get(streamId);
    if (stream === undefined) return;
    // Less than announced is a malformed request (RFC 9113, section 8.1.1).
    if ((stream.bodyLeft ?? 0) > 0) return this.#failStream(streamId, ErrorCode.protocolError);
    stream.receivedAll();
  }

  took(stream: ServerStream, bytes: number): void {
    // Also when the reader of these bytes has closed the stream.
    this.dropped(bytes);
    stream.unannounced += bytes;
    if (stream.closed || stream.remoteEnded || stream.unannounced < this.#options.streamWindowBytes / 2) return;
    this.#writeBuffer.append(frame(FrameType.windowUpdate, 0, stream.id, uint32(stream.unannounced)));
    stream.receiveWindow += stream.unannounced;
    stream.unannounced = 0;
  }

  dropped(bytes: number): void {
    if (!this.#ended) this.#receiveWindow.credit(bytes);
  }

  #onPriority(streamId: number, payload: Buffer): void {
    if (streamId === 0) throw new ConnectionError(ErrorCode.protocolError, 'PRIORITY of the connection');
    if (payload.length === priorityBytes) return this.#floodLimits.spend();
    if (this.#isIdle(streamId)) throw new ConnectionError(ErrorCode.frameSizeError, 'PRIORITY of odd length');
    this.#failStream(streamId, ErrorCode.frameSizeError);
  }

  #onReset(streamId: number, payload: Buffer): void {
    if (this.#isIdle(streamId))
      throw new ConnectionError(ErrorCode.protocolError, 'RST_STREAM on a stream that is not open');
    if (payload.length !== 4) throw new ConnectionError(ErrorCode.frameSizeError, 'RST_STREAM of odd length');
    const stream = this.#streams.get(streamId);
    if (stream === undefined) return this.#floodLimits.spend();
    this.#floodLimits.reset();
    this.#remove(stream);
  }

  #onSettings(flags: number, streamId: number, payload: Buffer): void {
    checkSettings(flags, streamId, payload);
    this.#hasSettings = true;
    this.#floodLimits.spend();
    if (flags & Flag.ack) return;
    const before = this.#settings;
    this.#settings = changedSettings(payload, before);
    this.#responses.maxFrameBytes = this.#settings.maxFrameBytes;
    // Before anything that they allow: until it hears this the client holds us to what was.
    this.#writeBuffer.append(frame(FrameType.settings, Flag.ack, 0, nothing));
    this.#widenAll(this.#settings.streamWindow - before.streamWindow);
  }

  /** RFC 9113, section 6.9.2: a change applies to open streams too, and can make a window negative. */
  #widenAll(bytes: number): void {
    if (bytes === 0) return;
    this.#floodLimits.spend(this.#streams.size);
    for (const stream of [...this.#streams.values()]) {
      if (stream.sendWindow + bytes > maxWindowBytes)
        throw new ConnectionError(ErrorCode.flowControlError, 'window too large');
      this.#widen(stream, bytes);
    }
  }

  #onPing(flags: number, streamId: number, payload: Buffer): void {
    checkPing(streamId, payload);
    if (flags & Flag.ack) return this.#floodLimits.spend();
    this.#writeBuffer.append(frame(FrameType.ping, Flag.ack, 0, payload));
  }

  #onWindowUpdate(streamId: number, payload: Buffer): void {
    if (payload.length !== 4) throw new ConnectionError(ErrorCode.frameSizeError, 'WINDOW_UPDATE of odd length');
    const increment = payload.readUInt32BE(0) & maxWindowBytes;
    this.#floodLimits.windowOpened(this.#responses.framesSent);
    if (streamId === 0) {
      if (increment === 0) throw new ConnectionError(ErrorCode.protocolError, 'WINDOW_UPDATE by nothing');
      return this.#responses.widen(increment);
    }
    if (this.#isIdle(streamId))
      throw new ConnectionError(ErrorCode.protocolError, 'WINDOW_UPDATE on a stream that is not open');
    if (increment === 0) return this.#failStream(streamId, ErrorCode.protocolError);
    const stream = this.#streams.get(streamId);
    if (stream !== undefined) this.#widen(stream, increment);
  }

  #widen(stream: ServerStream, bytes: number): void {
    stream.sendWindow += bytes;
    if (stream.sendWindow > maxWindowBytes) return this.#failStream(stream.id, ErrorCode.flowControlError);
    this.#responses.takeTurn(stream);
  }

  /** Not begun, or not for the client to begin: neither can be reset. */
  #isIdle(streamId: number): boolean {
    return streamId % 2 === 0 || streamId > this.#lastStreamId;
  }

  /** A stream error (RFC 9113, section 5.4.2). */
  #failStream(streamId: number, code: number): void {
    this.#floodLimits.reset();
    const stream = this.#streams.get(streamId);
    if (stream !== undefined) this.reset(stream, code);
    else if (!this.#brokenOff.has(streamId)) this.#breakOff(streamId, code);
  }
}

const nothing = Buffer.alloc(0);
