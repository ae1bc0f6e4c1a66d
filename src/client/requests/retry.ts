/**
 * Which requests are sent again, as client-go does it:
 *
 * - an answer of 429 or 5xx that says when to come back (Retry-After): the server has not acted on the request;
 * - no answer, where the request certainly did not reach the server;
 * - no answer to a GET, which changes nothing.
 *
 * All others could be carried out twice, and it is their caller who knows what that means.
 */
import { ConnectionError, type TransportAnswer } from '../transport/message.ts';

export const defaultMaxRetries = 10;
const lostConnectionDelayMs = 1000;
const unsentDelayMs = 100;
const maxUnsentDelayMs = 5000;

/** Milliseconds to wait before the request is sent again; undefined where it is not. */
export function retryDelayAfterAnswer({
  status,
  headers,
}: Pick<TransportAnswer, 'status' | 'headers'>): number | undefined {
  if (status !== 429 && (status < 500 || status > 599)) return undefined;
  const after = headers.get('retry-after') ?? '';
  // The other form, a date, is not sent by API servers.
  return /^\d{1,6}$/.test(after) ? Number(after) * 1000 : undefined;
}

/** @param attempt counts from 0 */
export function retryDelayAfterFailure(error: unknown, method: string, attempt: number): number | undefined {
  if (!(error instanceof ConnectionError)) return undefined;
  if (error.isUnprocessed) return Math.min(unsentDelayMs * 2 ** attempt, maxUnsentDelayMs);
  return method === 'GET' ? lostConnectionDelayMs : undefined;
}
