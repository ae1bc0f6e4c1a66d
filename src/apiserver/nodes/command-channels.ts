/**
 * The server's end of `v5.channel.k8s.io`: the first byte of each message of a WebSocket is the channel that the rest
 * belongs to; 255 and a channel end that channel.
 * @see KEP-4006, Transition from SPDY to WebSockets
 */
import { PassThrough, type Readable, Writable } from 'node:stream';
import type { Sink } from '../../server/exchange.ts';

export const channel = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4 } as const;
const endOfChannel = 255;

/** Bytes of a channel that wait for the node agent. */
const waitingBytes = 16 * 1024;

export interface ClientChannels {
  /** Takes the messages of the client. */
  readonly input: Writable;
  readonly stdin: Readable;
  readonly resize: Readable;
}

/**
 * What is read from the client: one channel that is not taken holds up the other one, as upstream.
 *
 * @param reads channels that are of interest; what comes on others is thrown away
 */
export function clientChannels(reads: ReadonlySet<number>): ClientChannels {
  const channels = new Map<number, PassThrough>(
    [channel.stdin, channel.resize].map((number) => [number, new PassThrough({ highWaterMark: waitingBytes })]),
  );
  for (const one of channels.values()) one.on('error', () => undefined);
  const isOpen = (one: PassThrough | undefined): one is PassThrough =>
    one !== undefined && !one.destroyed && !one.writableEnded;
  const input = new Writable({
    // One message at a time.
    highWaterMark: 1,
    write(message: Buffer, _encoding, done) {
      const number = message[0];
      if (number === endOfChannel) {
        const ended = message.length === 2 ? channels.get(message[1]!) : undefined;
        if (isOpen(ended)) ended.end();
        return done();
      }
      const one = number !== undefined && reads.has(number) ? channels.get(number) : undefined;
      if (message.length < 2 || !isOpen(one)) return done();
      const passed = (): void => {
        one.off('close', passed);
        done();
      };
      // One that nobody reads any more takes nothing, and says nothing.
      one.once('close', passed);
      one.write(message.subarray(1), passed);
    },
    final(done) {
      for (const one of channels.values()) if (isOpen(one)) one.end();
      done();
    },
  });
  input.on('error', () => undefined);
  return { input, stdin: channels.get(channel.stdin)!, resize: channels.get(channel.resize)! };
}

/** Resolves when the client has space for more. */
export async function sendOn(sink: Sink, number: number, bytes: Buffer): Promise<void> {
  if (sink.closed) return;
  if (!sink.write(Buffer.concat([Buffer.of(number), bytes]))) await sink.drained();
}
