/**
 * A client of WebSockets that offers any subprotocol, also one that is none by RFC 6455, as kubectl does. Its stream is
 * the content of binary messages.
 */
import { once } from 'node:events';
import https from 'node:https';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { TestServer } from './test-server.ts';

export interface RawWebSocket {
  readonly status: number;
  readonly protocol: string | undefined;
  /** Of an answer that is no WebSocket. */
  readonly body: string;
  readonly stream: Duplex;
}

export async function openRawWebSocket(
  { url, ca }: Pick<TestServer, 'url' | 'ca'>,
  path: string,
  protocol: string,
): Promise<RawWebSocket> {
  const request = https.request(`${url}${path}`, {
    ca,
    agent: false,
    headers: {
      authorization: 'Bearer admintoken',
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
      'sec-websocket-version': '13',
      'sec-websocket-protocol': protocol,
    },
  });
  request.end();
  const answer = await Promise.race([
    once(request, 'upgrade') as Promise<[IncomingMessage, Socket, Buffer]>,
    once(request, 'response') as Promise<[IncomingMessage]>,
  ]);
  const [response, socket, head] = answer;
  const status = response.statusCode ?? 0;
  if (socket === undefined) {
    const chunks: Buffer[] = [];
    for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
    return { status, protocol: undefined, body: Buffer.concat(chunks).toString(), stream: Duplex.from([]) };
  }
  const stream = messages(socket, head ?? Buffer.alloc(0));
  return { status, protocol: response.headers['sec-websocket-protocol'], body: '', stream };
}

const binary = 2;
const close = 8;

/** RFC 6455 section 5.2; the mask is zero. */
function frame(opcode: number, content: Buffer): Buffer {
  const head = Buffer.alloc(14);
  head[0] = 0x80 | opcode;
  head[1] = 0x80 | 127;
  head.writeBigUInt64BE(BigInt(content.length), 2);
  return Buffer.concat([head, content]);
}

function messages(socket: Socket, head: Buffer): Duplex {
  let pending = head;
  const stream = new Duplex({
    read: () => void socket.resume(),
    write: (chunk: Buffer, _, done) => void socket.write(frame(binary, chunk), () => done()),
    final: (done) => void socket.write(frame(close, Buffer.alloc(0)), () => done()),
    destroy: (error, done) => {
      socket.destroy();
      done(error);
    },
  });
  const take = (): boolean => {
    if (pending.length < 2) return false;
    const short = pending[1]! & 127;
    const headBytes = short === 127 ? 10 : short === 126 ? 4 : 2;
    if (pending.length < headBytes) return false;
    const length = short === 127 ? Number(pending.readBigUInt64BE(2)) : short === 126 ? pending.readUInt16BE(2) : short;
    if (pending.length < headBytes + length) return false;
    const opcode = pending[0]! & 15;
    const content = pending.subarray(headBytes, headBytes + length);
    pending = pending.subarray(headBytes + length);
    if (opcode === close) stream.push(null);
    else if (!stream.push(content)) socket.pause();
    return true;
  };
  socket.on('data', (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk]);
    while (take());
  });
  socket.on('error', () => undefined).once('close', () => stream.destroy());
  return stream;
}
