/** Blocks of other encoders: one of ours that does all that RFC 7541 allows, and Node's. */
import http2 from 'node:http2';
import net from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { pick, randomInt, randomSource } from '../../../test/support/random.ts';
import type { RandomSource } from '../../../test/support/random.ts';
import { FrameReader } from '../frame-reader.ts';
import { Flag, FrameType, connectionPreface, frame } from '../frames.ts';
import { ReferenceEncoder } from '../testing/reference-encoder.ts';
import type { Field } from '../testing/reference-encoder.ts';
import { HpackDecoder } from './decoder.ts';
import { encodeAnswer } from './encoder.ts';
import { staticNames, staticValues } from './static-table.ts';

function randomText(random: RandomSource): string {
  const length = pick(random, [0, 1, 5, 20, 126, 127, 128, 300]);
  const below = pick(random, [2, 26, 256]);
  return String.fromCharCode(
    ...Array.from({ length }, () => (below === 256 ? randomInt(random, 256) : 97 + randomInt(random, below))),
  );
}

/** From few names and values, so that much recurs, and from all others. */
function randomField(random: RandomSource): Field {
  const name = random() < 0.7 ? pick(random, staticNames.slice(1)) : randomText(random);
  const value =
    random() < 0.3
      ? pick(random, staticValues.slice(1))
      : random() < 0.5
        ? pick(random, ['a', 'b', 'c'])
        : randomText(random);
  return [name, value];
}

function encode(random: RandomSource, encoder: ReferenceEncoder, field: Field): Buffer {
  const whole = encoder.indicesOf(...field);
  if (whole.length > 0 && random() < 0.8) return encoder.indexed(pick(random, whole));
  const nameIndex = random() < 0.8 ? pick(random, [0, ...encoder.indicesOf(field[0])]) : 0;
  return encoder.literal(field, {
    as: pick(random, ['indexing', 'indexing', 'without', 'never']),
    nameIndex,
    huffman: random() < 0.5,
  });
}

describe('blocks with all that RFC 7541 allows', () => {
  test.each(Array.from({ length: 40 }, (_, seed) => ({ seed, tableBytes: [0, 100, 400, 4096, 65_536][seed % 5]! })))(
    'Seed $seed, a table of $tableBytes bytes',
    ({ seed, tableBytes }) => {
      const random = randomSource(seed);
      const encoder = new ReferenceEncoder(Math.min(tableBytes, 4096));
      const decoder = new HpackDecoder({ tableBytes, maxListBytes: Infinity });
      for (let round = 0; round < 30; round++) {
        const sizes = Array.from({ length: random() < 0.2 ? 1 + randomInt(random, 2) : 0 }, () =>
          encoder.resize(randomInt(random, tableBytes + 1)),
        );
        const fields = Array.from({ length: randomInt(random, 30) }, () => randomField(random));
        const block = Buffer.concat([...sizes, ...fields.map((field) => encode(random, encoder, field))]);
        expect(decoder.decode(block)).toEqual(fields.flat());
      }
    },
  );

  test('Whatever is changed in a header block, it is decoded or refused as one', () => {
    const random = randomSource(9113);
    for (let round = 0; round < 3000; round++) {
      const encoder = new ReferenceEncoder(4096);
      const block = Buffer.concat(Array.from({ length: 6 }, () => encode(random, encoder, randomField(random))));
      for (let change = 0; change < 3; change++) block[randomInt(random, block.length)] = randomInt(random, 256);
      try {
        const list = new HpackDecoder({ tableBytes: 4096, maxListBytes: 65_536 }).decode(
          block.subarray(0, randomInt(random, block.length + 1)),
        );
        expect(list === undefined || list.every((text) => typeof text === 'string')).toBe(true);
      } catch (error) {
        expect((error as Error).message).toMatch(/header/);
      }
    }
  });
});

interface Answer {
  readonly status: number;
  readonly fields: Field[];
}

