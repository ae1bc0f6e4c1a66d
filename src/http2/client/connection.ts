/**
 * An HTTP/2 client connection made for gRPC over a few long-lived connections to known servers.
 *
 * Why not `node:http2`: a call costs three to four times as much with it (docs/adr/0002-etcd-client.md). Requests have
 * constant header blocks, everything that is sent in one tick of the event loop leaves in one write, and nothing is
 * allocated for events and streams that are not used.
 *
 * Left out, because a gRPC client does not need it: server push (refused by SETTINGS), priorities, a dynamic header
 * table (see hpack/stateless.ts), informational answers.
 *
 * One file because every frame reads or changes the state that they share: streams, windows, the write buffer, the end.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9113 | RFC 9113}
 */
import type { Duplex } from 'node:stream';
import type { Clock } from '../../base/clock.ts';
import { ClientStream } from './client-stream.ts';
import type { StreamOwner } from './client-stream.ts';
import { FrameReader } from '../frame-reader.ts';
import type { FrameSink } from '../frame-reader.ts';
import {
  ErrorCode,
  Flag,
  FrameType,
  Setting,
  connectionPreface,
  defaultMaxFrameBytes,
  defaultWindowBytes,
  frame,
  frameHeaderBytes,
  maxStreamId,
  maxWindowBytes,
  settingsPayload,
  uint32,
  writeFrameHeader,
} from '../frames.ts';
import { ConnectionError, HeaderBlocks, unpad } from '../header-blocks.ts';
import type { HeaderBlock } from '../header-blocks.ts';
import { HeaderDecoder } from '../hpack/stateless.ts';
import type { Headers } from '../hpack/stateless.ts';
import { Keepalive } from './keepalive.ts';
import { WriteBuffer } from '../write-buffer.ts';
import { readableSocketError } from './socket-error.ts';
import { Http2Error } from './stream.ts';
import type { Http2Stream, StreamHandler } from './stream.ts';

export interface ConnectionOptions {
  readonly clock: Clock;
  /** Bytes that the peer may send on one stream ahead of what was taken. */
  readonly streamWindowBytes: number;
  /** A connection that carries streams and was silent for so long is asked whether it still lives. */
  readonly keepaliveMs: number;
  /** A connection that leaves that question unanswered for so long is dead. */
  readonly keepaliveTimeoutMs: number;
  /** Where stream numbers begin; anything but 1 is for tests, which cannot wait until they run out. */
  readonly firstStreamId?: number;
  /** Told once, when no further stream can be opened: the connection failed, or the peer said GOAWAY. */
  readonly onDraining?: (reason: Error) => void;
}

const connectionWindowBytes = 64 * 1024 * 1024;
const maxHeaderBlockBytes = 256 * 1024;

export class Http2Connection implements StreamOwner {
  readonly #socket: Duplex;
  readonly #options: ConnectionOptions;
  readonly #writeBuffer: WriteBuffer;
  readonly #reader: FrameReader;
  readonly #headerBlocks: HeaderBlocks<Headers>;
  readonly #keepalive: Keepalive;
  readonly #streams = new Map<number, ClientStream>();
  /** Streams beyond the peer's limit, in order. */
  readonly #waiting = new Set<ClientStream>();
  /** Streams with data that flow control holds back, in order. */
  readonly #blocked = new Set<ClientStream>();
  readonly ready: Promise<void>;
  #settle!: { resolve: () => void; reject: (reason: Error) => void };
  #nextStreamId: number;
  /** Streams below this one may have reached the peer. */
  #flushedStreamId: number;
  #peer = { maxStreams: Infinity, maxFrameBytes: defaultMaxFrameBytes, streamWindowBytes: defaultWindowBytes };
  #sendWindow = defaultWindowBytes;
  #receivedBytes = 0;
  #closed: Error | undefined;
  #draining = false;

