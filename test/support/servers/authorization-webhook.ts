/**
 * What test files share that start the same server: `startBeforeTests` starts it before the tests of a file, and closes
 * it after them.
 */
import { once } from 'node:events';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll } from 'vitest';
import { Openssl } from '../openssl.ts';

export interface Review {
  readonly apiVersion: string;
  readonly spec: {
    readonly user: string;
    readonly resourceAttributes?: { readonly resource: string; readonly fieldSelector?: object };
    readonly nonResourceAttributes?: { readonly path: string };
  };
}

export type Answer = (review: Review) => object | number;

/** A service that judges: what it was asked, and what it says. */
export class Judge implements AsyncDisposable {
  readonly asked: Review[] = [];
  answer: Answer = () => ({ allowed: false });
  /** What its callers said of themselves. */
  readonly callers: {
    readonly commonName: string | undefined;
    readonly authorization: string | undefined;
    readonly path: string | undefined;
  }[] = [];
  readonly #server: https.Server;

  constructor(certificate: string, key: string, authority: string) {
    this.#server = https.createServer(
      { cert: certificate, key, ca: authority, requestCert: true, rejectUnauthorized: false },
      (request, response) => {
        void request.toArray().then((chunks) => {
          const review = JSON.parse(Buffer.concat(chunks as Buffer[]).toString()) as Review;
          this.asked.push(review);
          const socket = request.socket as TLSSocket;
          const subject = socket.authorized ? socket.getPeerCertificate().subject : undefined;
          this.callers.push({
            commonName: subject?.CN as string | undefined,
            authorization: request.headers.authorization,
            path: request.url,
          });
          const status = this.answer(review);
          response.writeHead(typeof status === 'number' ? status : 200, { 'content-type': 'application/json' });
          response.end(JSON.stringify({ apiVersion: review.apiVersion, kind: 'SubjectAccessReview', status }));
        });
      },
    );
  }

  async listen(): Promise<number> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return (this.#server.address() as AddressInfo).port;
  }

  /** @param user how the server is known there, as a connection file has it */
  async kubeconfig(openssl: Openssl, name: string, ca: string, user: object = { token: 'secret' }): Promise<string> {
    const server = `https://127.0.0.1:${await this.listen()}/authorize`;
    return openssl.file(
      `${name}.yaml`,
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        'current-context': 'c',
        contexts: [{ name: 'c', context: { cluster: 'hook', user: 'me' } }],
        users: [{ name: 'me', user }],
        clusters: [
          {
            name: 'hook',
            cluster: {
              server,
              'certificate-authority-data': Buffer.from(ca).toString('base64'),
              'tls-server-name': 'webhook.example.com',
            },
          },
        ],
      }),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await Promise.resolve();
  }
}

export let openssl: Openssl;

export let ca: { certificate: string; key: string };

export let shown: { certificate: string; key: string };

export function startBeforeTests(): void {
  beforeAll(async () => {
    openssl = await Openssl.open();
    ca = await openssl.authority('webhook-ca');
    shown = await openssl.issue({
      subject: '/CN=webhook',
      issuer: ca,
      extensions: ['extendedKeyUsage=serverAuth', 'subjectAltName=DNS:webhook.example.com'],
    });
  });

  afterAll(() => openssl[Symbol.asyncDispose]());
}

export async function startJudge(name: string, user?: object): Promise<{ judge: Judge; kubeconfig: string }> {
  const judge = new Judge(shown.certificate, shown.key, ca.certificate);
  return { judge, kubeconfig: await judge.kubeconfig(openssl, name, ca.certificate, user) };
}

export const pods = '/api/v1/namespaces/default/pods';
