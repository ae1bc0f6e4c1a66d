/** HTTP/1.1 as bytes over TLS, for requests that no client would send. */
import { once } from 'node:events';
import tls from 'node:tls';

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export class RawConnection implements Disposable {
  readonly #socket: tls.TLSSocket;
  /** Bytes that no answer has taken yet, one character each. */
  #unread = '';
  #heard: () => void = () => undefined;
  #isClosed = false;
  /** Resolves when the connection is closed, by either side and for any reason. */
  readonly closed: Promise<void>;

  private constructor(socket: tls.TLSSocket) {
    this.#socket = socket;
    socket.setEncoding('latin1').on('data', (text: string) => {
      this.#unread += text;
      this.#heard();
    });
    socket.on('error', () => undefined);
    this.closed = new Promise((resolve) =>
      socket.once('close', () => {
        this.#isClosed = true;
        this.#heard();
        resolve();
      }),
    );
  }

  static async open({ url, ca }: { readonly url: string; readonly ca: string }): Promise<RawConnection> {
    const socket = tls.connect({
      host: '127.0.0.1',
      port: Number(new URL(url).port),
      servername: 'localhost',
      ca,
      ALPNProtocols: ['http/1.1'],
    });
    await once(socket, 'secureConnect');
    return new RawConnection(socket);
  }

  write(...parts: readonly (string | Buffer)[]): this {
    for (const part of parts) this.#socket.write(part);
    return this;
  }

  /** The next answer; throws when the connection ends before it is whole. */
  async answer(): Promise<RawAnswer> {
    const head = await this.#until((text) => (text.includes('\r\n\r\n') ? text.indexOf('\r\n\r\n') + 4 : 0));
    const [first = '', ...lines] = head.split('\r\n');
    const headers = Object.fromEntries(
      lines
        .filter((line) => line !== '')
        .map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
    );
    const status = Number(first.split(' ')[1]);
    const length = Number(headers['content-length'] ?? 0);
    const body = length === 0 ? '' : await this.#until((text) => (text.length >= length ? length : 0));
    return { status, headers, body };
  }

  /** So many bytes of what is no answer. */
  take(length: number): Promise<string> {
    return this.#until((text) => (text.length >= length ? length : 0));
  }

  /** Bytes that no answer has taken. */
  get received(): number {
    return this.#unread.length;
  }

  /** Takes nothing until {@link resume}. */
  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Says that nothing more is said. */
  end(): void {
    this.#socket.end();
  }

  /** All bytes up to the end of the connection. */
  async rest(): Promise<string> {
    await this.closed;
    return this.#unread;
  }

  async #until(end: (text: string) => number): Promise<string> {
    for (;;) {
      const length = end(this.#unread);
      if (length > 0) {
        const taken = this.#unread.slice(0, length);
        this.#unread = this.#unread.slice(length);
        return taken;
      }
      if (this.#isClosed) throw new Error(`the connection ended after ${JSON.stringify(this.#unread)}`);
      await new Promise<void>((resolve) => (this.#heard = resolve));
    }
  }

  [Symbol.dispose](): void {
    this.#socket.destroy();
  }
}
