import type { ClientRequest, IncomingMessage } from 'node:http';
import https from 'node:https';

export interface PlainRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

export interface PlainResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: Buffer;
}

/** Sends requests as they are: no header and no path is made prettier on the way. */
export class Client {
  readonly #agent: https.Agent;
  readonly #port: number;
  readonly #serverName: string;

  /**
   * @param serverName what the certificate is for
   * @param maxSockets how many requests are sent at once
   */
  constructor(port: number, ca: string, serverName = 'localhost', maxSockets = 8) {
    this.#port = port;
    this.#serverName = serverName;
    this.#agent = new https.Agent({ keepAlive: true, ca, maxSockets });
  }

  send(request: PlainRequest): Promise<PlainResponse> {
    return new Promise((resolve, reject) => {
      this.#start(request, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('end', () =>
          resolve({ status: response.statusCode ?? 0, headers: headersOf(response), body: Buffer.concat(chunks) }),
        );
        response.once('error', reject);
      }).once('error', reject);
    });
  }

  /** Opens a stream; `onData` gets what comes until `close`. */
  async open(
    request: PlainRequest,
    onData: (chunk: Buffer) => void,
    onEnd: () => void,
  ): Promise<{ status: number; headers: Readonly<Record<string, string | string[]>>; close: () => void }> {
    return new Promise((resolve, reject) => {
      const sent = this.#start(request, (response) => {
        response.on('data', onData);
        response.once('end', onEnd);
        response.once('error', () => undefined);
        resolve({ status: response.statusCode ?? 0, headers: headersOf(response), close: () => sent.destroy() });
      });
      sent.once('error', reject);
    });
  }

  #start(
    { method, path, headers, body }: PlainRequest,
    onResponse: (response: IncomingMessage) => void,
  ): ClientRequest {
    const request = https.request(
      {
        agent: this.#agent,
        host: '127.0.0.1',
        port: this.#port,
        servername: this.#serverName,
        method,
        path,
        headers: { ...headers, ...(body === undefined ? {} : { 'content-length': String(body.length) }) },
      },
      onResponse,
    );
    request.end(body);
    return request;
  }

  close(): void {
    this.#agent.destroy();
  }
}

function headersOf(response: IncomingMessage): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(response.headersDistinct).map(([name, values]) => [
      name,
      values!.length === 1 ? values![0]! : values!,
    ]),
  );
}
