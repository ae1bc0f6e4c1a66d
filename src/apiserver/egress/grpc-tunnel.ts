/**
 * Connections through a tunnel server by konnectivity's protocol: a stream of packets over gRPC, on a unix socket.
 *
 * Each connection has a unix connection and a stream of its own, as upstream's client has it: what a tunnel server does
 * wrong ends that connection and no other. Neither side of the protocol can half-close: the end of what is written
 * closes the connection.
 */
import { randomBytes } from 'node:crypto';
import net from 'node:net';
import { Duplex } from 'node:stream';
import { abortable } from '../../base/abortable.ts';
import { systemClock, type Timer } from '../../base/clock.ts';
import type { DialAddress } from '../../base/dialer.ts';
import { connected } from '../../client/transport/socket.ts';
import { requestHeaders, StreamCall, type StreamCallHandler } from '../../grpc/call.ts';
import type { GrpcError } from '../../grpc/grpc-error.ts';
import { Http2Connection } from '../../http2/client/connection.ts';
import { authorityOf } from './authority.ts';
import type { OnStage } from './dial-stage.ts';
import { closeDial, closeRequest, dataPacket, dialRequest, type Packet, proxyMethod } from './packet.ts';

/** Bytes that the tunnel server may send ahead of what is read. */
const windowBytes = 256 * 1024;
/** Of one packet: gRPC's usual limit. */
const maxPacketBytes = 4 * 1024 * 1024;
const maxDataBytes = 64 * 1024;
/** As upstream's client waits. */
const closeTimeoutMs = 10_000;
/** Servers in Go end connections that are asked more often than every five minutes. */
const keepalive = { keepaliveMs: 6 * 60_000, keepaliveTimeoutMs: 20_000 };
const peer = 'the tunnel server';
const headers = requestHeaders(proxyMethod.path, { authority: 'localhost', secure: false });

/** Rejects when the tunnel server is not there, refuses, or breaks off before the connection is there. */
export async function dialThroughGrpc(
  path: string,
  address: DialAddress,
  signal: AbortSignal,
  onStage: OnStage,
): Promise<Duplex> {
  const socket = await connected(net.connect({ path }), 'connect', signal);
  onStage('proxy');
  const http2 = new Http2Connection(socket, { clock: systemClock, streamWindowBytes: windowBytes, ...keepalive });
  const connection = new TunnelConnection(http2, socket, authorityOf(address));
  try {
    await abortable(connection.dialed, signal);
    return connection;
  } catch (error) {
    connection.giveUp();
    throw error;
  }
}

class TunnelConnection extends Duplex implements StreamCallHandler<Packet> {
  readonly dialed: Promise<void>;
  #settle!: { readonly resolve: () => void; readonly reject: (reason: Error) => void };
  readonly #http2: Http2Connection;
  readonly #socket: net.Socket;
  readonly #call: StreamCall<Packet>;
  /** By which the answer to the dial is known. */
  readonly #random = randomBytes(8).readBigInt64BE() & 0x7fff_ffff_ffff_ffffn;
  #connectId: bigint | undefined;
  #written: (() => void) | undefined;
  #closing: Timer | undefined;
  #isClosed = false;

  constructor(http2: Http2Connection, socket: net.Socket, address: string) {
    super({ allowHalfOpen: false });
    this.#http2 = http2;
    this.#socket = socket;
    this.dialed = new Promise((resolve, reject) => (this.#settle = { resolve, reject }));
    this.dialed.catch(() => undefined);
    this.#call = new StreamCall(proxyMethod.decode, this, peer, maxPacketBytes);
    this.#call.start(http2, headers);
    this.#call.send(dialRequest(address, this.#random));
  }

  giveUp(): void {
    if (this.#connectId === undefined) this.#call.send(closeDial(this.#random));
    this.destroy();
  }

  /** Packets about other connections, and data before there is one, are ignored, as upstream ignores them. */
  onMessage(packet: Packet): void {
    switch (packet.type) {
      case 'dialed':
        if (packet.random !== this.#random || this.#connectId !== undefined) return;
        if (packet.error !== '') return this.#fail(new Error(`${peer} could not connect: ${packet.error}`));
        this.#connectId = packet.connectId;
        return this.#settle.resolve();
      case 'dialClosed':
        if (packet.random === this.#random) this.#fail(new Error(`${peer} closed the dial`));
        return;
      case 'data':
        if (packet.connectId !== this.#connectId || this.#isClosed) return;
        if (packet.error !== '') return this.#fail(new Error(`${peer} reports: ${packet.error}`));
        if (packet.data.length > 0 && !this.push(packet.data)) this.#call.pause();
        return;
      case 'closed':
        if (packet.connectId !== this.#connectId) return;
        if (packet.error !== '') return this.#fail(new Error(`${peer} closed the connection: ${packet.error}`));
        return this.#end();
      case 'other':
        return;
    }
  }

  onDrain(): void {
    const written = this.#written;
    this.#written = undefined;
    written?.();
  }

  /** A tunnel that ends without saying that the connection does has broken off. */
  onEnd(error: GrpcError | undefined): void {
    if (this.#isClosed) return;
    this.#fail(error ?? reset(`${peer} ended the tunnel`));
  }

  override _read(): void {
    this.#call.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    let isSent = true;
    for (let at = 0; at < chunk.length; at += maxDataBytes)
      isSent = this.#call.send(dataPacket(this.#connectId!, chunk.subarray(at, at + maxDataBytes)));
    if (!isSent) this.#written = done;
    else if (this.#socket.writableNeedDrain) this.#socket.once('drain', done);
    else done();
  }

  override _final(done: () => void): void {
    if (!this.#isClosed && this.#connectId !== undefined) {
      this.#call.send(closeRequest(this.#connectId));
      this.#closing = systemClock.after(closeTimeoutMs, () => this.destroy());
    }
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#settle.reject(error ?? new Error('the connection was closed'));
    this.#closing?.cancel();
    if (!this.#isClosed && !this.writableFinished && this.#connectId !== undefined)
      this.#call.send(closeRequest(this.#connectId));
    this.#isClosed = true;
    // What was sent last leaves at the end of this turn.
    setImmediate(() => {
      this.#call.cancel();
      this.#http2.destroy(new Error('the connection through the tunnel has ended'));
    });
    done(error);
  }

  #end(): void {
    this.#isClosed = true;
    this.#closing?.cancel();
    this.push(null);
  }

  #fail(error: Error): void {
    this.#settle.reject(error);
    this.#isClosed = true;
    // A failed dial is told by the promise alone.
    this.destroy(this.#connectId === undefined ? undefined : error);
  }
}

const reset = (message: string): Error => Object.assign(new Error(message), { code: 'ECONNRESET' });
