import type { Clock, Timer } from '../../base/clock.ts';
import type { ApiResponse, Sink } from '../../server/exchange.ts';
import type { ApiRequest } from '../request/request.ts';

/** A client that took nothing for so long causes no work, and its request holds nothing that others wait for. */
export const stalledMs = 2000;

export interface SendingOptions {
  readonly clock: Clock;
  /** Of a request without a deadline, in milliseconds. */
  readonly requestTimeoutMs: number;
}

/**
 * Calls `done` once when no more work comes of an answer: at once for one that is complete; for one that is made piece
 * by piece when it is sent or its client has gone, when the client takes nothing, or when the time of the request is
 * over.
 *
 * @NOTE differs from upstream: there a client that takes nothing holds its seats until its request times out.
 */
export function whileSent(
  response: ApiResponse,
  request: ApiRequest,
  { clock, requestTimeoutMs }: SendingOptions,
  done: () => void,
): ApiResponse {
  if (!('chunks' in response) && !('stream' in response)) {
    done();
    return response;
  }
  const leftMs = request.deadline === undefined ? requestTimeoutMs : request.deadline - performance.now();
  const deadline = clock.now() + leftMs;
  let movedAt = clock.now();
  const move = (): void => void (movedAt = clock.now());
  let timer: Timer | undefined;
  const end = (): void => {
    if (timer === undefined) return;
    timer.cancel();
    timer = undefined;
    done();
  };
  const watch = (): void => {
    const rest = Math.min(movedAt + stalledMs, deadline) - clock.now();
    if (rest > 0) timer = clock.after(rest, watch);
    else end();
  };
  timer = clock.after(Math.max(0, Math.min(stalledMs, leftMs)), watch);
  request.exchange.onClose(end);
  if ('chunks' in response) return { ...response, chunks: noted(response.chunks, move) };
  return { ...response, stream: (sink: Sink) => response.stream(notedSink(sink, move)).finally(end) };
}

function* noted(chunks: Iterable<Buffer>, move: () => void): Generator<Buffer> {
  for (const chunk of chunks) {
    move();
    yield chunk;
  }
}

const notedSink = (sink: Sink, move: () => void): Sink => ({
  write: (chunk) => (move(), sink.write(chunk)),
  drained: () => sink.drained(),
  get closed() {
    return sink.closed;
  },
  onClose: (listener) => sink.onClose(listener),
  abort: () => sink.abort(),
});
