/** From the bytes of a log file to what its reader gets. What is left of a line is kept until the rest comes. */
import { fixedTime, type LogLine, parseLogLine } from './log-line.ts';
import type { LogQuery } from './log-query.ts';

/** Runtimes write at most 16 KiB at once. What is longer is no log. */
const maxLineBytes = 1 << 20;
const lineBreak = Buffer.from('\n');

export class LogFormat {
  readonly #query: LogQuery;
  /** Bytes that may still be sent. */
  #left: number;
  #rest: Buffer = Buffer.alloc(0);
  /** By stream: whether the line that was sent last goes on. */
  readonly #goesOn = { stdout: false, stderr: false };

  constructor(query: LogQuery) {
    this.#query = query;
    this.#left = query.limitBytes ?? Infinity;
  }

  /** No more is to be sent. */
  get isFull(): boolean {
    return this.#left <= 0;
  }

  /** Throws for a line that is too long. @returns what is to be sent of what came, maybe nothing */
  take(chunk: Buffer): Buffer {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const sent: Buffer[] = [];
    let at = 0;
    for (let end = bytes.indexOf(0x0a); end >= 0 && !this.isFull; end = bytes.indexOf(0x0a, at)) {
      this.#line(bytes.subarray(at, end), sent);
      at = end + 1;
    }
    this.#rest = Buffer.from(bytes.subarray(at));
    if (this.#rest.length > maxLineBytes) throw new Error(`a line of the log is longer than ${maxLineBytes} bytes`);
    return Buffer.concat(sent);
  }

  /** The file goes on at another place. */
  forgetRest(): void {
    this.#rest = Buffer.alloc(0);
  }

  #line(bytes: Buffer, sent: Buffer[]): void {
    const line = parseLogLine(bytes);
    if (line === undefined || !this.#isWanted(line)) return;
    const { timestamps } = this.#query;
    if (timestamps && !this.#goesOn[line.stream]) this.#send(Buffer.from(`${fixedTime(line.time)} `), sent);
    this.#goesOn[line.stream] = line.isPartial;
    this.#send(line.text, sent);
    if (!line.isPartial) this.#send(lineBreak, sent);
  }

  #isWanted({ stream, time }: LogLine): boolean {
    const { since, stream: wanted } = this.#query;
    if (wanted !== undefined && wanted !== stream) return false;
    return since === undefined || Date.parse(time) >= since;
  }

  #send(bytes: Buffer, sent: Buffer[]): void {
    const some = bytes.length > this.#left ? bytes.subarray(0, this.#left) : bytes;
    this.#left -= some.length;
    sent.push(some);
  }
}
