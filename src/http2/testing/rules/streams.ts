/** Frames, streams, DATA, HEADERS and PRIORITY: rows of RFC 9113, sections 4 to 6.3. */
import { ErrorCode, Flag, FrameType, frame, uint32 } from '../../frames.ts';
import { data, headers, reset, windowUpdate } from '../client-frames.ts';
import { get, post, request } from '../requests.ts';
import {
  answered,
  block,
  brokenOff,
  cancelled,
  halfClosed,
  next,
  nothing,
  open,
  oversize,
  priority,
  type Row,
  sized,
  wholeRequest,
} from './stream-ids.ts';

export const streamRows: readonly Row[] = [
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
];
