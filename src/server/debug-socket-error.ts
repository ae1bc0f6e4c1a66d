/** The socket of `--debug-socket-path` cannot be opened. Apart from it, because the socket brings Koa. */
export class DebugSocketError extends Error {}
