import http2 from 'node:http2';
import { describe, expect, test } from 'vitest';
import { answer, echo, field, pattern, sendBody, startServer } from '../testing/http2-server.ts';
import { connect, get, post, roundTrip } from '../testing/nghttp2-client.ts';

describe('HTTP/2 server connection with nghttp2 as its client', () => {
  test('An HTTP/2 server connection reads and sends fields that take several frames', async () => {
    const seen: string[] = [];
    const value = 'abc~'.repeat(12_000);
    const server = await startServer((stream) => {
      seen.push(field(stream, 'x-long')!);
      stream.respond(200, [
        ['x-long', value],
        ['x-short', '1'],
      ]);
      stream.end(Buffer.from('body'));
    });
    const session = await connect(server.port);
    for (let i = 0; i < 2; i++) {
      const { headers, body } = await get(session, '/', { 'x-long': value });
      expect(headers['x-long']).toBe(value);
      expect(headers['x-short']).toBe('1');
      expect(body.toString()).toBe('body');
    }
    expect(seen).toEqual([value, value]);
  });

  test('An HTTP/2 server connection handles every character of a field, with and without Huffman', async () => {
    const characters = [
      ...Array.from({ length: 95 }, (_, i) => 0x20 + i),
      ...Array.from({ length: 128 }, (_, i) => 0x80 + i),
    ].map((code) => String.fromCharCode(code));
    // The first is long enough for Huffman coding to pay off, and the character is not at an edge, where blanks would
    // be trimmed.
    const values = characters.flatMap((character) => [`${'0'.repeat(40)}${character}${character}0`, `~${character}~`]);
    let seen: (string | undefined)[] = [];
    const server = await startServer((stream) => {
      seen = values.map((_, i) => field(stream, `x-${i}`));
      const fields = values.map((value, i) => [`x-${i}`, value] as const);
      stream.respond(200, fields, true);
    });
    const session = await connect(server.port, { maxHeaderListPairs: 1_000, settings: { maxHeaderListSize: 100_000 } });
    const { headers } = await get(session, '/', Object.fromEntries(values.map((value, i) => [`x-${i}`, value])));
    expect(seen).toEqual(values);
    expect(values.map((_, i) => headers[`x-${i}`])).toEqual(values);
  });

  test('An HTTP/2 server connection keeps the order of header fields, and repeated fields', async () => {
    let seen: readonly string[] = [];
    const fields = [
      ['b', '1'],
      ['warning', '299 - "first"'],
      ['a', '2'],
      ['warning', '299 - "second"'],
      ['set-cookie', 'x=1'],
      ['set-cookie', 'y=2'],
    ] as const;
    const server = await startServer((stream) => {
      seen = stream.fields;
      stream.respond(200, fields, true);
    });
    const session = await connect(server.port);
    const { raw } = await get(session, '/x?y=%20z', { accept: 'text/plain', 'x-group': ['one', 'two'], 'x-last': '' });
    const pairs = Array.from({ length: seen.length / 2 }, (_, i) => `${seen[2 * i]}=${seen[2 * i + 1]}`);
    expect(pairs.slice(0, 4).toSorted()).toEqual([
      `:authority=127.0.0.1:${server.port}`,
      ':method=GET',
      ':path=/x?y=%20z',
      ':scheme=http',
    ]);
    expect(pairs.slice(4)).toEqual(['accept=text/plain', 'x-group=one', 'x-group=two', 'x-last=']);
    expect(raw).toEqual([':status', '200', ...fields.flat()]);
  });

  test('An HTTP/2 server connection keeps in step with the dynamic table of the client', async () => {
    const seen: (string | undefined)[][] = [];
    const server = await startServer((stream) => {
      seen.push([field(stream, 'x-same'), field(stream, 'x-other')]);
      answer(stream);
    });
    const session = await connect(server.port);
    const expected = Array.from({ length: 300 }, (_, i) => [
      'the same each time',
      `another ${i % 120} ${'-'.repeat(i % 90)}`,
    ]);
    for (const [same, other] of expected) await get(session, '/', { 'x-same': same, 'x-other': other });
    expect(seen).toEqual(expected);
  });

  test('An HTTP/2 server connection removes the padding of DATA frames', async () => {
    const server = await startServer(echo, { streamWindowBytes: 5_000 });
    const session = await connect(server.port, { paddingStrategy: http2.constants.PADDING_STRATEGY_MAX });
    const body = pattern(50_001);
    expect((await post(session, body)).body.equals(body)).toBe(true);
  });

  test('An HTTP/2 server connection answers PING frames of the client', async () => {
    const session = await connect((await startServer(echo)).port);
    const payload = await new Promise((resolve, reject) => {
      session.ping(Buffer.from('12345678'), (error, _, echoed) =>
        error === null ? resolve(echoed.toString()) : reject(error),
      );
    });
    expect(payload).toBe('12345678');
  });

  test('An HTTP/2 server connection applies new settings of the client, also to open streams', async () => {
    const body = pattern(200_000);
    const server = await startServer((stream) => sendBody(stream, body));
    const session = await connect(server.port, { settings: { initialWindowSize: 0 } });
    const answered = get(session);
    await roundTrip(session);
    session.settings({ initialWindowSize: 10_000 });
    expect((await answered).body.equals(body)).toBe(true);
  });

  test('An HTTP/2 server connection sends frames as large as the client takes, and no larger', async () => {
    const body = pattern(400_000);
    const server = await startServer((stream) => {
      stream.respond(200, []);
      stream.end(body);
    });
    const session = await connect(server.port, { settings: { maxFrameSize: 100_000, initialWindowSize: 1_000_000 } });
    expect((await get(session)).body.equals(body)).toBe(true);
  });
});
