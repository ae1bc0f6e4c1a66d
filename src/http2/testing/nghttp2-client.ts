import http2 from 'node:http2';
import { onTestFinished } from 'vitest';

/** A client on `node:http2`: nghttp2 judges what the server sends. */
export async function connect(
  port: number,
  options: http2.ClientSessionOptions = {},
): Promise<http2.ClientHttp2Session> {
  const session = http2.connect(`http://127.0.0.1:${port}`, options);
  onTestFinished(() => session.destroy());
  await new Promise<void>((resolve, reject) => session.once('remoteSettings', () => resolve()).once('error', reject));
  session.on('error', () => {});
  return session;
}

export interface Answer {
  readonly status: number | undefined;
  readonly headers: http2.IncomingHttpHeaders;
  /** Names and values alternately, as they were received. */
  readonly raw: readonly string[];
  readonly body: Buffer;
  readonly code: number | undefined;
}

/** The whole answer; fails when the stream does. */
export function answerTo(stream: http2.ClientHttp2Stream): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = [];
    let head: { headers: http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader; raw: string[] } | undefined;
    stream.on('response', (headers, _flags, raw?: string[]) => (head = { headers, raw: raw ?? [] }));
    stream.on('data', (piece: Buffer) => pieces.push(piece));
    stream.on('error', reject);
    stream.on('close', () =>
      resolve({
        status: head?.headers[':status'],
        headers: head?.headers ?? {},
        raw: head?.raw ?? [],
        body: Buffer.concat(pieces),
        code: stream.rstCode,
      }),
    );
  });
}

export const get = (
  session: http2.ClientHttp2Session,
  path = '/',
  headers: http2.OutgoingHttpHeaders = {},
): Promise<Answer> => answerTo(session.request({ ':path': path, ...headers }));

export function post(session: http2.ClientHttp2Session, body: Buffer, path = '/'): Promise<Answer> {
  const stream = session.request({ ':method': 'POST', ':path': path });
  stream.end(body);
  return answerTo(stream);
}

/** What was sent before has been looked at when this comes back. */
export const roundTrip = (session: http2.ClientHttp2Session): Promise<unknown> =>
  new Promise((resolve) => session.ping(Buffer.alloc(8), resolve));
