/**
 * A command for a client that speaks WebSockets (`v5.channel.k8s.io`), over SPDY/3.1 to the node agent. The WebSocket
 * is open before the node is asked: what goes wrong from then on is said on the channel for errors.
 */
import type { Duplex } from 'node:stream';
import { internalError, type Status, StatusError } from '../../machinery/status.ts';
import type { WebSocketAnswer } from '../../server/exchange.ts';
import type { BackendResponse, Upgraded } from '../aggregation/backend-session.ts';
import { channel, clientChannels, sendOn } from './command-channels.ts';
import { type CommandEnd, endForClient } from './command-end.ts';
import { isSpdy } from './spdy-upgrade.ts';
import type { ObserveStream } from './metrics.ts';
import { runOnNode } from './node-command.ts';
import type { Throttling } from './throttle.ts';

export const translatedProtocol = 'v5.channel.k8s.io';

/** What the client has asked for. */
export interface CommandWish {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

export interface TranslateOptions {
  readonly wish: CommandWish;
  /** Asks the node agent. Rejects with what to tell the client. */
  readonly open: (signal: AbortSignal) => Promise<BackendResponse | Upgraded>;
  readonly throttling: Throttling;
  readonly observe: ObserveStream;
}

export function translateCommand({ wish, open, throttling, observe }: TranslateOptions): WebSocketAnswer {
  const reads = new Set<number>([...(wish.stdin ? [channel.stdin] : []), ...(wish.tty ? [channel.resize] : [])]);
  const { input, stdin, resize } = clientChannels(reads);
  return {
    status: 101,
    headers: {},
    webSocket: { protocol: translatedProtocol, isText: false, input },
    async stream(sink) {
      const gone = new AbortController();
      const leave = (): void => {
        gone.abort(new Error('the client is gone'));
        for (const one of [input, stdin, resize]) one.destroy();
      };
      sink.onClose(leave);
      if (sink.closed) leave();
      const output = (number: number) => (bytes: Buffer) => sendOn(sink, number, bytes);
      // An empty message tells the client that the connection is there.
      await sendOn(sink, wish.stdout ? channel.stdout : wish.stderr ? channel.stderr : channel.error, Buffer.alloc(0));
      let end: CommandEnd;
      try {
        const { connection, protocol } = await upgraded(await open(gone.signal));
        end = await runOnNode(
          connection,
          {
            stdin: wish.stdin ? stdin : undefined,
            stdout: wish.stdout ? output(channel.stdout) : undefined,
            // A terminal has one output.
            stderr: wish.stderr && !wish.tty ? output(channel.stderr) : undefined,
            resize: wish.tty ? resize : undefined,
          },
          { protocol, throttling, signal: gone.signal },
        );
      } catch (error) {
        end = endOf(error as Error);
      }
      for (const one of [stdin, resize]) one.destroy();
      observe(end.code);
      await sendOn(sink, channel.error, Buffer.from(endForClient(end)));
    },
  };
}

const endOf = (error: Error): CommandEnd => {
  const status = error instanceof StatusError ? error : internalError(error.message);
  return { code: status.code, status };
};

interface Agreement {
  readonly connection: Duplex;
  readonly protocol: string;
}

/** Bytes of what a node agent says in place of agreeing. */
const maxRefusalBytes = 64 * 1024;

/** Throws what the node agent says in place of agreeing to SPDY. */
async function upgraded(answer: BackendResponse | Upgraded): Promise<Agreement> {
  if ('connection' in answer) {
    if (isSpdy(answer.headers))
      return { connection: answer.connection, protocol: answer.headers.get('x-stream-protocol-version')?.[0] ?? '' };
    answer.connection.destroy();
    throw new Error('unable to upgrade connection: ');
  }
  const text = await readRefusal(answer);
  const status = asStatus(text);
  if (status !== undefined) throw status;
  throw new Error(`unable to upgrade connection: ${text.trim()}`);
}

async function readRefusal({ body }: BackendResponse): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const bytes of body as AsyncIterable<Buffer>) {
      pieces.push(bytes);
      // Leaving the loop ends the stream.
      if ((size += bytes.length) >= maxRefusalBytes) break;
    }
  } catch {
    return 'unable to read error from server response';
  }
  return Buffer.concat(pieces).subarray(0, maxRefusalBytes).toString();
}

function asStatus(text: string): StatusError | undefined {
  try {
    const { kind, code = 0, reason = '', message = '', details } = JSON.parse(text) as Status;
    return kind === 'Status' ? new StatusError(code, reason, message, details) : undefined;
  } catch {
    return undefined;
  }
}
