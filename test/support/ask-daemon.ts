/** Requests to a daemon, whose certificate is its own and new at each start. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import type { TLSSocket } from 'node:tls';

export interface Asked {
  readonly token?: string;
  readonly certificate?: { readonly cert: string; readonly key: string };
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
  readonly body?: string;
}

export interface DaemonAnswer {
  readonly status: number;
  readonly type: string | undefined;
  readonly body: Buffer;
  readonly text: string;
  /** Common name of the certificate that was shown. */
  readonly shownBy: string;
}

export async function askDaemon(
  port: number,
  path: string,
  { token, certificate, headers = {}, method = 'GET', body }: Asked = {},
): Promise<DaemonAnswer> {
  const outgoing = request({
    host: '127.0.0.1',
    port,
    path,
    method,
    agent: false,
    rejectUnauthorized: false,
    ...certificate,
    headers: { ...headers, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
  });
  outgoing.end(body);
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  const shownBy = (response.socket as TLSSocket).getPeerCertificate().subject.CN as string;
  const bytes = Buffer.concat((await response.toArray()) as Buffer[]);
  return {
    status: response.statusCode!,
    type: response.headers['content-type'],
    body: bytes,
    text: bytes.toString(),
    shownBy,
  };
}
