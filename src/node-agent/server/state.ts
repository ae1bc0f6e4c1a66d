/** What the routes of an agent find at `ctx.state`. */
import type { ApiResponse, Exchange } from '../../server/exchange.ts';
import type { ServingState } from '../../server/koa/state.ts';

export interface AgentState extends ServingState {
  /** Absent on the port without TLS. */
  readonly exchange?: Exchange;
  /** In place of what is set on the context: an answer that changes the protocol of its connection. */
  answer?: ApiResponse;
}
