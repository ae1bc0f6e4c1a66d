/** What routes that any daemon mounts find at `ctx.state`. */
export interface ServingState {
  /** Ends when the client is gone or has no more time. */
  readonly signal: AbortSignal;
}
