import net from 'node:net';

/** A way to a TCP server that can be cut, blocked and opened again. */
export class TcpProxy implements AsyncDisposable {
  readonly #server: net.Server;
  readonly #targetPort: number;
  readonly #sockets = new Set<net.Socket>();
  /** New connections are taken, and nothing passes: as a host behaves that has lost its network. */
  blocked = false;

  private constructor(server: net.Server, targetPort: number) {
    this.#server = server;
    this.#targetPort = targetPort;
    server.on('connection', (socket) => this.#accept(socket));
  }

  static async start(targetPort: number): Promise<TcpProxy> {
    const server = net.createServer();
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', resolve);
    });
    return new TcpProxy(server, targetPort);
  }

  get port(): number {
    return (this.#server.address() as net.AddressInfo).port;
  }

  get connections(): number {
    return this.#sockets.size;
  }

  /** Resets every connection. */
  cut(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.cut();
    await closed;
  }

  #accept(client: net.Socket): void {
    this.#own(client);
    if (this.blocked) return;
    const server = net.connect(this.#targetPort, '127.0.0.1');
    this.#own(server);
    client.pipe(server).pipe(client);
    client.on('close', () => server.destroy());
    server.on('close', () => client.destroy());
  }

  #own(socket: net.Socket): void {
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.on('close', () => this.#sockets.delete(socket));
  }
}
