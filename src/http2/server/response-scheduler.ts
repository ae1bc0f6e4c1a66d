import {
  ErrorCode,
  Flag,
  FrameType,
  defaultMaxFrameBytes,
  defaultWindowBytes,
  frameHeaderBytes,
  maxWindowBytes,
  writeFrameHeader,
} from '../frames.ts';
import { ConnectionError } from '../header-blocks.ts';
import { encodeAnswer } from '../hpack/encoder.ts';
import type { EvictingQuota } from '../../base/evicting-quota.ts';
import type { WriteBuffer } from '../write-buffer.ts';
import type { ServerStream } from './stream.ts';

/** Answers go no further ahead of what the client takes. */
export const maxBacklogBytes = 1024 * 1024;
/** What one stream may send while others wait. */
const turnBytes = 64 * 1024;
/** Larger frames are handed on as they are. */
const maxCopyBytes = 16 * 1024;
const nothing = Buffer.alloc(0);
/**
 * About what a stream whose answer waits takes besides the answer: objects of the stream, its request and its
 * handler.
 */
const bytesOfStream = 4096;

/**
 * What one connection sends of its answers, as far as the windows allow and the client takes it (RFC 9113, section
 * 5.2).
 */
export class ResponseScheduler {
  readonly #writeBuffer: WriteBuffer;
  readonly #onEnd: (stream: ServerStream) => void;
  readonly #memory: EvictingQuota | undefined;
  /** Streams that wait for the connection's window or for the socket, in round-robin order. */
  readonly #blocked = new Set<ServerStream>();
  #window = defaultWindowBytes;
  /** Of DATA. */
  framesSent = 0;
  /** As the client wants it. */
  maxFrameBytes = defaultMaxFrameBytes;

  /** @param onEnd called when all of an answer is sent */
  constructor(writeBuffer: WriteBuffer, onEnd: (stream: ServerStream) => void, memory: EvictingQuota | undefined) {
    this.#writeBuffer = writeBuffer;
    this.#onEnd = onEnd;
    this.#memory = memory;
  }

  /** Throws for a field that HTTP cannot carry. */
  sendHeaders(
    stream: ServerStream,
    status: number,
    fields: Iterable<readonly [name: string, value: string]>,
    end: boolean,
  ): void {
    const block = encodeAnswer(status, fields);
    let flags = end ? Flag.endStream : 0;
    let type: number = FrameType.headers;
    let at = 0;
    do {
      const length = Math.min(block.length - at, defaultMaxFrameBytes);
      const { buffer, offset } = this.#writeBuffer.reserve(frameHeaderBytes + length);
      const isLast = at + length === block.length;
      writeFrameHeader(buffer, offset, {
        length,
        type,
        flags: isLast ? flags | Flag.endHeaders : flags,
        streamId: stream.id,
      });
      buffer.latin1Write(
        length === block.length ? block : block.slice(at, at + length),
        offset + frameHeaderBytes,
        length,
      );
      at += length;
      type = FrameType.continuation;
      flags = 0;
    } while (at < block.length);
    if (end) this.#end(stream);
  }

  /** @param limit bytes */
  transmit(stream: ServerStream, limit = Infinity): void {
    this.#send(stream, limit);
    if (stream.queuedBytes > 0 && !stream.closed)
      stream.usage ??= this.#memory?.track({ evict: () => stream.reset(), progress: () => stream.sentBytes });
    stream.usage?.set(stream.closed || stream.queuedBytes === 0 ? 0 : stream.queuedBytes + bytesOfStream);
  }

  #send(stream: ServerStream, limit: number): void {
    const { queue } = stream;
    let left = limit;
    while (queue.length > 0) {
      const data = queue[0]!;
      // Its own window's update goes on with it.
      if (stream.sendWindow <= 0) return;
      const size = Math.min(data.length, stream.sendWindow, this.#window, this.maxFrameBytes, left);
      if (size <= 0 || this.#writeBuffer.backlog >= maxBacklogBytes) return void this.#blocked.add(stream);
      const isLast = size === data.length;
      if (isLast) queue.shift();
      else queue[0] = data.subarray(size);
      this.#writeData(stream, isLast ? data : data.subarray(0, size), queue.length === 0 && stream.ending);
      left -= size;
    }
    if (!stream.ending) return stream.drained();
    if (!stream.localEnded) this.#writeData(stream, nothing, true);
    this.#end(stream);
  }

  /** The client takes nothing more of any stream for now. */
  get isWindowClosed(): boolean {
    return this.#window <= 0;
  }

  /** Goes on with a stream whose window has opened, when no other stream has waited longer. */
  takeTurn(stream: ServerStream): void {
    if (stream.queue.length > 0) this.transmit(stream, this.#turn);
  }

  /** The client takes so many bytes more on the connection. */
  widen(bytes: number): void {
    this.#window += bytes;
    if (this.#window > maxWindowBytes) throw new ConnectionError(ErrorCode.flowControlError, 'window too large');
    this.goOn();
  }

  /** To be called when the client has taken something. */
  goOn(): void {
    while (this.#blocked.size > 0 && this.#window > 0 && this.#writeBuffer.backlog < maxBacklogBytes) {
      const [stream] = this.#blocked as Iterable<ServerStream>;
      this.#blocked.delete(stream!);
      this.transmit(stream!, this.#turn);
    }
  }

  /** The stream is over. */
  forget(stream: ServerStream): void {
    this.#blocked.delete(stream);
  }

  get #turn(): number {
    return this.#blocked.size === 0 ? Infinity : turnBytes;
  }

  #writeData(stream: ServerStream, data: Buffer, endStream: boolean): void {
    const { length } = data;
    this.#window -= length;
    stream.sendWindow -= length;
    stream.sentBytes += length;
    stream.queuedBytes -= length;
    this.framesSent++;
    if (endStream) stream.localEnded = true;
    const copied = length <= maxCopyBytes;
    const { buffer, offset } = this.#writeBuffer.reserve(copied ? frameHeaderBytes + length : frameHeaderBytes);
    writeFrameHeader(buffer, offset, {
      length,
      type: FrameType.data,
      flags: endStream ? Flag.endStream : 0,
      streamId: stream.id,
    });
    if (copied) buffer.set(data, offset + frameHeaderBytes);
    else this.#writeBuffer.append(data);
  }

  #end(stream: ServerStream): void {
    stream.localEnded = true;
    this.#onEnd(stream);
  }
}
