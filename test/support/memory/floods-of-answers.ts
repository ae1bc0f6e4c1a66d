import { Setting } from '../../../src/http2/frames.ts';
import { configMaps, type Flood, http1Request, kilobyte, megabyte } from './flood.ts';
import { h2, ids, listen, noWindow, pause, pour, repeated } from './flood-clients.ts';

const streams = 200;
const largestWindow = 0x7fff_ffff;

/** Requests without waiting for answers, and answers that are not read. */
export const answerFloods: readonly Flood[] = [
  {
    name: 'pipelined requests whose answers are not read',
    connections: 200,
    run: (clients, { connections, wait }) =>
      clients.each(connections, 'http/1.1', (socket) => {
        socket.pause();
        return pour(
          socket,
          repeated(Buffer.from('GET / HTTP/1.1\r\nHost:\r\n\r\n'.repeat(2_500)), 4 * megabyte),
          wait(500),
        );
      }),
  },
  {
    name: 'pipelined requests behind a watch',
    connections: 200,
    run: (clients, { connections, wait }) =>
      clients.each(connections, 'http/1.1', (socket) => {
        const credentials = [`Authorization: ${clients.authorization}`];
        socket.write(http1Request(`${configMaps}?watch=true`, credentials));
        return pour(
          socket,
          repeated(Buffer.from(http1Request(configMaps, credentials).repeat(500)), 4 * megabyte),
          wait(500),
        );
      }),
  },
  {
    name: 'anonymous requests over HTTP/2 with a window of 0',
    connections: 500,
    run: (clients, { connections }) =>
      clients.each(connections, 'h2', (socket) => {
        listen(socket);
        socket.write(Buffer.concat([noWindow, ...ids(streams).map((id) => h2.request(id, 'GET', '/version'))]));
      }),
  },
  {
    name: 'small answers over HTTP/2 with a window of 0',
    connections: 2_000,
    run: (clients, { connections }) => {
      const headers = [['authorization', clients.authorization]] as const;
      const requests = Buffer.concat([
        noWindow,
        ...ids(streams).map((id) => h2.request(id, 'GET', '/version', { headers })),
      ]);
      return clients.each(connections, 'h2', (socket) => {
        listen(socket);
        socket.write(requests);
      });
    },
  },
  {
    name: 'lists of 10 MB over HTTP/2 with a window of 0',
    connections: 100,
    run: async (clients, { connections, wait }, send) => {
      const data = { text: 'x'.repeat(500 * kilobyte) };
      for (let i = 0; i < 20; i++)
        await send('PUT', `${configMaps}/large-${i}`, { metadata: { name: `large-${i}` }, data });
      const headers = [['authorization', clients.authorization]] as const;
      await clients.each(connections, 'h2', (socket) => {
        listen(socket);
        const requests = ids(streams).map((id) => h2.request(id, 'GET', configMaps, { headers }));
        socket.write(Buffer.concat([noWindow, ...requests]));
      });
      await pause(wait(1_000));
    },
  },
  {
    name: 'the OpenAPI document over HTTP/2, from a socket that is not read',
    connections: 100,
    run: async (clients, { connections, wait }) => {
      const headers = [['authorization', clients.authorization]] as const;
      const greeting = Buffer.concat([
        h2.greeting([Setting.initialWindowSize, largestWindow]),
        h2.windowUpdate(0, 0x7000_0000),
      ]);
      await clients.each(connections, 'h2', (socket) => {
        socket.pause();
        const requests = ids(streams).map((id) => h2.request(id, 'GET', '/openapi/v2', { headers }));
        socket.write(Buffer.concat([greeting, ...requests]));
      });
      await pause(wait(1_000));
    },
  },
  {
    name: 'the OpenAPI document over HTTP/1.1, from a socket that is not read',
    connections: 1_000,
    run: async (clients, { connections, wait }) => {
      await clients.each(connections, 'http/1.1', (socket) => {
        socket.pause();
        socket.write(http1Request('/openapi/v2', [`Authorization: ${clients.authorization}`]));
      });
      await pause(wait(1_000));
    },
  },
  {
    name: 'idle connections',
    connections: 10_000,
    run: (clients, { connections }) => {
      const half = Math.ceil(connections / 2);
      const begin = [(): Buffer | string => noWindow, (): string => 'GET /version HTTP/1.1\r\nHost: localhost\r\n'];
      const idle = (protocol: 'h2' | 'http/1.1', first: () => Buffer | string): Promise<void> =>
        clients.each(half, protocol, (socket, i) => void (i % 2 === 0 && socket.write(first())));
      return Promise.all([idle('h2', begin[0]!), idle('http/1.1', begin[1]!)]).then(() => undefined);
    },
  },
];
