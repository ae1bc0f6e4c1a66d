/** Node's HTTP server on a loopback port without TLS, and clients that say bytes to it. Both end with the test. */
import { once } from 'node:events';
import type { Server } from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface PlainServer {
  readonly listener: Server | net.Server;
  readonly port: number;
  dial(): Promise<PlainClient>;
  /** Says that on a connection of its own. @returns all that comes until the server ends it */
  converse(sent: string): Promise<string>;
}

export class PlainClient {
  readonly socket: Socket;
  readonly #ended: Promise<unknown>;
  #text = '';

  constructor(socket: Socket) {
    this.socket = socket;
    this.#ended = new Promise((resolve) => socket.once('close', resolve));
    socket.setEncoding('latin1').on('data', (text: string) => (this.#text += text));
    socket.on('error', () => undefined);
  }

  say(text: string): this {
    this.socket.write(text, 'latin1');
    return this;
  }

  /** Resolves when that came. */
  async hears(text: string): Promise<void> {
    while (!this.#text.includes(text)) await once(this.socket, 'data');
  }

  /** All that came, when the server ended the connection. */
  async all(): Promise<string> {
    await this.#ended;
    return this.#text;
  }
}

export async function startPlain(server: Server | net.Server): Promise<PlainServer> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => void sockets.add(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const { port } = server.address() as AddressInfo;
  const dial = async (): Promise<PlainClient> => {
    const socket = net.connect({ host: '127.0.0.1', port });
    const client = new PlainClient(socket);
    onTestFinished(() => void socket.destroy());
    await once(socket, 'connect');
    return client;
  };
  return { listener: server, port, dial, converse: async (sent) => (await dial()).say(sent).all() };
}

/** The head of a request; `Connection: close` only where it is among the lines. */
export const head = (line: string, ...lines: readonly string[]): string => `${[line, ...lines].join('\r\n')}\r\n\r\n`;
