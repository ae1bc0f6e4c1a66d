import { describe, expect, test, vi } from 'vitest';
import { ErrorCode, Flag, FrameType, Setting, connectionPreface, frame, uint32 } from '../frames.ts';
import { encodeHeaders } from '../hpack/encoder.ts';
import { answer, echo, field, pattern, readBody, startServer } from '../testing/http2-server.ts';
import {
  connectRaw,
  continuation,
  data,
  get,
  goAway,
  headers,
  ping,
  post,
  request,
  reset,
  settings,
  windowUpdate,
} from '../testing/raw-client.ts';
import type { Fields, RawClient } from '../testing/raw-client.ts';
import type { ServerConnectionOptions } from './connection.ts';
import type { ServerStream } from './stream.ts';

const wholeRequest = Flag.endHeaders | Flag.endStream;
const nothing = Buffer.alloc(0);
const codeNames: Readonly<Record<number, string>> = Object.fromEntries(
  Object.entries(ErrorCode).map(([name, code]) => [code, name]),
);

/** Answers all but what is to be held, or broken off. */
function serve(stream: ServerStream): void {
  const path = field(stream, ':path');
  if (path === '/reset') stream.reset(ErrorCode.cancel);
  else if (path !== '/hold') answer(stream);
}

/** What a row of the table below finds. */
const ground = {
  /** Open for DATA, and not read. */
  open: 1,
  /** The request is whole, the answer is not: half-closed (remote). */
  halfClosed: 3,
  /** Over in both directions. */
  answered: 5,
  /** Reset by the client. */
  cancelled: 7,
  /** Reset by the server. */
  brokenOff: 9,
  /** Not opened yet; those between were skipped once it is. */
  next: 21,
  probe: 99,
} as const;

async function prepare(
  options: Partial<ServerConnectionOptions> = {},
): Promise<{ client: RawClient; streams: ServerStream[]; closes: number[] }> {
  const streams: ServerStream[] = [];
  const closes: number[] = [];
  const server = await startServer((stream) => {
    streams.push(stream);
    stream.onClose(() => closes.push(stream.id));
    serve(stream);
  }, options);
  const client = await connectRaw(server.port);
  client.greet();
  client.send(
    post(ground.open, '/hold'),
    get(ground.halfClosed, '/hold'),
    get(ground.answered),
    post(ground.cancelled, '/hold'),
    reset(ground.cancelled, ErrorCode.cancel),
    post(ground.brokenOff, '/reset'),
  );
  await client.resetOf(ground.brokenOff);
  return { client, streams, closes };
}

/**
 * What the server said to `frames`: an error, answers, or nothing. A request behind them shows that the connection
 * still serves.
 */
async function reaction(client: RawClient, frames: readonly Buffer[]): Promise<string> {
  const before = client.heard.length;
  client.send(...frames, get(ground.probe));
  const last = await client.waitFor(
    ({ type, streamId }) => type === FrameType.goAway || (type === FrameType.headers && streamId === ground.probe),
  );
  if (last.type === FrameType.goAway) {
    await client.ended;
    return `connection ${codeNames[last.code!]}`;
  }
  const said = client.heard.slice(before, client.heard.indexOf(last)).flatMap(({ type, streamId, code, fields }) => {
    if (type === FrameType.rstStream) return [`stream ${streamId} ${codeNames[code!]}`];
    return type === FrameType.headers ? [`stream ${streamId} ${fields!.get(':status')}`] : [];
  });
  return said.join(', ') || 'nothing';
}

const block = (fields: Fields = request('GET', '/')): Buffer => encodeHeaders(fields);
const { open, halfClosed, answered, cancelled, brokenOff, next } = ground;
const sized = (type: number, streamId: number, bytes: number): Buffer => frame(type, 0, streamId, Buffer.alloc(bytes));
const priority = (streamId: number, dependency: number): Buffer =>
  frame(FrameType.priority, 0, streamId, Buffer.concat([uint32(dependency), Buffer.from([15])]));
const oversize = 16_385;

interface Row {
  readonly name: string;
  readonly send: readonly Buffer[];
  /** Where the RFC leaves a choice, the one that this server made. */
  readonly expected: string;
  readonly options?: Partial<ServerConnectionOptions>;
}

