/** A forward proxy that remembers where it was asked to connect to: HTTP CONNECT, or SOCKS5. */
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import type { Duplex } from 'node:stream';

export interface ForwardProxy extends AsyncDisposable {
  readonly port: number;
  /** `host:port`, and the credentials if there were any. */
  readonly asked: string[];
}

async function listening(server: net.Server, asked: string[]): Promise<ForwardProxy> {
  const sockets = new Set<Duplex>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as net.AddressInfo).port,
    asked,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function join(client: Duplex, port: number): void {
  const server = net.connect(port, '127.0.0.1');
  server.on('error', () => client.destroy());
  client.on('error', () => server.destroy());
  client.on('close', () => server.destroy());
  server.on('close', () => client.destroy());
  client.pipe(server).pipe(client);
}

/**
 * @param refusal status to answer with instead of connecting
 * @param tls speaks TLS with its clients
 */
export function startConnectProxy(refusal?: number, tls?: https.ServerOptions): Promise<ForwardProxy> {
  const asked: string[] = [];
  const refuseOthers: http.RequestListener = (_, response) => response.writeHead(405).end();
  const server = tls === undefined ? http.createServer(refuseOthers) : https.createServer(tls, refuseOthers);
  server.on('connect', ({ url = '', headers }, socket) => {
    const credentials = headers['proxy-authorization'];
    asked.push(credentials === undefined ? url : `${url} ${credentials}`);
    if (refusal !== undefined) return socket.end(`HTTP/1.1 ${refusal} No\r\n\r\n`);
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    join(socket, Number(url.split(':').at(-1)));
  });
  return listening(server, asked);
}

/** @param credentials `user:password`, which are then demanded */
export function startSocks5Proxy(credentials?: string): Promise<ForwardProxy> {
  const asked: string[] = [];
  const server = net.createServer((socket) => {
    const next = (): Promise<Buffer> => new Promise((resolve) => socket.once('data', resolve));
    const serve = async (): Promise<void> => {
      await next();
      if (credentials !== undefined) {
        socket.write(Buffer.from([5, 2]));
        const sent = await next();
        const user = sent.subarray(2, 2 + sent[1]!).toString();
        const password = sent.subarray(3 + sent[1]!).toString();
        const isRight = `${user}:${password}` === credentials;
        socket.write(Buffer.from([1, isRight ? 0 : 1]));
        if (!isRight) return;
      } else socket.write(Buffer.from([5, 0]));
      const request = await next();
      const isName = request[3] === 3;
      const end = isName ? 5 + request[4]! : 8;
      const host = isName ? request.subarray(5, end).toString() : [...request.subarray(4, end)].join('.');
      const port = request.readUInt16BE(end);
      asked.push(`${host}:${port}`);
      socket.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
      join(socket, port);
    };
    void serve();
  });
  return listening(server, asked);
}
