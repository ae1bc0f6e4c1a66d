/** Requests and their fields: rows of RFC 9113, section 8. */
import { Flag } from '../../frames.ts';
import { encodeHeaders } from '../../hpack/encoder.ts';
import { continuation, data, headers } from '../client-frames.ts';
import { get, post, request } from '../requests.ts';
import { block, next, nothing, open, type Row, wholeRequest } from './stream-ids.ts';

export const requestRows: readonly Row[] = [
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
