/** Requests of a client, for tests of the HTTP/2 server. */
import { Flag } from '../frames.ts';
import { type Fields, headers } from './client-frames.ts';

/** The pseudo-header fields of a request, and what else it says. */
export const request = (method: string, path: string, more: Fields = []): Fields => [
  [':method', method],
  [':scheme', 'http'],
  [':path', path],
  [':authority', 'localhost'],
  ...more,
];

/** A GET in one frame. */
export const get = (streamId: number, path = '/', more: Fields = []): Buffer =>
  headers(streamId, request('GET', path, more), Flag.endHeaders | Flag.endStream);

/** A request that goes on with DATA. */
export const post = (streamId: number, path = '/', more: Fields = []): Buffer =>
  headers(streamId, request('POST', path, more));
