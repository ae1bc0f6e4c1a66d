/**
 * The client's side of exec and attach over SPDY/3.1: the streams of a command, and how it has ended.
 * @see {@link https://kubernetes.io/docs/reference/command-line-tools-reference/kubelet/ | kubelet}
 */
import type { Duplex, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Clock, systemClock } from '../../base/clock.ts';
import { internalError, StatusError } from '../../machinery/status.ts';
import { SpdyConnection } from '../../spdy/connection.ts';
import type { SpdyStream } from '../../spdy/stream.ts';
import { commandEnd, type CommandEnd, textEnd } from './command-end.ts';
import type { Throttling } from './throttle.ts';

/** What node agents may speak, best first. The first version has no name. */
export const commandProtocols = [5, 4, 3, 2].map((version) => `v${version}.channel.k8s.io`).concat('channel.k8s.io');

export interface CommandStreams {
  /** Undefined where the command has no input. */
  readonly stdin: Readable | undefined;
  /** Resolves when there is space for more. */
  readonly stdout: ((bytes: Buffer) => Promise<void>) | undefined;
  readonly stderr: ((bytes: Buffer) => Promise<void>) | undefined;
  /** Sizes of the terminal, in JSON. Undefined where there is none. */
  readonly resize: Readable | undefined;
}

export interface NodeCommandOptions {
  /** What the node agent has agreed to; empty where it named nothing. */
  readonly protocol: string;
  readonly throttling: Throttling;
  /** Ends the command's connection. */
  readonly signal: AbortSignal;
  readonly clock?: Clock;
}

/** Bytes of how a command has ended. */
const maxEndBytes = 64 * 1024;

/** Between the API server and a node there may be what ends connections on which nothing is said. */
const pingEveryMs = 5_000;

/** Resolves when all output has been handed on, with how the command has ended. Never rejects. */
export async function runOnNode(
  socket: Duplex,
  streams: CommandStreams,
  { protocol, throttling, signal, clock = systemClock }: NodeCommandOptions,
): Promise<CommandEnd> {
  const connection = new SpdyConnection(socket, { side: 'client' });
  const abort = (): void => connection.destroy();
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  const stopPings = keepUp(connection, clock);
  try {
    const open = (type: string): SpdyStream => connection.open(new Map([['streamtype', [type]]]));
    const version = Number(/^v(\d)\./.exec(protocol)?.[1] ?? 1);
    const error = open('error');
    const input = streams.stdin === undefined ? undefined : { from: streams.stdin, to: open('stdin') };
    const outputs = [
      { type: 'stdout', write: streams.stdout },
      { type: 'stderr', write: streams.stderr },
    ].flatMap(({ type, write }) => (write === undefined ? [] : [{ stream: open(type), write }]));
    const resize = streams.resize === undefined || version < 3 ? undefined : open('resize');
    // An input ends when the client says so; the command may end before.
    if (input !== undefined) void pipeline(throttling.source(input.from), input.to).catch(() => undefined);
    if (resize !== undefined) void pipeline(streams.resize!, resize).catch(() => undefined);
    const copied = outputs.map(({ stream, write }) => copy(throttling.source(stream), write));
    const [text] = await Promise.all([readEnd(error), ...copied]);
    return version >= 4 ? commandEnd(text) : textEnd(text);
  } catch (error) {
    return { code: 500, status: error instanceof StatusError ? error : internalError((error as Error).message) };
  } finally {
    stopPings();
    signal.removeEventListener('abort', abort);
    await finish(connection, socket, clock);
  }
}

async function copy(from: Readable, write: (bytes: Buffer) => Promise<void>): Promise<void> {
  // The stream ends with the connection: a reset behind its end would be one word too many.
  for await (const bytes of from.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) await write(bytes);
}

async function readEnd(error: SpdyStream): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const bytes of error.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      if ((size += bytes.length) > maxEndBytes) throw new Error('it is too long');
      pieces.push(bytes);
    }
  } catch (failure) {
    throw new Error(`error reading from error stream: ${(failure as Error).message}`, { cause: failure });
  }
  return Buffer.concat(pieces).toString();
}

/** Pings while the last one was answered. @returns what ends it */
function keepUp(connection: SpdyConnection, clock: Clock): () => void {
  let timer = clock.after(pingEveryMs, ping);
  let isOver = false;
  function ping(): void {
    connection.ping().then(
      () => {
        if (!isOver) timer = clock.after(pingEveryMs, ping);
      },
      () => undefined,
    );
  }
  return () => {
    isOver = true;
    timer.cancel();
  };
}

/** How long the other side may take to hear the end. */
const goodbyeMs = 1_000;

async function finish(connection: SpdyConnection, socket: Duplex, clock: Clock): Promise<void> {
  if (socket.destroyed) return;
  connection.close();
  const timer = clock.after(goodbyeMs, () => socket.destroy());
  socket.once('close', () => timer.cancel());
  if (socket.writableFinished) socket.destroy();
  else socket.once('finish', () => socket.destroy());
}
