/**
 * Opens a WebSocket over a connection of its own: streams in both directions do not share the connections of requests.
 * @see {@link https://www.rfc-editor.org/rfc/rfc6455 | RFC 6455}
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { statusErrorOf } from '../status-answer.ts';
import { ConnectionError, type WebSocketRequest } from './message.ts';

/** Of the reason that a server gives for a refusal. */
const maxRefusalBytes = 64 * 1024;
/** Servers send pieces of 32 KiB; nothing that is larger than this is meant well. */
const maxMessageBytes = 4 * 1024 * 1024;

/**
 * Rejects with `StatusError` where the server refuses, with `ConnectionError` where it does not answer, and with the
 * signal's reason. The signal has no effect afterwards.
 *
 * @param socket connected; destroyed where there is no WebSocket
 * @returns paused, because messages may have come already
 */
export async function openWebSocket(
  socket: Duplex,
  host: string,
  { path, headers, protocols, signal }: WebSocketRequest,
): Promise<WebSocket> {
  const { WebSocket: Client } = await import('ws');
  return new Promise((resolve, reject) => {
    const webSocket = new Client(`ws://${host}${path}`, [...protocols], {
      createConnection: () => socket,
      headers: headersOf(headers),
      followRedirects: false,
      perMessageDeflate: false,
      maxPayload: maxMessageBytes,
    } as ConstructorParameters<typeof Client>[2]);
    const fail = (error: Error): void => {
      signal.removeEventListener('abort', onAbort);
      socket.destroy();
      reject(error);
    };
    const onAbort = (): void => {
      webSocket.terminate();
      fail(signal.reason as Error);
    };
    // An error comes after the promise is settled too, and is followed by the end.
    webSocket.on('error', (error) => fail(new ConnectionError(error.message, { cause: error })));
    webSocket.once('unexpected-response', (_, answer) => void refusalOf(answer).then(fail, fail));
    webSocket.once('open', () => {
      signal.removeEventListener('abort', onAbort);
      webSocket.pause();
      resolve(webSocket);
    });
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

function headersOf(fields: WebSocketRequest['headers']): Record<string, string[]> {
  const headers: Record<string, string[]> = {};
  for (const [name, value] of fields) (headers[name] ??= []).push(value);
  return headers;
}

const refusalOf = (answer: IncomingMessage): Promise<Error> =>
  statusErrorOf({
    status: answer.statusCode ?? 0,
    headers: new Map(Object.entries(answer.headers).map(([name, value]) => [name, String(value)])),
    body: firstBytes(answer),
  });

async function* firstBytes(answer: AsyncIterable<Buffer>): AsyncIterable<Uint8Array> {
  let left = maxRefusalBytes;
  for await (const piece of answer) {
    yield piece.subarray(0, left);
    left -= piece.length;
    if (left <= 0) return;
  }
}
