/** The streams of exec and attach, which the client opens one by one: each says in `streamtype` which one it is. */
import { type Clock, systemClock } from '../base/clock.ts';
import type { SpdyConnection } from './connection.ts';
import { SpdyError } from './errors.ts';
import { resetStatus } from './frames.ts';
import type { SpdyStream } from './stream.ts';

export type CommandStream = 'error' | 'stdin' | 'stdout' | 'stderr' | 'resize';

/** How long a client may take to open its streams. */
const creationTimeoutMs = 30_000;

/**
 * Resolves with one stream of each wanted type. Rejects, with the connection ended, where the client opens others,
 * takes too long, or goes.
 *
 * Call it with the connection at once: what a client opens earlier is refused.
 */
export function commandStreams<Wanted extends CommandStream>(
  connection: SpdyConnection,
  wanted: readonly Wanted[],
  { clock = systemClock, timeoutMs = creationTimeoutMs }: { readonly clock?: Clock; readonly timeoutMs?: number } = {},
): Promise<Readonly<Record<Wanted, SpdyStream>>> {
  return new Promise((resolve, reject) => {
    const found = new Map<string, SpdyStream>();
    const fail = (text: string): void => {
      stop();
      const error = new SpdyError(text);
      connection.destroy(error);
      reject(error);
    };
    const onStream = (stream: SpdyStream): void => {
      const type = stream.headers.get('streamtype')?.[0] ?? '';
      if (found.has(type) || !(wanted as readonly string[]).includes(type)) {
        stream.reset(resetStatus.refusedStream);
        return fail(`unexpected stream type: ${JSON.stringify(type.slice(0, 100))}`);
      }
      stream.reply();
      found.set(type, stream);
      if (found.size < wanted.length) return;
      stop();
      resolve(Object.fromEntries(found) as Record<Wanted, SpdyStream>);
    };
    const onClose = (error?: Error): void => {
      timer.cancel();
      reject(error ?? new SpdyError('the connection ended before all streams were open'));
    };
    const timer = clock.after(timeoutMs, () => fail('timed out waiting for client to create streams'));
    const stop = (): void => {
      timer.cancel();
      connection.off('stream', onStream).off('close', onClose);
      // Nothing more is expected, and what comes is refused.
    };
    connection.on('stream', onStream).on('close', onClose);
  });
}
