/** Keeps writes from being begun, or from going on, when a client has lost the right to make them. */
import type { Transport } from '../transport/message.ts';

export interface Fence {
  /** Aborts when the right is lost. */
  readonly signal: AbortSignal;
  /** @returns milliseconds that a write which begins now may last. Throws when none may begin. */
  check(): number;
}

/**
 * Writes pass the fence when they are sent, after all waiting for rate limits and retries, and end with it. The server
 * is told how long it may work on them. Reads pass as they are.
 */
export function fencedTransport(transport: Transport, fence: Fence): Transport {
  return {
    async send(request) {
      if (request.method === 'GET') return transport.send(request);
      const mark = request.path.includes('?') ? '&' : '?';
      return transport.send({
        ...request,
        pathAtSend: () => `${request.path}${mark}timeout=${Math.floor(fence.check())}ms`,
        signal: AbortSignal.any([request.signal, fence.signal]),
      });
    },
    ...(transport.openWebSocket === undefined
      ? {}
      : { openWebSocket: (request) => (fence.check(), transport.openWebSocket!(request)) }),
    close: () => transport.close(),
  };
}
