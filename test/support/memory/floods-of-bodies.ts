import { configMaps, type Flood, kilobyte, megabyte } from './flood.ts';
import { type FloodClients, h2, ids, listen, noWindow, pour, repeated } from './flood-clients.ts';

const dryRun = `${configMaps}?dryRun=All`;
const json: readonly [string, string] = ['content-type', 'application/json'];
const piece = Buffer.alloc(16_000, ' ');
const patienceMs = 2_000;

/** A config map of so many bytes. */
function configMap(bytes: number): Buffer {
  const [before, after] = ['{"metadata":{"generateName":"flood-"},"data":{"text":"', '"}}'];
  return Buffer.from(`${before}${'x'.repeat(bytes - before.length - after.length)}${after}`);
}

const piecesOf = (bytes: Buffer, length: number): Buffer[] =>
  Array.from({ length: Math.ceil(bytes.length / length) }, (_, i) => bytes.subarray(i * length, (i + 1) * length));

/** Resolves for all at once, when nine of ten have come, or for each after a time. */
function gate(count: number, longestMs: number): () => Promise<void> {
  const waiting: (() => void)[] = [];
  return () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      setTimeout(resolve, longestMs).unref();
      if (waiting.length >= count * 0.9) for (const pass of waiting) pass();
    });
}

const unread = (
  name: string,
  headersOf: (clients: FloodClients) => ReadonlyArray<readonly [string, string]>,
): Flood => ({
  name,
  connections: 100,
  run: (clients, { connections, wait }) =>
    clients.each(connections, 'h2', async (socket) => {
      listen(socket);
      socket.write(noWindow);
      const headers = headersOf(clients);
      for (const id of ids(30)) {
        const request = h2.request(id, 'GET', '/version', { end: false, headers });
        await pour(socket, [request, ...repeated(h2.data(id, piece), megabyte - 50_000)], wait(500));
      }
    }),
});

/** Bodies that the server does not read, and bodies that come all at once. */
export const bodyFloods: readonly Flood[] = [
  unread('anonymous bodies over HTTP/2 that are not read', () => []),
  unread('bodies over HTTP/2 that are not read', (clients) => [['authorization', clients.authorization]]),
  {
    name: 'bodies over HTTP/1.1 that are not read',
    connections: 1_000,
    run: (clients, { connections, wait }) =>
      clients.each(connections, 'http/1.1', (socket) => {
        socket.write(`POST /version HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${3 * megabyte}\r\n\r\n`);
        return pour(socket, repeated(piece, megabyte), wait(200));
      }),
  },
  {
    name: '1,000 bodies of 3 MB at once',
    connections: 1_000,
    run: (clients, { connections, wait }) => {
      const whole = configMap(3 * megabyte - 100);
      const lines = [
        `Authorization: ${clients.authorization}`,
        'Content-Type: application/json',
        `Content-Length: ${whole.length}`,
      ];
      const head = `POST ${dryRun} HTTP/1.1\r\nHost: localhost\r\n${lines.join('\r\n')}\r\n\r\n`;
      const pieces = piecesOf(whole, 64 * kilobyte);
      const allButLast = gate(connections, wait(10_000));
      return clients.each(connections, 'http/1.1', async (socket) => {
        listen(socket);
        socket.write(head);
        await pour(socket, pieces.slice(0, -1), wait(patienceMs));
        await allButLast();
        await pour(socket, pieces.slice(-1), wait(patienceMs));
      });
    },
  },
  {
    name: '1,000 bodies of 3 MB at once, over HTTP/2',
    connections: 100,
    run: (clients, { connections, wait }) => {
      const pieces = piecesOf(configMap(3 * megabyte - 100), 16_000);
      const headers = [['authorization', clients.authorization], json] as const;
      return clients.each(connections, 'h2', async (socket) => {
        listen(socket);
        socket.write(
          Buffer.concat([
            h2.greeting(),
            ...ids(10).map((id) => h2.request(id, 'POST', dryRun, { end: false, headers })),
          ]),
        );
        // Alternately, so that none is whole before all are, as far as the windows allow.
        for (const [at, bytes] of pieces.entries()) {
          for (const id of ids(10))
            await pour(socket, [h2.data(id, bytes, at === pieces.length - 1)], wait(patienceMs));
        }
      });
    },
  },
];
