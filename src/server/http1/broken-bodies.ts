/**
 * Bodies of HTTP/1.1 requests that turn out to be malformed while they arrive: their reader gets the error, whether it
 * reads then, before or later.
 */
import type { IncomingMessage } from 'node:http';
import { BrokenBody } from '../exchange.ts';

const broken = new WeakMap<IncomingMessage, BrokenBody>();
const event = Symbol('broken body');

/** @param code what Node's parser calls it, and its reason. The texts are upstream's. */
export function breakBody(
  message: IncomingMessage,
  { code, reason = '' }: { readonly code?: string; readonly reason?: string },
): void {
  const error = new BrokenBody(textOf(code, reason));
  broken.set(message, error);
  message.emit(event, error);
}

/** Calls back once, at once where it has happened already. */
export function onBrokenBody(message: IncomingMessage, listener: (error: BrokenBody) => void): void {
  const known = broken.get(message);
  if (known === undefined) message.once(event, listener);
  else listener(known);
}

function textOf(code: string | undefined, reason: string): string {
  if (reason === 'Chunk size overflow') return 'http chunk length too large';
  if (code === 'HPE_INVALID_CHUNK_SIZE') return 'invalid byte in chunk length';
  return code === 'HPE_INVALID_HEADER_TOKEN' ? 'malformed MIME header' : 'malformed chunked encoding';
}
