import { describe, expect, test, vi } from 'vitest';
import { Exchange, connectTo, post, startRawPeer } from '../testing/http2-peer.ts';
import { ErrorCode, Flag, FrameType, frame, settingsPayload, uint32 } from '../frames.ts';
import { encodeHeaders } from '../hpack/encoder.ts';

describe('HTTP/2 connection with a peer that breaks the rules, RFC 9113', () => {
  const ok = encodeHeaders([[':status', '200']]);

  test.each([
    { name: 'data on stream 0', send: [frame(FrameType.data, 0, 0, Buffer.from('x'))], code: ErrorCode.protocolError },
    {
      name: 'data on a stream that was not opened',
      send: [frame(FrameType.data, 0, 9, Buffer.from('x'))],
      code: ErrorCode.protocolError,
    },
    {
      name: 'headers on a stream that was not opened',
      send: [frame(FrameType.headers, Flag.endHeaders, 9, ok)],
      code: ErrorCode.protocolError,
    },
    {
      name: 'a push',
      send: [frame(FrameType.pushPromise, Flag.endHeaders, 1, Buffer.concat([uint32(2), ok]))],
      code: ErrorCode.protocolError,
    },
    {
      name: 'a frame larger than allowed',
      send: [frame(FrameType.data, 0, 1, Buffer.alloc(16_385))],
      code: ErrorCode.frameSizeError,
    },
    {
      name: 'headers that cannot be decoded',
      send: [frame(FrameType.headers, Flag.endHeaders, 1, Buffer.from([0xbe]))],
      code: ErrorCode.compressionError,
    },
    {
      name: 'a header block interrupted',
      send: [frame(FrameType.headers, 0, 1, ok), frame(FrameType.ping, 0, 0, Buffer.alloc(8))],
      code: ErrorCode.protocolError,
    },
    {
      name: 'a header block interrupted by data',
      send: [frame(FrameType.headers, 0, 1, ok), frame(FrameType.data, 0, 1, Buffer.from('x'))],
      code: ErrorCode.protocolError,
    },
    {
      name: 'a continuation of nothing',
      send: [frame(FrameType.continuation, Flag.endHeaders, 1, ok)],
      code: ErrorCode.protocolError,
    },
    {
      name: 'endless headers',
      send: [
        frame(FrameType.headers, 0, 1, ok),
        ...Array.from({ length: 20 }, () => frame(FrameType.continuation, 0, 1, Buffer.alloc(16_000))),
      ],
      code: ErrorCode.enhanceYourCalm,
    },
    {
      name: 'more padding than data',
      send: [frame(FrameType.data, Flag.padded, 1, Buffer.from([2, 0]))],
      code: ErrorCode.protocolError,
    },
    {
      name: 'more padding than headers',
      send: [frame(FrameType.headers, Flag.padded | Flag.endHeaders, 1, Buffer.from([9, 0x88]))],
      code: ErrorCode.protocolError,
    },
    {
      name: 'settings of odd length',
      send: [frame(FrameType.settings, 0, 0, Buffer.alloc(5))],
      code: ErrorCode.frameSizeError,
    },
    {
      name: 'a window beyond its limit by settings',
      send: [frame(FrameType.settings, 0, 0, settingsPayload([[4, 0x8000_0000]]))],
      code: ErrorCode.flowControlError,
    },
    {
      name: 'a window beyond its limit by update',
      send: [frame(FrameType.windowUpdate, 0, 0, uint32(0x7fff_ffff))],
      code: ErrorCode.flowControlError,
    },
    {
      name: 'a ping of odd length',
      send: [frame(FrameType.ping, 0, 0, Buffer.alloc(7))],
      code: ErrorCode.frameSizeError,
    },
    {
      name: 'a GOAWAY of odd length',
      send: [frame(FrameType.goAway, 0, 0, Buffer.alloc(4))],
      code: ErrorCode.frameSizeError,
    },
  ])('The HTTP/2 client ends a connection after $name', async ({ send, code }) => {
    const peer = await startRawPeer();
    const connection = await connectTo(peer.port);
    const exchange = new Exchange();
    connection.open(post, exchange).send(Buffer.from('x'), false);
    await vi.waitFor(() => expect(peer.heard.some((one) => one.type === FrameType.headers)).toBe(true));
    peer.send(...send);
    expect(await exchange.closed).toMatchObject({ name: 'Http2Error', unprocessed: false });
    const goAway = await vi.waitFor(() => {
      const found = peer.heard.find((one) => one.type === FrameType.goAway);
      expect(found).toBeDefined();
      return found!;
    });
    expect(goAway.payload.readUInt32BE(4)).toBe(code);
  });

  test.each([
    {
      name: 'frames of unknown types',
      send: [frame(0x42, 0xff, 1, Buffer.from('?')), frame(FrameType.priority, 0, 1, Buffer.alloc(5))],
    },
    {
      name: 'frames on streams that are over',
      send: [frame(FrameType.rstStream, 0, 7, uint32(0)), frame(FrameType.windowUpdate, 0, 7, uint32(1))],
    },
    { name: 'unknown settings', send: [frame(FrameType.settings, 0, 0, settingsPayload([[0x99, 1]]))] },
  ])('An HTTP/2 client ignores $name', async ({ send }) => {
    const peer = await startRawPeer();
    const connection = await connectTo(peer.port);
    const exchange = new Exchange();
    connection.open(post, exchange).send(Buffer.from('x'), true);
    await vi.waitFor(() => expect(peer.heard.some((one) => one.type === FrameType.headers)).toBe(true));
    peer.send(...send, frame(FrameType.headers, Flag.endHeaders | Flag.endStream, 1, ok));
    expect(await exchange.closed).toBeUndefined();
    expect(exchange.header(':status')).toBe('200');
  });
});