const rows: readonly Row[] = [
  // Frames, RFC 9113 section 4
  {
    name: 'DATA larger than allowed',
    send: [sized(FrameType.data, open, oversize)],
    expected: 'connection frameSizeError',
  },
  {
    name: 'HEADERS larger than allowed',
    send: [sized(FrameType.headers, next, oversize)],
    expected: 'connection frameSizeError',
  },
  {
    name: 'an unknown frame larger than allowed',
    send: [sized(0x42, 0, oversize)],
    expected: 'connection frameSizeError',
  },
  {
    name: 'unknown frames',
    send: [frame(0x42, 0xff, open, Buffer.from('?')), frame(0xff, 0, 0, nothing), frame(0x42, 0, 77, nothing)],
    expected: 'nothing',
  },
  {
    name: 'flags without a meaning',
    send: [frame(FrameType.ping, 0xfe, 0, Buffer.alloc(8)), headers(next, request('GET', '/'), wholeRequest | 0xc2)],
    expected: `stream ${next} 200`,
  },
  {
    name: 'the reserved bit before a stream',
    send: [headers(next + 0x8000_0000, request('GET', '/'), wholeRequest)],
    expected: `stream ${next} 200`,
  },
  {
    name: 'a header block that cannot be decoded',
    send: [headers(next, Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0xff]))],
    expected: 'connection compressionError',
  },
  {
    name: 'an index that no table has',
    send: [headers(next, Buffer.from([0xc0]))],
    expected: 'connection compressionError',
  },
  { name: 'the index 0', send: [headers(next, Buffer.from([0x80]))], expected: 'connection compressionError' },
  {
    name: 'a header block that ends inside a field',
    send: [headers(next, block().subarray(0, -1))],
    expected: 'connection compressionError',
  },
  {
    name: 'a change of the table size behind a field',
    send: [headers(next, Buffer.concat([block(), Buffer.from([0x20])]), wholeRequest)],
    expected: 'connection compressionError',
  },
  {
    name: 'a table larger than offered',
    send: [headers(next, Buffer.concat([Buffer.from([0x3f, 0xe2, 0x1f]), block()]), wholeRequest)],
    expected: 'connection compressionError',
  },
  {
    name: 'a header block that cannot be decoded, on a stream that was broken off',
    send: [headers(brokenOff, Buffer.from([0xc0]), wholeRequest)],
    expected: 'connection compressionError',
  },

  // Streams, section 5.1
  {
    name: 'HEADERS on an even stream',
    send: [headers(22, request('GET', '/'), wholeRequest)],
    expected: 'connection protocolError',
  },
  {
    name: 'HEADERS on a stream that was skipped',
    send: [get(next), get(next - 2)],
    expected: 'connection protocolError',
  },
  {
    name: 'HEADERS on a stream that is half-closed',
    send: [headers(halfClosed, [['x', '1']], wholeRequest)],
    expected: `stream ${halfClosed} streamClosed`,
  },
  { name: 'HEADERS on a stream that was answered', send: [get(answered)], expected: 'connection protocolError' },
  { name: 'HEADERS on a stream that the client reset', send: [get(cancelled)], expected: 'connection protocolError' },
  {
    name: 'what was under way to a stream that the server reset',
    send: [
      data(brokenOff, 'x'),
      windowUpdate(brokenOff, 1),
      headers(brokenOff, [['x', '1']], wholeRequest),
      reset(brokenOff, ErrorCode.cancel),
    ],
    expected: 'nothing',
  },
  // Section 5.1.2
  {
    name: 'a stream more than may be open',
    send: [post(next, '/hold'), get(next + 2), post(next + 4), reset(next, ErrorCode.cancel)],
    options: { maxStreams: 3 },
    expected: `stream ${next + 2} refusedStream, stream ${next + 4} refusedStream`,
  },

  // DATA, section 6.1
  { name: 'DATA on stream 0', send: [data(0, 'x')], expected: 'connection protocolError' },
  { name: 'DATA on an idle stream', send: [data(next, 'x')], expected: 'connection protocolError' },
  { name: 'DATA on an even stream', send: [data(2, 'x')], expected: 'connection protocolError' },
  {
    name: 'empty DATA on an idle stream',
    send: [data(next, nothing, Flag.endStream)],
    expected: 'connection protocolError',
  },
  {
    name: 'padded DATA on an idle stream',
    send: [data(next, Buffer.from([1, 0, 0]), Flag.padded)],
    expected: 'connection protocolError',
  },
  {
    name: 'DATA on a stream that is half-closed',
    send: [data(halfClosed, 'x')],
    expected: `stream ${halfClosed} streamClosed`,
  },
  {
    name: 'DATA behind the end of a body',
    send: [data(open, 'x', Flag.endStream), data(open, 'x')],
    expected: `stream ${open} streamClosed`,
  },
  {
    name: 'DATA on a stream that was answered',
    send: [data(answered, 'x')],
    expected: `stream ${answered} streamClosed`,
  },
  {
    name: 'DATA on a stream that the client reset',
    send: [data(cancelled, 'x')],
    expected: `stream ${cancelled} streamClosed`,
  },
  { name: 'DATA that is all padding', send: [data(open, Buffer.from([3, 0, 0, 0]), Flag.padded)], expected: 'nothing' },
  {
    name: 'more padding than DATA',
    send: [data(open, Buffer.from([3, 0, 0]), Flag.padded)],
    expected: 'connection protocolError',
  },
  {
    name: 'DATA without the length of its padding',
    send: [data(open, nothing, Flag.padded)],
    expected: 'connection protocolError',
  },
  // Section 6.9.1
  {
    name: 'DATA beyond the window of a stream',
    send: Array.from({ length: 4 }, () => data(open, 16_384)),
    expected: `stream ${open} flowControlError`,
  },
  {
    name: 'DATA beyond the window of the connection',
    send: [post(next, '/hold'), ...Array.from({ length: 5 }, () => [data(open, 10_000), data(next, 10_000)]).flat()],
    options: { connectionWindowBytes: 65_535 },
    expected: 'connection flowControlError',
  },
  {
    name: 'DATA beyond the window of the connection, nowhere',
    send: Array.from({ length: 5 }, () => data(next, 16_384)),
    options: { connectionWindowBytes: 65_535 },
    expected: 'connection protocolError',
  },

  // HEADERS, section 6.2
  {
    name: 'HEADERS on stream 0',
    send: [headers(0, request('GET', '/'), wholeRequest)],
    expected: 'connection protocolError',
  },
  {
    name: 'more padding than HEADERS',
    send: [headers(next, Buffer.from([9, 0x88]), wholeRequest | Flag.padded)],
    expected: 'connection protocolError',
  },
  {
    name: 'HEADERS with padding and priority',
    send: [
      headers(
        next,
        Buffer.concat([Buffer.from([2]), uint32(open), Buffer.from([0]), block(), Buffer.alloc(2)]),
        wholeRequest | Flag.padded | Flag.priority,
      ),
    ],
    expected: `stream ${next} 200`,
  },
  {
    name: 'HEADERS too short for their priority',
    send: [headers(next, Buffer.alloc(4), wholeRequest | Flag.priority)],
    expected: 'connection frameSizeError',
  },
  {
    name: 'HEADERS without a field',
    send: [headers(next, nothing, wholeRequest)],
    expected: `stream ${next} protocolError`,
  },
  {
    name: 'trailers that do not end the stream',
    send: [headers(open, [['x', '1']])],
    expected: `stream ${open} protocolError`,
  },

  // PRIORITY, section 6.3: of no use any more, but checked
  {
    name: 'PRIORITY wherever it may be',
    send: [priority(open, 0), priority(answered, open), priority(next, 0), priority(2, 0)],
    expected: 'nothing',
  },
  // RFC 7540 had it as a stream error, of RFC 9113 it is no part any more.
  { name: 'PRIORITY of a stream over itself', send: [priority(open, open)], expected: 'nothing' },
  { name: 'PRIORITY of the connection', send: [priority(0, open)], expected: 'connection protocolError' },
  {
    name: 'PRIORITY of another length',
    send: [sized(FrameType.priority, open, 4)],
    expected: `stream ${open} frameSizeError`,
  },

  // RST_STREAM may not be sent for a stream that is idle (section 6.4).
  {
    name: 'PRIORITY of another length on an idle stream',
    send: [sized(FrameType.priority, next, 6)],
    expected: 'connection frameSizeError',
  },
  {
    name: 'PRIORITY of another length on an even stream',
    send: [sized(FrameType.priority, 2, 6)],
    expected: 'connection frameSizeError',
  },

  // RST_STREAM, section 6.4
  { name: 'RST_STREAM of the connection', send: [reset(0, 8)], expected: 'connection protocolError' },
  { name: 'RST_STREAM of an idle stream', send: [reset(next, 8)], expected: 'connection protocolError' },
  { name: 'RST_STREAM of an even stream', send: [reset(2, 8)], expected: 'connection protocolError' },
  {
    name: 'RST_STREAM of another length',
    send: [sized(FrameType.rstStream, open, 3)],
    expected: 'connection frameSizeError',
  },
  {
    name: 'RST_STREAM, and again',
    send: [reset(open, 8), reset(open, 8), reset(answered, 8), reset(halfClosed, 0xff)],
    expected: 'nothing',
  },

  // SETTINGS, section 6.5
  {
    name: 'SETTINGS of another length',
    send: [sized(FrameType.settings, 0, 5)],
    expected: 'connection frameSizeError',
  },
  { name: 'SETTINGS of a stream', send: [sized(FrameType.settings, open, 0)], expected: 'connection protocolError' },
  {
    name: 'an acknowledgement with settings',
    send: [frame(FrameType.settings, Flag.ack, 0, Buffer.alloc(6))],
    expected: 'connection frameSizeError',
  },
  { name: 'push neither on nor off', send: [settings([Setting.enablePush, 2])], expected: 'connection protocolError' },
  { name: 'push on and off', send: [settings([Setting.enablePush, 1], [Setting.enablePush, 0])], expected: 'nothing' },
  {
    name: 'a window too large by settings',
    send: [settings([Setting.initialWindowSize, 0x8000_0000])],
    expected: 'connection flowControlError',
  },
  // Section 6.9.2
  {
    name: 'a window that settings make too large',
    send: [windowUpdate(open, 1_000_000), settings([Setting.initialWindowSize, 0x7fff_ffff])],
    expected: 'connection flowControlError',
  },
  {
    name: 'frames too small by settings',
    send: [settings([Setting.maxFrameSize, 16_383])],
    expected: 'connection protocolError',
  },
  {
    name: 'frames too large by settings',
    send: [settings([Setting.maxFrameSize, 1 << 24])],
    expected: 'connection protocolError',
  },
  {
    name: 'the largest frames and windows',
    send: [settings([Setting.maxFrameSize, (1 << 24) - 1], [Setting.initialWindowSize, 0x7fff_ffff])],
    expected: 'nothing',
  },
  { name: 'unknown settings', send: [settings([0x99, 1], [0, 0xffff_ffff])], expected: 'nothing' },

  // PUSH_PROMISE, section 8.4
  {
    name: 'a push',
    send: [frame(FrameType.pushPromise, Flag.endHeaders, open, Buffer.concat([uint32(2), block()]))],
    expected: 'connection protocolError',
  },

  // PING, section 6.7
  { name: 'PING of another length', send: [sized(FrameType.ping, 0, 7)], expected: 'connection frameSizeError' },
  { name: 'PING on a stream', send: [sized(FrameType.ping, open, 8)], expected: 'connection protocolError' },

  // GOAWAY, section 6.8
  { name: 'GOAWAY on a stream', send: [sized(FrameType.goAway, open, 8)], expected: 'connection protocolError' },
  { name: 'GOAWAY that is too short', send: [sized(FrameType.goAway, 0, 7)], expected: 'connection frameSizeError' },

  // WINDOW_UPDATE, section 6.9
  {
    name: 'a window of the connection that grows by nothing',
    send: [windowUpdate(0, 0)],
    expected: 'connection protocolError',
  },
  {
    name: 'a window of a stream that grows by nothing',
    send: [windowUpdate(open, 0)],
    expected: `stream ${open} protocolError`,
  },
  {
    name: 'a window of the connection beyond its limit',
    send: [windowUpdate(0, 0x7fff_ffff)],
    expected: 'connection flowControlError',
  },
  {
    name: 'a window of a stream beyond its limit',
    send: [windowUpdate(open, 0x7fff_ffff)],
    expected: `stream ${open} flowControlError`,
  },
  {
    name: 'WINDOW_UPDATE of another length',
    send: [sized(FrameType.windowUpdate, 0, 5)],
    expected: 'connection frameSizeError',
  },
  {
    name: 'WINDOW_UPDATE of another length on a stream',
    send: [sized(FrameType.windowUpdate, open, 3)],
    expected: 'connection frameSizeError',
  },
  { name: 'WINDOW_UPDATE of an idle stream', send: [windowUpdate(next, 1)], expected: 'connection protocolError' },
  {
    name: 'WINDOW_UPDATE where a stream was',
    send: [windowUpdate(halfClosed, 1), windowUpdate(answered, 1), windowUpdate(cancelled, 1)],
    expected: 'nothing',
  },
  { name: 'the reserved bit before an increment', send: [windowUpdate(open, 0x8000_0001)], expected: 'nothing' },

  // CONTINUATION, section 6.10
  { name: 'CONTINUATION of nothing', send: [continuation(open, block())], expected: 'connection protocolError' },
  {
    name: 'CONTINUATION of stream 0',
    send: [headers(next, block(), 0), continuation(0, nothing)],
    expected: 'connection protocolError',
  },
  {
    name: 'CONTINUATION of another stream',
    send: [headers(next, block(), 0), continuation(open, nothing)],
    expected: 'connection protocolError',
  },
  {
    name: 'CONTINUATION behind the end',
    send: [headers(next, block(), Flag.endStream), continuation(next, nothing), continuation(next, nothing)],
    expected: 'connection protocolError',
  },
  {
    name: 'a header block interrupted by PING',
    send: [headers(next, block(), Flag.endStream), ping(), continuation(next, nothing)],
    expected: 'connection protocolError',
  },
  {
    name: 'a header block interrupted by DATA',
    send: [headers(next, block(), Flag.endStream), data(open, 'x'), continuation(next, nothing)],
    expected: 'connection protocolError',
  },
  {
    name: 'a header block interrupted by empty DATA',
    send: [headers(next, block(), Flag.endStream), data(open, nothing), continuation(next, nothing)],
    expected: 'connection protocolError',
  },
  {
    name: 'a header block interrupted by HEADERS',
    send: [headers(next, block(), Flag.endStream), get(next + 2), continuation(next, nothing)],
    expected: 'connection protocolError',
  },
  // Section 5.5: not even what is to be ignored elsewhere
  {
    name: 'a header block interrupted by an unknown frame',
    send: [headers(next, block(), Flag.endStream), frame(0x42, 0, 0, nothing), continuation(next, nothing)],
    expected: 'connection protocolError',
  },
  {
    name: 'a header block in many frames',
    send: [
      headers(next, nothing, Flag.endStream),
      ...[...block()].map((byte) => continuation(next, Buffer.from([byte]), 0)),
      continuation(next, nothing),
    ],
    expected: `stream ${next} 200`,
  },

  // Requests, section 8
  {
    name: 'a body as long as announced',
    send: [post(next, '/', [['content-length', '3']]), data(next, 'abc', Flag.endStream)],
    expected: `stream ${next} 200, stream ${next} noError`,
  },
  // Section 8.1.1
  {
    name: 'a body longer than announced',
    send: [post(next, '/hold', [['content-length', '3']]), data(next, 'abcd')],
    expected: `stream ${next} protocolError`,
  },
  {
    name: 'a body longer than announced in several frames',
    send: [post(next, '/hold', [['content-length', '3']]), data(next, 'ab'), data(next, 'cd', Flag.endStream)],
    expected: `stream ${next} protocolError`,
  },
  {
    name: 'a body shorter than announced',
    send: [post(next, '/hold', [['content-length', '3']]), data(next, 'ab', Flag.endStream)],
    expected: `stream ${next} protocolError`,
  },
  {
    name: 'a padded body shorter than announced',
    send: [
      post(next, '/hold', [['content-length', '3']]),
      data(next, Buffer.from([1, 97, 0]), Flag.endStream | Flag.padded),
    ],
    expected: `stream ${next} protocolError`,
  },
  {
    name: 'a body shorter than announced, with trailers',
    send: [post(next, '/hold', [['content-length', '3']]), data(next, 'ab'), headers(next, [['x', '1']], wholeRequest)],
    expected: `stream ${next} protocolError`,
  },
  {
    name: 'a body announced and left out',
    send: [get(next, '/hold', [['content-length', '3']])],
    expected: `stream ${next} protocolError`,
  },
  {
    name: 'an empty body announced',
    send: [get(next, '/', [['content-length', '0']])],
    expected: `stream ${next} 200`,
  },
  ...['x', '', '-1', '+1', '1.0', '0x1', '1,2', '1 2', '9'.repeat(30)].map((length) => ({
    name: `a length of "${length}"`,
    send: [post(next, '/hold', [['content-length', length]])],
    expected: `stream ${next} protocolError`,
  })),
  {
    name: 'two lengths',
    send: [
      post(next, '/hold', [
        ['content-length', '1'],
        ['content-length', '2'],
      ]),
    ],
    expected: `stream ${next} protocolError`,
  },

  // Section 8.2.1
  ...[
    'X-Upper',
    'with space',
    'with:colon',
    '',
    'with\0zero',
    'with\ttab',
    'with\x7fdelete',
    'with\xe4letter',
    'with"quote',
    'with(parentheses)',
    'with/slash',
  ].map((name) => ({
    name: `a field named ${JSON.stringify(name)}`,
    send: [get(next, '/', [[name, '1']])],
    expected: `stream ${next} protocolError`,
  })),
  ...['with\0zero', 'with\rreturn', 'with\nnewline'].map((value) => ({
    name: `a field of ${JSON.stringify(value)}`,
    send: [get(next, '/', [['x', value]])],
    expected: `stream ${next} protocolError`,
  })),
  {
    name: 'fields of all that they may be of',
    send: [
      get(next, '/', [
        ["!#$%&'*+-.^_`|~09az", 'a\tb \xe4"'],
        ['x', ''],
      ]),
    ],
    expected: `stream ${next} 200`,
  },
  // Not by the RFC, but Go's server takes them, and so clients may send them.
  ...[' before', 'behind ', '\tbefore', 'behind\t'].map((value) => ({
    name: `a field of ${JSON.stringify(value)}`,
    send: [get(next, '/', [['x', value]])],
    expected: `stream ${next} 200`,
  })),
  // Section 8.2.2: Go's server says in words what is wrong with such a request, where the RFC has it reset
  ...[
    ['connection', 'close'],
    ['keep-alive', '1'],
    ['proxy-connection', 'x'],
    ['transfer-encoding', 'chunked'],
    ['upgrade', 'websocket'],
    ['te', 'gzip'],
    ['te', 'trailers, gzip'],
  ].map(([name, value]) => ({
    name: `a field of the connection, ${name}: ${value}`,
    send: [get(next, '/', [[name!, value!]])],
    expected: `stream ${next} 400`,
  })),
  { name: 'te with what it may say', send: [get(next, '/', [['te', 'trailers']])], expected: `stream ${next} 200` },
  {
    name: 'fields that are too many',
    send: [
      headers(next, block(), Flag.endStream),
      ...Array.from({ length: 10 }, (_, i) =>
        continuation(next, encodeHeaders([['x', 'x'.repeat(7_000)]]), i === 9 ? Flag.endHeaders : 0),
      ),
    ],
    expected: `stream ${next} 431`,
  },
  {
    name: 'trailers that are too many',
    send: [
      headers(open, nothing, Flag.endStream),
      ...Array.from({ length: 10 }, (_, i) =>
        continuation(open, encodeHeaders([['x', 'x'.repeat(7_000)]]), i === 9 ? Flag.endHeaders : 0),
      ),
    ],
    expected: `stream ${open} protocolError`,
  },

  // Section 8.3
  ...[':method', ':scheme', ':path'].flatMap((name) => {
    const all = request('GET', '/hold');
    return [
      {
        name: `a request without ${name}`,
        send: [
          headers(
            next,
            all.filter((one) => one[0] !== name),
            wholeRequest,
          ),
        ],
        expected: `stream ${next} protocolError`,
      },
      {
        name: `a request with ${name} twice`,
        send: [headers(next, [...all, all.find((one) => one[0] === name)!], wholeRequest)],
        expected: `stream ${next} protocolError`,
      },
      {
        name: `a request with an empty ${name}`,
        send: [
          headers(
            next,
            all.map((one) => (one[0] === name ? [name, ''] : one)),
            wholeRequest,
          ),
        ],
        expected: `stream ${next} protocolError`,
      },
    ];
  }),
  {
    name: 'a request with :authority twice',
    send: [headers(next, [...request('GET', '/hold'), [':authority', 'other']], wholeRequest)],
    expected: `stream ${next} protocolError`,
  },
  {
    name: 'a request without :authority',
    send: [
      headers(
        next,
        [
          [':method', 'GET'],
          [':scheme', 'https'],
          [':path', '/'],
          ['host', 'localhost'],
        ],
        wholeRequest,
      ),
    ],
    expected: `stream ${next} 200`,
  },
  {
    name: 'an unknown pseudo-header field',
    send: [headers(next, [...request('GET', '/hold'), [':protocol', 'websocket']], wholeRequest)],
    expected: `stream ${next} protocolError`,
  },
  {
    name: 'a pseudo-header field of answers',
    send: [headers(next, [...request('GET', '/hold'), [':status', '200']], wholeRequest)],
    expected: `stream ${next} protocolError`,
  },
  {
    name: 'a pseudo-header field behind others',
    send: [
      headers(
        next,
        [
          [':method', 'GET'],
          [':scheme', 'http'],
          ['x', '1'],
          [':path', '/hold'],
        ],
        wholeRequest,
      ),
    ],
    expected: `stream ${next} protocolError`,
  },
  {
    name: 'a path that does not begin with a slash',
    send: [get(next, 'hold')],
    expected: `stream ${next} protocolError`,
  },
  { name: 'a path with a line break', send: [get(next, '/a\nb')], expected: `stream ${next} protocolError` },
  {
    name: 'a method with a blank',
    send: [headers(next, request('G ET', '/'), wholeRequest)],
    expected: `stream ${next} protocolError`,
  },
  // Section 8.5
  {
    name: 'CONNECT with a path',
    send: [headers(next, request('CONNECT', '/'), wholeRequest)],
    expected: `stream ${next} protocolError`,
  },
  // Section 8.1
  { name: 'trailers', send: [data(open, 'x'), headers(open, [['x', '1']], wholeRequest)], expected: 'nothing' },
  {
    name: 'a pseudo-header field in trailers',
    send: [headers(open, [[':path', '/']], wholeRequest)],
    expected: `stream ${open} protocolError`,
  },
  {
    name: 'a name in upper case in trailers',
    send: [headers(open, [['X', '1']], wholeRequest)],
    expected: `stream ${open} protocolError`,
  },
];

