import { Readable } from 'node:stream';
import { BodyTooLarge, type Exchange } from '../../server/exchange.ts';

export interface CompleteRequest {
  readonly method: string;
  readonly target: string;
  /** In order; a name can stand there several times. Names are lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
}

/** A request that is all here, and has no connection. */
export class InMemoryExchange implements Exchange {
  readonly method: string;
  readonly target: string;
  readonly httpVersion = '2.0';
  readonly remoteAddress = '127.0.0.1';
  readonly connection = {};
  readonly #headers = new Map<string, string[]>();
  readonly #body: Buffer;
  readonly #listeners: (() => void)[] = [];

  constructor({ method, target, headers, body }: CompleteRequest) {
    this.method = method;
    this.target = target;
    this.#body = body;
    for (const [name, value] of headers) {
      const values = this.#headers.get(name);
      if (values === undefined) this.#headers.set(name, [value]);
      else values.push(value);
    }
  }

  header(name: string): string | undefined {
    return this.#headers.get(name)?.[0];
  }

  headerValues(name: string): string[] {
    return this.#headers.get(name) ?? [];
  }

  headerNames(): string[] {
    return [...this.#headers.keys()];
  }

  readBody(limit: number): Promise<Buffer> {
    return this.#body.length > limit ? Promise.reject(new BodyTooLarge(limit)) : Promise.resolve(this.#body);
  }

  bodyStream(): Readable | undefined {
    return this.#body.length === 0 ? undefined : Readable.from([this.#body]);
  }

  peerCertificate(): undefined {
    return undefined;
  }

  onClose(listener: () => void): void {
    this.#listeners.push(listener);
  }

  close(): void {
    for (const listener of this.#listeners.splice(0)) listener();
  }
}
