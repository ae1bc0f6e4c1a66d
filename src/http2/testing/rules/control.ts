/** RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE and CONTINUATION: rows of RFC 9113, sections 6.4 to 6.10. */
import { Flag, FrameType, Setting, frame, uint32 } from '../../frames.ts';
import { continuation, data, headers, ping, reset, settings, windowUpdate } from '../client-frames.ts';
import { get } from '../requests.ts';
import { answered, block, cancelled, halfClosed, next, nothing, open, type Row, sized } from './stream-ids.ts';

export const controlRows: readonly Row[] = [
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
];
