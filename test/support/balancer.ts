/** One address for several servers: each new connection goes to the next of those that take it. */
import { once } from 'node:events';
import net from 'node:net';

export class Balancer implements AsyncDisposable {
  /** Ports of this machine. */
  readonly targets = new Set<number>();
  /** By port: how many connections went there. */
  readonly taken = new Map<number, number>();
  readonly #server = net.createServer((socket) => void this.#serve(socket));
  readonly #sockets = new Set<net.Socket>();
  #turn = 0;

  static async start(): Promise<Balancer> {
    const balancer = new Balancer();
    balancer.#server.listen(0, '127.0.0.1');
    await once(balancer.#server, 'listening');
    return balancer;
  }

  get port(): number {
    return (this.#server.address() as net.AddressInfo).port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async #serve(client: net.Socket): Promise<void> {
    this.#own(client);
    const ports = [...this.targets];
    for (let i = 0; i < ports.length; i++) {
      const port = ports[this.#turn++ % ports.length]!;
      const server = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      this.#own(server);
      if (!(await isOpen(server))) continue;
      this.taken.set(port, (this.taken.get(port) ?? 0) + 1);
      client.pipe(server).pipe(client);
      client.on('close', () => server.destroy());
      server.on('close', () => client.destroySoon());
      return;
    }
    client.resetAndDestroy();
  }

  #own(socket: net.Socket): void {
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    socket.on('close', () => this.#sockets.delete(socket));
  }
}

const isOpen = (socket: net.Socket): Promise<boolean> =>
  once(socket, 'connect').then(
    () => true,
    () => false,
  );
