import type { TLSSocket } from 'node:tls';
import { configMaps, type Flood, type FloodSize, http1Request, kilobyte, type Send } from './flood.ts';
import { type FloodClients, h2, ids, listen, noWindow, pause } from './flood-clients.ts';

const watch = `${configMaps}?watch=true`;
const streams = 200;

const webSocket = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
  'Origin: https://localhost',
];

/** Events of 100 kB for all watches. */
async function changeOften(send: Send, { part, wait }: FloodSize): Promise<void> {
  await pause(wait(1_000));
  for (let i = 0; i < part(400); i++) {
    await send('PUT', `${configMaps}/often-changed`, {
      metadata: { name: 'often-changed' },
      data: { text: `${i} ${'x'.repeat(100 * kilobyte)}` },
    });
  }
}

const overHttp1 = (clients: FloodClients, connections: number, headers: readonly string[]): Promise<void> =>
  clients.each(connections, 'http/1.1', (socket: TLSSocket) => {
    socket.pause();
    socket.write(http1Request(watch, [`Authorization: ${clients.authorization}`, ...headers]));
  });

/** Watches of an object that often changes, whose clients take no event. */
export const watchFloods: readonly Flood[] = [
  {
    name: '10,000 watches over HTTP/2 with a window of 0',
    connections: 10_000 / streams,
    run: async (clients, size, send) => {
      const headers = [['authorization', clients.authorization]] as const;
      await clients.each(size.connections, 'h2', (socket) => {
        listen(socket);
        socket.write(Buffer.concat([noWindow, ...ids(streams).map((id) => h2.request(id, 'GET', watch, { headers }))]));
      });
      await changeOften(send, size);
    },
  },
  {
    name: 'watches over HTTP/1.1, from sockets that are not read',
    connections: 1_000,
    run: async (clients, size, send) => {
      await overHttp1(clients, size.connections, []);
      await changeOften(send, size);
    },
  },
  {
    name: 'watches over WebSockets, from sockets that are not read',
    connections: 1_000,
    run: async (clients, size, send) => {
      await overHttp1(clients, size.connections, webSocket);
      await changeOften(send, size);
    },
  },
];