/** A server of frames alone: what it decoded of each request, which it answers with the next of `answers`. */
async function startServer(answers: Answer[]): Promise<{ readonly port: number; readonly requests: string[][] }> {
  const requests: string[][] = [];
  const server = net.createServer((socket) => {
    socket.write(frame(FrameType.settings, 0, 0, Buffer.alloc(0)));
    const decoder = new HpackDecoder({ tableBytes: 4096, maxListBytes: 65_536 });
    let parts: Buffer[] = [];
    const reader = new FrameReader(
      {
        dataStart: () => {},
        dataPiece: () => {},
        dataEnd: () => {},
        frame: (type, flags, streamId, payload) => {
          if (type === FrameType.settings && (flags & Flag.ack) === 0)
            socket.write(frame(FrameType.settings, Flag.ack, 0, Buffer.alloc(0)));
          if (type !== FrameType.headers && type !== FrameType.continuation) return;
          parts.push(Buffer.from(flags & Flag.priority && type === FrameType.headers ? payload.subarray(5) : payload));
          if ((flags & Flag.endHeaders) === 0) return;
          requests.push(decoder.decode(Buffer.concat(parts))!);
          parts = [];
          const { status, fields } = answers.shift()!;
          socket.write(
            frame(
              FrameType.headers,
              Flag.endHeaders | Flag.endStream,
              streamId,
              Buffer.from(encodeAnswer(status, fields), 'latin1'),
            ),
          );
        },
        oversized: () => socket.destroy(),
      },
      16_384,
    );
    let preface = connectionPreface.length;
    socket.on('data', (chunk: Buffer) => {
      const skipped = Math.min(preface, chunk.length);
      preface -= skipped;
      reader.push(chunk.subarray(skipped));
    });
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { port: (server.address() as net.AddressInfo).port, requests };
}

async function ask(
  session: http2.ClientHttp2Session,
  headers: http2.OutgoingHttpHeaders,
): Promise<Record<string, unknown>> {
  const stream = session.request(headers);
  const answer = await new Promise<http2.IncomingHttpHeaders>((resolve, reject) =>
    stream.once('response', resolve).once('error', reject),
  );
  stream.resume();
  return Object.fromEntries(Object.entries(answer));
}

describe("Node's HTTP/2 client as the peer", () => {
  const request = (path: string, more: http2.OutgoingHttpHeaders = {}): http2.OutgoingHttpHeaders => ({
    ':method': 'GET',
    ':scheme': 'http',
    ':authority': '127.0.0.1',
    ':path': path,
    accept: 'application/json',
    'user-agent': 'kubectl/v1.32.0',
    ...more,
  });
  const kept = request('/kept', { authorization: `Bearer ${'k'.repeat(1000)}`, 'x-extra': 'v' });

  test("Requests of Node's HTTP/2 client are decoded, one after the other", async () => {
    const requests: http2.OutgoingHttpHeaders[] = [
      kept,
      kept,
      request('/api/v1/pods?limit=500', { 'x-latin': 'caf\xe9 \xff\x80' }),
      request('/api/v1/pods?limit=500', { 'x-latin': 'caf\xe9 \xff\x80', 'x-long': 'l'.repeat(3000) }),
      request('/long', { 'x-longer': `${'0123456789abcdef'.repeat(1500)}` }),
      request('/symbols', { 'x-symbols': '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~' }),
      request('/secret', {
        'x-secret': 's',
        [http2.sensitiveHeaders]: ['x-secret'],
      } as unknown as http2.OutgoingHttpHeaders),
      ...Array.from({ length: 100 }, (_, i) =>
        request(`/api/v1/namespaces/default/pods/web-${i}`, { 'x-turn': `${'t'.repeat(i)}${i}` }),
      ),
      kept,
    ];
    const server = await startServer(requests.map(() => ({ status: 200, fields: [] })));
    const session = http2.connect(`http://127.0.0.1:${server.port}`);
    onTestFinished(() => session.destroy());
    for (const headers of requests) {
      expect(await ask(session, headers)).toEqual({ ':status': 200 });
      expect(server.requests.at(-1)).toEqual(Object.entries(headers).flat());
    }
  });

  test("Response header blocks are decoded by Node's HTTP/2 client to the same fields", async () => {
    const answers: Answer[] = [
      {
        status: 200,
        fields: [
          ['content-type', 'application/json'],
          ['audit-id', 'a-1'],
          ['date', 'Mon, 21 Oct 2013 20:13:21 GMT'],
        ],
      }, // prettier-ignore
      {
        status: 200,
        fields: [
          ['content-type', 'application/json'],
          ['audit-id', 'a-2'],
          ['date', 'Mon, 21 Oct 2013 20:13:21 GMT'],
        ],
      }, // prettier-ignore
      { status: 429, fields: [['retry-after', '1']] },
      {
        status: 418,
        fields: [
          ['x-latin', 'caf\xe9'],
          ['x-long', 'l'.repeat(5000)],
          ['x-empty', ''],
        ],
      }, // prettier-ignore
      ...[126, 127, 128, 254, 255, 256].map((length) => ({
        status: 404,
        fields: [['x-long', 'l'.repeat(length)]] satisfies Field[],
      })),
    ];
    const server = await startServer([...answers]);
    const session = http2.connect(`http://127.0.0.1:${server.port}`);
    onTestFinished(() => session.destroy());
    for (const { status, fields } of answers)
      expect(await ask(session, kept)).toEqual({ ':status': status, ...Object.fromEntries(fields) });
  });
});
