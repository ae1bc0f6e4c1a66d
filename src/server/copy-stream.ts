import type { Readable } from 'node:stream';
import type { Sink } from './exchange.ts';

/**
 * Hands on each piece when it comes and the client takes it. A source that breaks off ends the answer at once.
 *
 * @param stop ends the source, when the client is gone
 */
export async function copyStream(source: Readable, sink: Sink, stop: () => void): Promise<void> {
  sink.onClose(stop);
  if (sink.closed) stop();
  try {
    for await (const chunk of source as AsyncIterable<Buffer | string>) {
      // A length of text is not one of bytes: HTTP/2 has that in front of each piece.
      if (!sink.write(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)) await sink.drained();
    }
    if (!source.readableEnded && !sink.closed) sink.abort();
  } catch {
    // A watch that this server ends has its end, not a break.
    if (!sink.closed) sink.abort();
  } finally {
    source.destroy();
  }
}
