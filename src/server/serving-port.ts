import type { ApiResponse, Exchange } from './exchange.ts';
import { listen, type Transport, type TransportOptions } from './listener.ts';

/** How long clients have to leave their connections when nothing is under way on them any more. */
const lingerMs = 2000;

/**
 * The port of a daemon, before it is open: what says where the daemon is reached is made earlier than what answers
 * there, and connections may have to be closed later than much that is made after them.
 */
export class ServingPort {
  readonly #options: Omit<TransportOptions, 'handle'>;
  #transport: Transport | undefined;

  constructor(options: Omit<TransportOptions, 'handle'>) {
    this.#options = options;
  }

  /** The one that was taken; before the port is open, the one that was asked for, which may be 0. */
  get port(): number {
    return this.#transport?.port ?? this.#options.port;
  }

  /** Resolves when requests are answered. Called once. */
  async open(handle: (exchange: Exchange) => Promise<ApiResponse>): Promise<void> {
    this.#transport = await listen({ ...this.#options, handle });
  }

  /** See {@link Transport.leave}. */
  leave(): void {
    this.#transport?.leave();
  }

  /** Resolves when no connection is left. */
  async close(): Promise<void> {
    await this.#transport?.close(lingerMs);
  }
}
