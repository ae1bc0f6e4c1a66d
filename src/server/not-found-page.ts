import type { ApiResponse } from './exchange.ts';

/** The answer of a server that knows nothing under this path. */
export const notFoundPage = {
  status: 404,
  headers: { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' },
  body: '404 page not found\n',
} satisfies ApiResponse;