describe('HTTP/2 server connection with a client that breaks the rules, RFC 9113', () => {
  test.each(rows)('$name', async ({ send, expected, options }) => {
    const { client, streams, closes } = await prepare(options);
    const said = await reaction(client, send);
    expect(said).toBe(expected);
    const open = said.startsWith('connection') ? streams : streams.filter((stream) => stream.closed);
    await vi.waitFor(() =>
      expect(closes.toSorted((a, b) => a - b)).toEqual(open.map((stream) => stream.id).toSorted((a, b) => a - b)),
    );
    expect(open.every((stream) => stream.closed)).toBe(true);
  });

  test.each([
    { name: 'HTTP/1.1', bytes: Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n') },
    { name: 'almost the preface', bytes: Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r!') },
    { name: 'TLS', bytes: Buffer.from('16030100ba010000b6', 'hex') },
  ])('a beginning that is none, $name', async ({ bytes }) => {
    const handler = vi.fn();
    const client = await connectRaw((await startServer(handler)).port);
    client.send(bytes);
    await client.ended;
    expect(client.heard.filter((heard) => heard.type === FrameType.goAway).map((heard) => heard.code)).toEqual([
      ErrorCode.protocolError,
    ]);
    expect(handler).not.toHaveBeenCalled();
  });

  test.each([
    { name: 'PING', first: ping() },
    { name: 'a request', first: get(1) },
    { name: 'WINDOW_UPDATE', first: windowUpdate(0, 1) },
    { name: 'an unknown frame', first: frame(0x42, 0, 0, nothing) },
    // Section 3.4: the client's own, not its answer to ours.
    { name: 'an acknowledgement', first: frame(FrameType.settings, Flag.ack, 0, nothing) },
  ])('a first frame that is $name instead of SETTINGS', async ({ first }) => {
    const client = await connectRaw((await startServer(serve)).port);
    client.send(connectionPreface, first, settings(), get(99));
    expect((await client.goAway()).code).toBe(ErrorCode.protocolError);
    await client.ended;
  });

  test('the last stream that was looked at is named with the error', async () => {
    const { client } = await prepare();
    client.send(get(next), sized(FrameType.ping, 0, 7));
    expect(await client.goAway()).toMatchObject({ lastStreamId: next, code: ErrorCode.frameSizeError });
  });

  test('an error is heard although much was under way', async () => {
    const { client } = await prepare();
    client.send(sized(FrameType.ping, 0, 7), ...Array.from({ length: 100 }, () => data(open, 16_384)));
    expect((await client.goAway()).code).toBe(ErrorCode.frameSizeError);
    await client.ended;
  });
});

/** Bytes that the server has allowed beyond the first window. */
const windowGiven = ({ heard }: RawClient, streamId: number): number =>
  heard
    .filter((one) => one.type === FrameType.windowUpdate && one.streamId === streamId)
    .reduce((sum, one) => sum + one.payload.readUInt32BE(0), 0);

describe('HTTP/2 server connection, frame by frame', () => {
  test('says first what its limits are', async () => {
    const client = await connectRaw(
      (
        await startServer(serve, {
          maxStreams: 7,
          streamWindowBytes: 123_456,
          connectionWindowBytes: 234_567,
          maxHeaderListBytes: 54_321,
        })
      ).port,
    );
    client.greet();
    await client.waitFor((heard) => heard.type === FrameType.settings && (heard.flags & Flag.ack) !== 0);
    const [first] = client.heard;
    expect(first).toMatchObject({ type: FrameType.settings, flags: 0, streamId: 0 });
    const values = Object.fromEntries(
      Array.from({ length: first!.payload.length / 6 }, (_, i) => [
        first!.payload.readUInt16BE(6 * i),
        first!.payload.readUInt32BE(6 * i + 2),
      ]),
    );
    expect(values).toMatchObject({
      [Setting.maxConcurrentStreams]: 7,
      [Setting.initialWindowSize]: 123_456,
      6: 54_321,
    });
    const update = client.heard.find((heard) => heard.type === FrameType.windowUpdate);
    expect(update).toMatchObject({ streamId: 0 });
    expect(update!.payload.readUInt32BE(0)).toBe(234_567 - 65_535);
  });

  test('acknowledges each SETTINGS, and each PING with what it carried, but no acknowledgement', async () => {
    const client = await connectRaw((await startServer(serve)).port);
    client.greet();
    client.send(
      settings(),
      frame(FrameType.settings, Flag.ack, 0, nothing),
      frame(FrameType.ping, Flag.ack, 0, Buffer.from('an echo!')),
      ping('a first!'),
      ping('a second'),
      get(1),
    );
    await client.answer(1);
    expect(client.heard.filter((heard) => heard.type === FrameType.settings && heard.flags === Flag.ack)).toHaveLength(
      2,
    );
    expect(
      client.heard
        .filter((heard) => heard.type === FrameType.ping)
        .map((heard) => `${heard.flags} ${heard.payload.toString()}`),
    ).toEqual(['1 a first!', '1 a second']);
  });

  test('serves a conversation that arrives byte by byte', async () => {
    const client = await connectRaw((await startServer(echo)).port);
    const body = pattern(300);
    const bytes = Buffer.concat([
      connectionPreface,
      settings([Setting.headerTableSize, 0]),
      headers(1, block(request('POST', '/')), 0),
      continuation(1, encodeHeaders([['x', '1']])),
      data(1, body.subarray(0, 100)),
      data(1, Buffer.concat([Buffer.from([5]), body.subarray(100), Buffer.alloc(5)]), Flag.padded | Flag.endStream),
    ]);
    for (const byte of bytes) {
      client.send(Buffer.from([byte]));
      await new Promise((resolve) => setImmediate(resolve));
    }
    const { status, body: echoed } = await client.wholeAnswer(1);
    expect(status).toBe('200');
    expect(echoed.equals(body)).toBe(true);
  });

  test('a body longer than a frame comes in frames that the client takes', async () => {
    const client = await connectRaw(
      (await startServer((stream) => void (stream.respond(200, []), stream.end(pattern(60_000))))).port,
    );
    client.greet();
    client.send(get(1));
    expect((await client.wholeAnswer(1)).body.equals(pattern(60_000))).toBe(true);
    const sizes = client.heard.filter((heard) => heard.type === FrameType.data).map((heard) => heard.payload.length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(16_384);
  });

  test('a response before the end of the request is completed by RST_STREAM with NO_ERROR', async () => {
    const client = await connectRaw((await startServer((stream) => answer(stream))).port);
    client.greet();
    client.send(post(1));
    expect(await client.resetOf(1)).toMatchObject({ code: ErrorCode.noError });
    const end = client.heard.findIndex((heard) => heard.type === FrameType.data && heard.flags === Flag.endStream);
    expect(end).toBeGreaterThan(0);
    expect(client.heard.findIndex((heard) => heard.type === FrameType.rstStream)).toBeGreaterThan(end);
    expect(client.body(1).toString()).toBe('ok');
  });

  test('after a response to a complete request no frame is sent', async () => {
    const client = await connectRaw(
      (await startServer((stream) => void readBody(stream).then(() => answer(stream)))).port,
    );
    client.greet();
    client.send(post(1), data(1, 'x', Flag.endStream));
    await client.wholeAnswer(1);
    client.send(ping());
    await client.waitFor((heard) => heard.type === FrameType.ping);
    expect(client.heard.some((heard) => heard.type === FrameType.rstStream)).toBe(false);
  });

  test('compression keeps in step through requests that are not served', async () => {
    const seen: (string | undefined)[] = [];
    const server = await startServer(
      (stream) => {
        if (field(stream, ':path') === '/hold') return;
        seen.push(...['x-1', 'x-2', 'x-3', 'x-4'].map((name) => field(stream, name)));
        answer(stream);
      },
      { maxStreams: 2 },
    );
    const client = await connectRaw(server.port);
    client.greet();
    /** A literal that the table keeps. */
    const kept = (name: string, value: string): Buffer =>
      Buffer.concat([
        Buffer.from([0x40, name.length]),
        Buffer.from(name),
        Buffer.from([value.length]),
        Buffer.from(value),
      ]);
    const withField = (fields: Fields, name: string, value: string): Buffer =>
      Buffer.concat([encodeHeaders(fields), kept(name, value)]);
    client.send(
      post(1, '/hold'),
      post(3, '/hold'),
      headers(5, withField(request('GET', '/refused'), 'x-1', 'refused'), wholeRequest),
      headers(1, Buffer.concat([kept('x-2', 'trailers')]), wholeRequest),
      reset(3, ErrorCode.cancel),
      headers(7, withField([[':method', 'GET']], 'x-3', 'malformed'), wholeRequest),
      headers(9, withField(request('GET', '/'), 'x-4', 'served'), wholeRequest),
      headers(11, Buffer.concat([block(), Buffer.from([0xc1, 0xc0, 0xbf, 0xbe])]), wholeRequest),
    );
    await client.wholeAnswer(11);
    expect((await client.resetOf(5)).code).toBe(ErrorCode.refusedStream);
    expect((await client.resetOf(7)).code).toBe(ErrorCode.protocolError);
    expect(seen.slice(-4)).toEqual(['refused', 'trailers', 'malformed', 'served']);
  });

  test('compression keeps in step through a list of fields that is too large', async () => {
    const seen: (string | undefined)[] = [];
    const server = await startServer((stream) => void (seen.push(field(stream, 'x-1')), answer(stream)), {
      maxHeaderListBytes: 1_000,
    });
    const client = await connectRaw(server.port);
    client.greet();
    client.send(
      headers(
        1,
        Buffer.concat([
          block([...request('GET', '/'), ['x', 'x'.repeat(1_200)]]),
          Buffer.from([0x40, 3]),
          Buffer.from('x-1'),
          Buffer.from([4]),
          Buffer.from('kept'),
        ]),
        wholeRequest,
      ),
    );
    client.send(headers(3, Buffer.concat([block(), Buffer.from([0xbe])]), wholeRequest));
    await client.wholeAnswer(3);
    expect((await client.answer(1)).fields!.get(':status')).toBe('431');
    expect(seen).toEqual(['kept']);
  });

  test('what was under way to streams that the server reset counts, and is given back', async () => {
    const server = await startServer(serve, { connectionWindowBytes: 65_535 });
    const client = await connectRaw(server.port);
    client.greet();
    const bytes = 16_384 + 10_001 + 3_000;
    for (let i = 0; i < 20; i++) {
      const id = 2 * i + 1;
      await client.waitFor(() => windowGiven(client, 0) + 65_535 >= (i + 1) * bytes);
      client.send(
        post(id, '/reset'),
        data(id, 16_384),
        data(id, Buffer.concat([Buffer.from([255]), Buffer.alloc(10_000)]), Flag.padded),
        data(id, 3_000, Flag.endStream),
      );
      await client.resetOf(id);
    }
    client.send(get(99));
    expect((await client.wholeAnswer(99)).status).toBe('200');
  });

  test('the window of an unread body is returned when the client resets the stream', async () => {
    const server = await startServer(serve, { connectionWindowBytes: 65_535 });
    const client = await connectRaw(server.port);
    client.greet();
    for (let i = 0; i < 10; i++) {
      const id = 2 * i + 1;
      await client.waitFor(() => windowGiven(client, 0) + 65_535 >= (i + 1) * 30_000);
      client.send(post(id, '/hold'), data(id, 10_000), data(id, 10_000), data(id, 10_000), reset(id, ErrorCode.cancel));
    }
    client.send(get(99));
    expect((await client.wholeAnswer(99)).status).toBe('200');
  });

  test('padding counts in the windows, and is returned even when the body is not read', async () => {
    const streams: ServerStream[] = [];
    const server = await startServer((stream) => void streams.push(stream), {
      connectionWindowBytes: 65_535,
      streamWindowBytes: 65_535,
    });
    const client = await connectRaw(server.port);
    client.greet();
    client.send(post(1));
    let sent = 0;
    for (let i = 0; i < 1_000; i++) {
      await client.waitFor(() => sent + 256 <= 65_535 + Math.min(windowGiven(client, 0), windowGiven(client, 1)));
      client.send(data(1, Buffer.concat([Buffer.from([255]), Buffer.alloc(255)]), Flag.padded));
      sent += 256;
    }
    client.send(data(1, 'x', Flag.endStream));
    const pieces: string[] = [];
    await vi.waitFor(() => expect(streams).toHaveLength(1));
    await new Promise<void>((resolve) => {
      client.send(ping());
      void client
        .waitFor((heard) => heard.type === FrameType.ping)
        .then(() => streams[0]!.read({ onData: (piece) => pieces.push(piece.toString()), onEnd: () => resolve() }));
    });
    // Nothing was kept of what carries nothing.
    expect(pieces).toEqual(['x']);
  });

  test('a window is given back as a body is read, and not before', async () => {
    const streams: ServerStream[] = [];
    const server = await startServer((stream) => void streams.push(stream));
    const client = await connectRaw(server.port);
    client.greet();
    client.send(post(1), ...Array.from({ length: 6 }, () => data(1, 10_000)), ping());
    await client.waitFor((heard) => heard.type === FrameType.ping);
    expect(windowGiven(client, 1)).toBe(0);
    streams[0]!.read({ onData: () => {}, onEnd: () => {} });
    await client.waitFor(() => windowGiven(client, 1) > 0);
    expect(windowGiven(client, 1)).toBeLessThanOrEqual(60_000);
  });

  test('a window can become negative, and has to be filled up first', async () => {
    const server = await startServer((stream) => void (stream.respond(200, []), stream.end(pattern(100))));
    const client = await connectRaw(server.port);
    client.greet([Setting.initialWindowSize, 30]);
    client.send(get(1), ping('1st ping'));
    await client.waitFor((heard) => heard.payload.toString() === '1st ping');
    expect(client.body(1).length).toBe(30);
    client.send(settings([Setting.initialWindowSize, 10]), windowUpdate(1, 20), ping('2nd ping'));
    await client.waitFor((heard) => heard.payload.toString() === '2nd ping');
    expect(client.body(1).length).toBe(30);
    client.send(windowUpdate(1, 5), ping('3rd ping'));
    await client.waitFor((heard) => heard.payload.toString() === '3rd ping');
    expect(client.body(1).length).toBe(35);
    client.send(settings([Setting.initialWindowSize, 200]));
    expect((await client.wholeAnswer(1)).body.equals(pattern(100))).toBe(true);
  });

  test('acknowledges SETTINGS before it makes use of them', async () => {
    const server = await startServer((stream) => void (stream.respond(200, []), stream.end(pattern(100))));
    const client = await connectRaw(server.port);
    client.greet([Setting.initialWindowSize, 0]);
    client.send(get(1), ping());
    await client.waitFor((heard) => heard.type === FrameType.ping);
    const before = client.heard.length;
    client.send(settings([Setting.initialWindowSize, 100]));
    await client.wholeAnswer(1);
    // Until then the client holds the server to the settings before (RFC 9113, section 6.5.3).
    expect(client.heard[before]).toMatchObject({ type: FrameType.settings, flags: Flag.ack });
  });

  test('the end of a body needs no window', async () => {
    const server = await startServer(
      (stream) => void (stream.respond(200, []), stream.write(pattern(10)), stream.end()),
    );
    const client = await connectRaw(server.port);
    client.greet([Setting.initialWindowSize, 10]);
    client.send(get(1));
    expect((await client.wholeAnswer(1)).body.length).toBe(10);
    client.send(settings([Setting.initialWindowSize, 0]), get(3, '/'));
    await client.answer(3);
  });

  test('many streams share the window of the connection', async () => {
    const server = await startServer((stream) => void (stream.respond(200, []), stream.end(Buffer.alloc(300_000))));
    const client = await connectRaw(server.port);
    client.greet([Setting.initialWindowSize, 1_000_000]);
    client.send(get(1), get(3), get(5), ping());
    await client.waitFor((heard) => heard.type === FrameType.ping);
    await client.waitFor(() => client.body(1).length + client.body(3).length + client.body(5).length === 65_535);
    // Each stream gets a part of the connection's window.
    client.send(windowUpdate(0, 300_000));
    await client.waitFor(() => client.body(1).length + client.body(3).length + client.body(5).length === 365_535);
    expect(Math.min(client.body(3).length, client.body(5).length)).toBeGreaterThan(0);
    client.send(windowUpdate(0, 1_000_000));
    for (const id of [1, 3, 5]) expect((await client.wholeAnswer(id)).body.length).toBe(300_000);
  });

  test.each([
    { name: 'the server leaves', leave: true },
    { name: 'the client has said GOAWAY', leave: false },
  ])('streams that are open go on when $name, whatever the client sends to others', async ({ leave }) => {
    const { client, streams } = await (async () => {
      const held: ServerStream[] = [];
      const server = await startServer((stream) => void held.push(stream));
      const raw = await connectRaw(server.port);
      raw.greet();
      raw.send(get(1), ping('1st ping'));
      await raw.waitFor((heard) => heard.type === FrameType.ping);
      if (leave) server.connections[0]!.leave();
      else raw.send(goAway(0, ErrorCode.noError));
      return { client: raw, streams: held };
    })();
    if (leave) expect(await client.goAway()).toMatchObject({ lastStreamId: 1, code: ErrorCode.noError });
    // It may not have heard yet.
    client.send(
      post(3),
      data(3, 'x'),
      windowUpdate(3, 5),
      headers(3, [['x', '1']], wholeRequest),
      post(5),
      reset(5, ErrorCode.cancel),
      priority(7, 0),
      ping('2nd ping'),
    );
    await client.waitFor((heard) => heard.payload.toString() === '2nd ping');
    answer(streams[0]!);
    expect((await client.wholeAnswer(1)).body.toString()).toBe('ok');
    // What the client may still have begun is served when the server was not the one to leave.
    for (const stream of streams.slice(1)) if (!stream.closed) answer(stream);
    await client.ended;
    expect(client.heard.filter((heard) => heard.type === FrameType.goAway && heard.code !== ErrorCode.noError)).toEqual(
      [],
    );
  });

  test('a frame cut anywhere is put together', async () => {
    const client = await connectRaw((await startServer(echo)).port);
    client.greet();
    const whole = Buffer.concat([post(1), data(1, pattern(20)), data(1, pattern(20), Flag.endStream)]);
    for (let at = 1, id = 1; at < whole.length; at++, id += 2) {
      const bytes = Buffer.concat([post(id), data(id, pattern(20)), data(id, pattern(20), Flag.endStream)]);
      client.send(bytes.subarray(0, at));
      await new Promise((resolve) => setImmediate(resolve));
      client.send(bytes.subarray(at));
      expect((await client.wholeAnswer(id)).body.length).toBe(40);
    }
  });
});
