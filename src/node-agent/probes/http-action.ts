/** An HTTP request to a container, as a probe or a hook makes it. */
import http from 'node:http';
import https from 'node:https';
import type { HTTPGetAction, HTTPHeader } from '../../api/gen/types/core-v1.ts';
import type { PodContainer } from '../pod-lifecycle/containers.ts';
import { portNumber } from './port-number.ts';

/** Why there is no answer, in the words of Go's client. */
export class HttpActionError extends Error {
  override readonly name = 'HttpActionError';
}

export interface HttpRequest {
  readonly url: URL;
  readonly headers: readonly HTTPHeader[];
  readonly userAgent: string;
  /** `close`, or what the client does by itself. */
  readonly connection: string | undefined;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

export interface HttpAnswer {
  readonly status: number;
  readonly location: string | undefined;
  /** As far as it is shown. */
  readonly body: string;
}

const maxBodyBytes = 10 * 1024;

/** Throws for a port that the container does not have. */
export function urlOf({ scheme, host, port, path = '' }: HTTPGetAction, container: PodContainer, podIP: string): URL {
  const name = host === undefined || host === '' ? podIP : host;
  const shown = name.includes(':') ? `[${name}]` : name;
  const url = `${(scheme ?? 'HTTP').toLowerCase()}://${shown}:${portNumber(port, container)}`;
  return new URL(path.startsWith('/') ? path : `/${path}`, url);
}

/** A redirect is an answer. Certificates are not checked: a container has what it has. */
export function askHttp({ url, headers, userAgent, connection, timeoutMs, signal }: HttpRequest): Promise<HttpAnswer> {
  const sent = new Map<string, [string, string]>([
    ['user-agent', ['User-Agent', userAgent]],
    ['accept', ['Accept', '*/*']],
  ]);
  for (const { name = '', value = '' } of headers)
    if (name.toLowerCase() === 'accept' && value === '') sent.delete('accept');
    else sent.set(name.toLowerCase(), [name, value]);
  if (connection === undefined) sent.set('accept-encoding', ['Accept-Encoding', 'gzip']);
  else sent.set('connection', ['Connection', connection]);
  const host = sent.get('host')?.[1] ?? url.host;
  sent.delete('host');
  return new Promise((resolve, reject) => {
    let isOver = false;
    const fail = (text: string): void => {
      clearTimeout(timer);
      reject(new HttpActionError(`Get "${url.href}": ${text}`));
    };
    const timer = setTimeout(() => {
      isOver = true;
      request.destroy();
      fail('context deadline exceeded (Client.Timeout exceeded while awaiting headers)');
    }, timeoutMs);
    const options = {
      method: 'GET',
      agent: false,
      rejectUnauthorized: false,
      setHost: false,
      headers: Object.fromEntries([['Host', host], ...sent.values()]),
      ...(signal === undefined ? {} : { signal }),
    } as const;
    const request = (url.protocol === 'https:' ? https : http).request(url, options, (response) => {
      let body = '';
      const finish = (): void => {
        clearTimeout(timer);
        request.destroy();
        resolve({ status: response.statusCode ?? 0, location: response.headers.location, body });
      };
      response.on('data', (piece: Buffer) => {
        body += piece.toString('latin1');
        if (body.length >= maxBodyBytes) {
          body = body.slice(0, maxBodyBytes);
          finish();
        }
      });
      response.on('end', finish);
      response.on('error', finish);
    });
    request.on('error', (error: NodeJS.ErrnoException) => {
      if (!isOver) fail(dialErrorText(error, url.host));
    });
    // By itself Node says that the connection is closed.
    if (!sent.has('connection')) request.removeHeader('connection');
    request.end();
  });
}

/** As Go writes the error of a connection. */
export function dialErrorText({ code, message }: NodeJS.ErrnoException, address: string): string {
  const texts: Readonly<Record<string, string>> = {
    ECONNREFUSED: `dial tcp ${address}: connect: connection refused`,
    EHOSTUNREACH: `dial tcp ${address}: connect: no route to host`,
    ENETUNREACH: `dial tcp ${address}: connect: network is unreachable`,
    ETIMEDOUT: `dial tcp ${address}: i/o timeout`,
    ECONNRESET: 'EOF',
  };
  return texts[code ?? ''] ?? message;
}
