/**
 * Feeds Node's HTTP/1.1 parser with what a connection receives, one request at a time.
 *
 * Node parses all that it has read: of requests that a client sends behind each other without waiting, 64 KB hold
 * 2,600, and what it makes of them takes 8 MB. Here what is read is cut where a request ends. While one is in work the
 * next is neither parsed nor read. At most one is parsed ahead: where the end of a body and the head
 * behind it were read together.
 *
 * Where a request ends is found without parsing it: the rest of a body with a length is known; a head, and a body in
 * chunks, end in an empty line. Empty lines within such a body only cut it into more pieces.
 */
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Usage, EvictingQuota } from '../../base/evicting-quota.ts';

const emptyLine = Buffer.from('\r\n\r\n');
const nothing = Buffer.alloc(0);

export class ParserFeed {
  readonly #socket: Socket;
  readonly #parse: (piece: Buffer) => void;
  readonly #isBusy: () => boolean;
  /** The last request whose head was parsed, until its body is, and whether it has begun. */
  #open: IncomingMessage | undefined;
  #hasBegun = true;
  #headBytes = 0;
  readonly #headUsage: Usage;
  /** Bytes of its body that are to come; 0 where an empty line ends it, or nothing is to come. */
  #bodyLeft = 0;
  /** What was parsed ends where a request ends. */
  #isBetween = true;
  /** The last bytes that were parsed, where they may begin an empty line. */
  #tail: Buffer = nothing;
  /** Of the chunk that is looked at, what is not parsed yet. */
  #rest: Buffer = nothing;
  #isHeld = false;
  #isOver = false;
  #drops = false;
  /** What drops the requests behind an answer that lasts. */
  #drop: { readonly afterMs: number; readonly onDrop: () => void } | undefined;
  #dropTimer: NodeJS.Timeout | undefined;

  /**
   * Takes the place of the listener with which Node's server feeds its parser.
   *
   * @param isBusy whether a request of this connection is in work, or is queued
   * @param heads counts heads that are not complete; the connection is closed when it is evicted
   */
  constructor(socket: Socket, isBusy: () => boolean, heads: EvictingQuota) {
    const parse = socket.listeners('data').at(-1) as ((piece: Buffer) => void) | undefined;
    if (parse === undefined)
      throw new Error('the HTTP server of this runtime does not listen for the data of its connections');
    this.#socket = socket;
    this.#parse = parse;
    this.#isBusy = isBusy;
    this.#headUsage = heads.track({ evict: () => socket.destroy() });
    // Node's parser reads the connection beside the stream, unless there is another listener than its own.
    socket.on('data', this.#take);
    socket.off('data', parse);
  }

  /** Of the head that is not complete, or of the last one. */
  get headBytes(): number {
    return this.#headBytes;
  }

  /** The request whose body is not all here. */
  get open(): IncomingMessage | undefined {
    return this.#open;
  }

  /** To be called when the head of a request is parsed. */
  parsed(message: IncomingMessage): void {
    // From here on it counts as that of a request in work.
    this.#headUsage.set(0);
    this.#open = message;
    this.#hasBegun = false;
    this.#bodyLeft =
      message.headers['transfer-encoding'] === undefined ? Number(message.headers['content-length'] ?? 0) : 0;
  }

  /** To be called when the request begins. */
  begun(): void {
    this.#hasBegun = true;
    this.goOn();
  }

  /**
   * To be called when an answer begins that may last for hours, as that of a watch. A client that leaves is not
   * noticed while its
   * connection is not read: what has waited behind the answer for a time is read and dropped.
   *
   * @param onDrop called when this begins: the connection has to end with the answer
   */
  lasts(afterMs: number, onDrop: () => void): void {
    this.#drop = { afterMs, onDrop };
    if (this.#isHeld) this.#dropLater(this.#drop);
  }

  /** To be called when a request is answered. */
  goOn(): void {
    this.#drop = undefined;
    clearTimeout(this.#dropTimer);
    if (!this.#isHeld || this.#socket.destroyed || this.#mustWait()) return;
    this.#isHeld = false;
    this.#socket.resume();
  }

  /** What comes from here on is read and dropped. */
  drop(): void {
    this.#drops = true;
    if (this.#isHeld) this.#socket.resume();
    this.#isHeld = false;
  }

  /** To be called when the connection is closed. */
  closed(): void {
    this.#headUsage.set(0);
    clearTimeout(this.#dropTimer);
  }

  /** The connection is read otherwise from here on. @returns what was read and not parsed */
  end(): Buffer {
    this.#isOver = true;
    this.closed();
    this.#socket.off('data', this.#take);
    return this.#rest;
  }

  readonly #take = (chunk: Buffer): void => {
    // A stream gives out what it has gathered even then, and the parser may be another connection's already.
    if (this.#socket.destroyed) return;
    this.#rest = chunk;
    while (this.#rest.length > 0 && !this.#drops) {
      if (this.#mustWait()) {
        this.#isHeld = true;
        this.#socket.pause();
        if (this.#drop !== undefined) this.#dropLater(this.#drop);
        break;
      }
      this.#parseOne();
      if (this.#isOver || this.#socket.destroyed) return;
      // By Node, while a body is not read or an answer not taken. It goes on by itself, and its parser takes nothing
      // until then.
      if (this.#socket.isPaused()) break;
    }
    this.#headUsage.set(this.#isBetween || this.#open !== undefined ? 0 : this.#headBytes);
    if (this.#rest.length > 0 && !this.#drops) this.#socket.unshift(this.#rest);
    this.#rest = nothing;
  };

  #dropLater({ afterMs, onDrop }: { readonly afterMs: number; readonly onDrop: () => void }): void {
    clearTimeout(this.#dropTimer);
    this.#dropTimer = setTimeout(() => {
      onDrop();
      this.drop();
    }, afterMs).unref();
  }

  #parseOne(): void {
    const isBody = this.#bodyLeft > 0;
    const end = isBody ? this.#bodyLeft : this.#endOfLines();
    const piece = this.#rest.subarray(0, end);
    this.#rest = this.#rest.subarray(piece.length);
    if (isBody) this.#bodyLeft -= piece.length;
    else if (this.#open === undefined) this.#headBytes = piece.length + (this.#isBetween ? 0 : this.#headBytes);
    this.#parse(piece);
    if (this.#open?.complete === true) {
      this.#open = undefined;
      this.#bodyLeft = 0;
    }
    this.#isBetween = this.#open === undefined && end === piece.length;
    this.#tail =
      isBody || end === piece.length ? nothing : Buffer.concat([this.#tail, piece.subarray(-3)]).subarray(-3);
  }

  /** Behind the first empty line; beyond all there is where there is none. */
  #endOfLines(): number {
    if (this.#tail.length > 0) {
      const across = Buffer.concat([this.#tail, this.#rest.subarray(0, 3)]).indexOf(emptyLine);
      if (across >= 0) return across + emptyLine.length - this.#tail.length;
    }
    const within = this.#rest.indexOf(emptyLine);
    return within < 0 ? Infinity : within + emptyLine.length;
  }

  /** A body is not needed before its request begins, and nothing after a request before that is answered. */
  #mustWait(): boolean {
    if (this.#open !== undefined) return !this.#hasBegun;
    return this.#isBetween && this.#isBusy();
  }
}
