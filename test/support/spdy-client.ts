/** A client that speaks SPDY/3.1 with an API server, as older versions of kubectl do. */
import { once } from 'node:events';
import https from 'node:https';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { SpdyConnection } from '../../src/spdy/connection.ts';
import type { SpdyStream } from '../../src/spdy/stream.ts';
import type { TestServer } from './test-server.ts';

export interface SpdyClient {
  readonly response: IncomingMessage;
  readonly connection: SpdyConnection;
  /** The connection below. */
  readonly stream: Socket;
  open(headers: Readonly<Record<string, string>>): SpdyStream;
}

/** Rejects with the answer's status and text where the server does not agree. */
export async function openSpdy(
  { url, ca, token = 'admintoken' }: Pick<TestServer, 'url' | 'ca'> & { readonly token?: string },
  path: string,
  protocols: readonly string[],
): Promise<SpdyClient> {
  const request = https.request(`${url}${path}`, {
    method: 'POST',
    ca,
    agent: false,
    headers: {
      authorization: `Bearer ${token}`,
      connection: 'Upgrade',
      upgrade: 'SPDY/3.1',
      'x-stream-protocol-version': [...protocols],
    },
  });
  request.end();
  const [response, socket, head] = await Promise.race([
    once(request, 'upgrade') as Promise<[IncomingMessage, Socket, Buffer]>,
    once(request, 'response').then(async ([refusal]) => {
      const chunks: Buffer[] = [];
      for await (const chunk of refusal as AsyncIterable<Buffer>) chunks.push(chunk);
      throw new Error(`${(refusal as IncomingMessage).statusCode} ${Buffer.concat(chunks).toString()}`);
    }),
  ]);
  const connection = new SpdyConnection(socket, { side: 'client', head });
  return {
    response,
    connection,
    stream: socket,
    open: (headers) => connection.open(new Map(Object.entries(headers).map(([name, value]) => [name, [value]]))),
  };
}