  constructor(socket: Duplex, options: ConnectionOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#nextStreamId = options.firstStreamId ?? 1;
    this.#flushedStreamId = this.#nextStreamId;
    this.#writeBuffer = new WriteBuffer(socket, { flush: () => (this.#flushedStreamId = this.#nextStreamId) });
    const decoder = new HeaderDecoder();
    this.#headerBlocks = new HeaderBlocks((block) => decoder.decode(block), maxHeaderBlockBytes);
    this.#reader = new FrameReader(this.#sink(), defaultMaxFrameBytes);
    this.#keepalive = new Keepalive({
      ...options,
      inUse: () => this.#streams.size > 0,
      sendPing: (payload) => this.#writeBuffer.append(frame(FrameType.ping, 0, 0, payload)),
      onDead: (reason) => this.destroy(reason),
    });
    this.ready = new Promise((resolve, reject) => (this.#settle = { resolve, reject }));
    this.ready.catch(() => {});
    socket.on('data', (chunk: Buffer) => this.#onSocketData(chunk));
    socket.on('error', (error) => this.destroy(readableSocketError(error)));
    socket.on('close', () => this.destroy(new Error('the peer closed the connection')));
    this.#greet();
  }

  /** No further stream can be opened. */
  get draining(): boolean {
    return this.#draining;
  }

  get activeStreams(): number {
    return this.#streams.size + this.#waiting.size;
  }

  /** How many streams the peer allows at a time. */
  get maxStreams(): number {
    return this.#peer.maxStreams;
  }

  /** Opens a stream. Beyond the peer's limit it is queued. */
  open(headerBlock: Buffer, handler: StreamHandler): Http2Stream {
    if (this.#draining) throw new Http2Error('the connection is closed', { unprocessed: true, cause: this.#closed });
    const stream = new ClientStream(this, headerBlock, handler);
    if (this.#streams.size < this.#peer.maxStreams) this.#start(stream);
    else this.#waiting.add(stream);
    return stream;
  }

  /**
   * Finds out whether the peer still answers, after a call got no answer: one that does not within the keepalive
   * timeout is given up.
   */
  probe(): void {
    if (this.#closed === undefined) this.#keepalive.probe();
  }

  /** Ends the connection at once; open streams fail with `reason`. */
  destroy(reason: Error): void {
    if (this.#closed !== undefined) return;
    this.#closed = reason;
    this.#reader.stop();
    this.#keepalive.stop();
    this.#settle.reject(reason);
    this.#socket.destroy();
    this.#drain(reason);
    for (const stream of [...this.#streams.values()]) {
      const unsent = stream.id >= this.#flushedStreamId;
      this.#finish(stream, unsent ? refused(reason) : new Http2Error(reason.message, { cause: reason }));
    }
  }

  /** Opens no further stream, and ends when the last one has. */
  retire(reason: Error): void {
    this.#drain(reason);
    if (this.activeStreams === 0) this.destroy(reason);
  }

  #drain(reason: Error): void {
    if (this.#draining) return;
    this.#draining = true;
    this.#options.onDraining?.(reason);
    for (const stream of [...this.#waiting]) this.#finish(stream, refused(reason));
  }

  #greet(): void {
    const settings = settingsPayload([
      [Setting.headerTableSize, 0],
      [Setting.enablePush, 0],
      [Setting.initialWindowSize, this.#options.streamWindowBytes],
    ]);
    this.#writeBuffer.append(connectionPreface);
    this.#writeBuffer.append(frame(FrameType.settings, 0, 0, settings));
    this.#writeBuffer.append(frame(FrameType.windowUpdate, 0, 0, uint32(connectionWindowBytes - defaultWindowBytes)));
    this.#writeBuffer.flush();
  }

  // ── sending ──

  #start(stream: ClientStream): void {
    stream.id = this.#nextStreamId;
    stream.sendWindow = this.#peer.streamWindowBytes;
    this.#nextStreamId += 2;
    this.#streams.set(stream.id, stream);
    const { headerBlock } = stream;
    const { buffer, offset } = this.#writeBuffer.reserve(frameHeaderBytes + headerBlock.length);
    writeFrameHeader(buffer, offset, {
      length: headerBlock.length,
      type: FrameType.headers,
      flags: Flag.endHeaders,
      streamId: stream.id,
    });
    buffer.set(headerBlock, offset + frameHeaderBytes);
    if (this.#nextStreamId > maxStreamId - 2) this.#drain(new Error('the connection has used up its stream numbers'));
    this.transmit(stream);
  }

  transmit(stream: ClientStream): void {
    if (stream.id === 0 || stream.closed) return;
    while (stream.queue.length > 0) {
      const { data, end } = stream.queue[0]!;
      const size = Math.min(data.length, this.#sendWindow, stream.sendWindow, this.#peer.maxFrameBytes);
      if (size <= 0 && data.length > 0) {
        this.#blocked.add(stream);
        return;
      }
      const last = size === data.length;
      this.#writeData(stream, last ? data : data.subarray(0, size), last && end);
      if (last) stream.queue.shift();
      else stream.queue[0] = { data: data.subarray(size), end };
    }
    this.#blocked.delete(stream);
    stream.drained();
  }

  #writeData(stream: ClientStream, data: Buffer, endStream: boolean): void {
    this.#sendWindow -= data.length;
    stream.sendWindow -= data.length;
    const { buffer, offset } = this.#writeBuffer.reserve(frameHeaderBytes);
    writeFrameHeader(buffer, offset, {
      length: data.length,
      type: FrameType.data,
      flags: endStream ? Flag.endStream : 0,
      streamId: stream.id,
    });
    this.#writeBuffer.append(data);
    if (endStream) stream.localEnded = true;
  }

  #transmitBlocked(): void {
    for (const stream of this.#blocked) {
      if (this.#sendWindow <= 0) return;
      this.transmit(stream);
    }
  }

  reset(stream: ClientStream, code: number): void {
    if (stream.id !== 0 && !stream.closed)
      this.#writeBuffer.append(frame(FrameType.rstStream, 0, stream.id, uint32(code)));
    this.#remove(stream);
  }

  replenish(stream: ClientStream): void {
    if (stream.received === 0 || stream.closed || stream.id === 0) return;
    this.#writeBuffer.append(frame(FrameType.windowUpdate, 0, stream.id, uint32(stream.received)));
    stream.received = 0;
  }

  // ── ends of streams ──

  #remove(stream: ClientStream): void {
    stream.closed = true;
    this.#waiting.delete(stream);
    this.#blocked.delete(stream);
    if (stream.id === 0 || !this.#streams.delete(stream.id)) return;
    this.#startWaiting();
    if (this.#draining && this.activeStreams === 0) this.destroy(new Error('the connection has ended'));
  }

  #startWaiting(): void {
    for (const stream of this.#waiting) {
      if (this.#draining || this.#streams.size >= this.#peer.maxStreams) return;
      this.#waiting.delete(stream);
      this.#start(stream);
    }
  }

  #finish(stream: ClientStream, error?: Http2Error): void {
    if (stream.closed) return;
    this.#remove(stream);
    stream.handler.onClose(error);
  }

  /** The peer has said all it has to say; what we had still to say no longer matters. */
  #remoteEnd(stream: ClientStream): void {
    if (!stream.localEnded)
      this.#writeBuffer.append(frame(FrameType.rstStream, 0, stream.id, uint32(ErrorCode.cancel)));
    this.#finish(stream);
  }

  // ── receiving ──

  #onSocketData(chunk: Buffer): void {
    this.#keepalive.heard();
    try {
      this.#reader.push(chunk);
    } catch (error) {
      this.#fail(
        error instanceof ConnectionError ? error.code : ErrorCode.internalError,
        error instanceof Error ? error.message : String(error),
      );
    }
  }

  #sink(): FrameSink {
    return {
      dataStart: (streamId, length) => this.#onDataStart(streamId, length),
      dataPiece: (streamId, piece) => this.#streams.get(streamId)?.handler.onData(piece),
      dataEnd: (streamId, endStream) => {
        const stream = this.#streams.get(streamId);
        if (endStream && stream !== undefined) this.#remoteEnd(stream);
      },
      frame: (type, flags, streamId, payload) => this.#onFrame(type, flags, streamId, payload),
      oversized: (type, length) => {
        throw new ConnectionError(ErrorCode.frameSizeError, `frame of type ${type} with ${length} bytes`);
      },
    };
  }

  #onDataStart(streamId: number, length: number): void {
    if (this.#headerBlocks.incomplete)
      throw new ConnectionError(ErrorCode.protocolError, 'a header block was interrupted');
    if (streamId === 0 || streamId >= this.#nextStreamId)
      throw new ConnectionError(ErrorCode.protocolError, `DATA on stream ${streamId}`);
    this.#receivedBytes += length;
    if (this.#receivedBytes >= connectionWindowBytes / 2) {
      this.#writeBuffer.append(frame(FrameType.windowUpdate, 0, 0, uint32(this.#receivedBytes)));
      this.#receivedBytes = 0;
    }
    const stream = this.#streams.get(streamId);
    if (stream === undefined) return;
    stream.received += length;
    if (!stream.paused && stream.received >= this.#options.streamWindowBytes / 2) this.replenish(stream);
  }

  #onFrame(type: number, flags: number, streamId: number, payload: Buffer): void {
    if (this.#headerBlocks.incomplete && type !== FrameType.continuation)
      throw new ConnectionError(ErrorCode.protocolError, 'a header block was interrupted');
    switch (type) {
      case FrameType.data:
        return this.#onPaddedData(flags, streamId, payload);
      case FrameType.headers:
        return this.#onHeaders(this.#headerBlocks.headers(flags, streamId, payload));
      case FrameType.continuation:
        return this.#onHeaders(this.#headerBlocks.continuation(flags, streamId, payload));
      case FrameType.rstStream:
        return this.#onReset(streamId, payload);
      case FrameType.settings:
        return this.#onSettings(flags, payload);
      case FrameType.ping:
        return this.#onPing(flags, payload);
      case FrameType.goAway:
        return this.#onGoAway(payload);
      case FrameType.windowUpdate:
        return this.#onWindowUpdate(streamId, payload);
      case FrameType.pushPromise:
        throw new ConnectionError(ErrorCode.protocolError, 'server push is switched off');
      default:
      // Unknown frames, and PRIORITY, are to be ignored (RFC 9113, section 4.1).
    }
  }

  #onPaddedData(flags: number, streamId: number, payload: Buffer): void {
    const data = unpad(flags, payload);
    this.#onDataStart(streamId, payload.length);
    const stream = this.#streams.get(streamId);
    stream?.handler.onData(data);
    if (flags & Flag.endStream && stream !== undefined && !stream.closed) this.#remoteEnd(stream);
  }

  #onHeaders(block: HeaderBlock<Headers> | undefined): void {
    if (block === undefined) return;
    const { streamId, headers, endStream } = block;
    if (streamId === 0 || streamId >= this.#nextStreamId)
      throw new ConnectionError(ErrorCode.protocolError, `HEADERS on stream ${streamId}`);
    const stream = this.#streams.get(streamId);
    if (stream === undefined) return;
    stream.handler.onHeaders(headers);
    if (endStream && !stream.closed) this.#remoteEnd(stream);
  }

  #onReset(streamId: number, payload: Buffer): void {
    const stream = this.#streams.get(streamId);
    if (stream === undefined || payload.length !== 4) return;
    const code = payload.readUInt32BE(0);
    this.#finish(
      stream,
      new Http2Error(`the peer reset the stream (code ${code})`, {
        code,
        unprocessed: code === ErrorCode.refusedStream,
      }),
    );
  }

  #onSettings(flags: number, payload: Buffer): void {
    if (flags & Flag.ack) return;
    if (payload.length % 6 !== 0) throw new ConnectionError(ErrorCode.frameSizeError, 'SETTINGS of odd length');
    for (let at = 0; at < payload.length; at += 6)
      this.#applySetting(payload.readUInt16BE(at), payload.readUInt32BE(at + 2));
    this.#writeBuffer.append(frame(FrameType.settings, Flag.ack, 0, Buffer.alloc(0)));
    this.#settle.resolve();
    this.#startWaiting();
    this.#transmitBlocked();
  }

  #applySetting(id: number, value: number): void {
    if (id === Setting.maxConcurrentStreams) this.#peer.maxStreams = value;
    else if (id === Setting.maxFrameSize) this.#peer.maxFrameBytes = value;
    else if (id === Setting.initialWindowSize) {
      if (value > maxWindowBytes) throw new ConnectionError(ErrorCode.flowControlError, 'window too large');
      // RFC 9113, section 6.9.2: the change applies to open streams too, and can make a window negative.
      for (const stream of this.#streams.values()) stream.sendWindow += value - this.#peer.streamWindowBytes;
      this.#peer.streamWindowBytes = value;
    }
  }

  #onPing(flags: number, payload: Buffer): void {
    if (payload.length !== 8) throw new ConnectionError(ErrorCode.frameSizeError, 'PING of odd length');
    if ((flags & Flag.ack) === 0) return this.#writeBuffer.append(frame(FrameType.ping, Flag.ack, 0, payload));
    this.#keepalive.answered(payload);
  }

  #onGoAway(payload: Buffer): void {
    if (payload.length < 8) throw new ConnectionError(ErrorCode.frameSizeError, 'GOAWAY of odd length');
    const lastStreamId = payload.readUInt32BE(0) & 0x7fff_ffff;
    const code = payload.readUInt32BE(4);
    const debug = payload.toString('latin1', 8);
    const reason = new Error(`the peer said GOAWAY (code ${code}${debug === '' ? '' : `, ${debug}`})`);
    this.#drain(reason);
    const beyond = [...this.#streams.values()].filter((stream) => stream.id > lastStreamId);
    for (const stream of beyond) this.#finish(stream, refused(reason));
    if (this.activeStreams === 0) this.destroy(reason);
  }

  #onWindowUpdate(streamId: number, payload: Buffer): void {
    if (payload.length !== 4) throw new ConnectionError(ErrorCode.frameSizeError, 'WINDOW_UPDATE of odd length');
    const increment = payload.readUInt32BE(0) & maxWindowBytes;
    if (streamId === 0) {
      this.#sendWindow += increment;
      if (this.#sendWindow > maxWindowBytes) throw new ConnectionError(ErrorCode.flowControlError, 'window too large');
      return this.#transmitBlocked();
    }
    const stream = this.#streams.get(streamId);
    if (stream === undefined) return;
    stream.sendWindow += increment;
    this.transmit(stream);
  }

  /** A connection error (RFC 9113, section 5.4.1). */
  #fail(code: number, message: string): void {
    this.#writeBuffer.append(frame(FrameType.goAway, 0, 0, Buffer.concat([uint32(0), uint32(code)])));
    this.#writeBuffer.flush();
    this.destroy(new Error(`HTTP/2 error: ${message}`));
  }
}

const refused = (reason: Error): Http2Error =>
  new Http2Error(reason.message, { code: ErrorCode.refusedStream, unprocessed: true, cause: reason });
