import { Flag, FrameType, frame } from '../../../src/http2/frames.ts';
import { encodeHeaders } from '../../../src/http2/hpack/encoder.ts';
import { configMaps, type Flood, http1Request, megabyte } from './flood.ts';
import { h2, listen, noWindow, ids, pour, repeated } from './flood-clients.ts';

const patienceMs = 5_000;
const maxPiece = 16_000;

/** HEADERS and CONTINUATION. */
function headerFrames(id: number, block: Buffer): Buffer {
  const count = Math.ceil(block.length / maxPiece);
  const frames = Array.from({ length: count }, (_, i) => {
    const [type, flags] = i === 0 ? [FrameType.headers, Flag.endStream] : [FrameType.continuation, 0];
    return frame(
      type,
      flags | (i === count - 1 ? Flag.endHeaders : 0),
      id,
      block.subarray(i * maxPiece, (i + 1) * maxPiece),
    );
  });
  return Buffer.concat(frames);
}

const manyFields = (count: number): (readonly [string, string])[] =>
  Array.from({ length: count }, (_, i) => [`x${i.toString(36)}`, '1'] as const);

/** Long heads, whole and without an end. The forwarded addresses go to the audit log where there is one. */
export const headFloods: readonly Flood[] = [
  {
    name: 'heads of 1 MB that do not end',
    connections: 500,
    run: (clients, { connections, wait }) => {
      const lines = Buffer.from(Array.from({ length: 2_000 }, (_, i) => `a${i.toString(36)}:\r\n`).join(''));
      return clients.each(connections, 'http/1.1', (socket) => {
        socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n');
        return pour(socket, repeated(lines, megabyte - 30_000), wait(500));
      });
    },
  },
  {
    name: 'heads of 1 MB with 90,000 fields',
    connections: 200,
    run: (clients, { connections, wait }) => {
      const fields = manyFields(90_000).map(([name, value]) => `${name}: ${value}`);
      const whole = Buffer.from(http1Request('/version', [`Authorization: ${clients.authorization}`, ...fields]));
      return clients.each(connections, 'http/1.1', async (socket) => {
        listen(socket);
        await pour(socket, [whole, whole], wait(patienceMs));
      });
    },
  },
  {
    name: 'anonymous heads of 1 MB with one long X-Forwarded-For',
    connections: 500,
    run: (clients, { connections, wait }) =>
      clients.each(connections, 'http/1.1', async (socket, i) => {
        listen(socket);
        const addresses = `192.0.2.${i % 256}, `.repeat(megabyte / 16);
        await pour(
          socket,
          [Buffer.from(http1Request('/version', [`X-Forwarded-For: ${addresses.slice(0, 900_000)}`]))],
          wait(patienceMs),
        );
      }),
  },
  {
    name: 'header blocks of 1 MB that do not end',
    connections: 500,
    run: (clients, { connections, wait }) => {
      const fields = [
        [':method', 'GET'],
        [':scheme', 'https'],
        [':path', '/'],
        [':authority', 'localhost'],
      ] as const;
      const first = frame(FrameType.headers, Flag.endStream, 1, encodeHeaders(fields));
      const more = Buffer.concat(
        Array.from({ length: 1_000 }, () => frame(FrameType.continuation, 0, 1, Buffer.from([0x82]))),
      );
      const long = frame(FrameType.continuation, 0, 1, Buffer.alloc(maxPiece, 0x82));
      return clients.each(connections, 'h2', async (socket, i) => {
        listen(socket);
        socket.write(Buffer.concat([h2.greeting(), first]));
        await pour(socket, repeated(i % 2 === 0 ? more : long, megabyte), wait(500));
      });
    },
  },
  {
    name: 'watches with header lists of 1 MB, 20 on each connection',
    connections: 40,
    run: (clients, { connections, wait }) => {
      const block = encodeHeaders([
        [':method', 'GET'],
        [':scheme', 'https'],
        [':path', `${configMaps}?watch=true`],
        [':authority', 'localhost'],
        ['authorization', clients.authorization],
        ...manyFields(25_000),
      ]);
      return clients.each(connections, 'h2', async (socket) => {
        listen(socket);
        socket.write(noWindow);
        for (const id of ids(20)) await pour(socket, [headerFrames(id, block)], wait(patienceMs));
      });
    },
  },
];
