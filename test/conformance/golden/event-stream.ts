import { setTimeout as sleep } from 'node:timers/promises';

/** Collects events of a watch. */
export class EventStream {
  readonly #isProtobuf: boolean;
  #bytes = Buffer.alloc(0);
  #ended = false;
  #wake: () => void = () => undefined;

  constructor(isProtobuf: boolean) {
    this.#isProtobuf = isProtobuf;
  }

  push(chunk: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  text(): string {
    return this.#bytes.toString();
  }

  events(): unknown[] {
    return this.#isProtobuf
      ? this.#frames()
      : this.#bytes
          .toString()
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => parseLine(line));
  }

  /** Waits for so many events, or for the end of the stream. */
  async settle(count: number | undefined, timeoutMs: number): Promise<void> {
    const until = Date.now() + timeoutMs;
    while (!this.#ended && (count === undefined || this.events().length < count) && Date.now() < until) {
      await Promise.race([
        new Promise<void>((resolve) => (this.#wake = resolve)),
        sleep(until - Date.now(), undefined, { ref: false }),
      ]);
    }
    if (count !== undefined && !this.#ended) await sleep(50);
  }

  #frames(): Buffer[] {
    const frames: Buffer[] = [];
    for (let p = 0; p + 4 <= this.#bytes.length; ) {
      const length = this.#bytes.readUInt32BE(p);
      frames.push(this.#bytes.subarray(p + 4, p + 4 + length));
      p += 4 + length;
    }
    return frames;
  }
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return line;
  }
}
