/** A service that takes audit events, over TLS, with a client certificate and a token. */
import { EventEmitter, once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { TLSSocket } from 'node:tls';
import type { Event, EventList } from '../../src/api/gen/types/audit-v1.ts';
import { createTestCertificates, type TestCertificates } from './certificates.ts';

export interface Delivery {
  readonly list: EventList;
  readonly authorization: string | undefined;
  /** Subject of the client's certificate. */
  readonly client: string | undefined;
  /** SHA-256 fingerprint of the same. */
  readonly fingerprint: string;
}

export class AuditWebhook implements AsyncDisposable {
  /** All calls, those that were refused included. */
  readonly calls: Delivery[] = [];
  readonly deliveries: Delivery[] = [];
  /** Statuses of the next answers; 200 when there is none left. */
  readonly answers: number[] = [];
  readonly certificates: TestCertificates;
  readonly #server: https.Server;
  readonly #events = new EventEmitter();
  readonly #port: number;

  private constructor(server: https.Server, certificates: TestCertificates) {
    this.#server = server;
    this.certificates = certificates;
    this.#port = (server.address() as AddressInfo).port;
    server.on('request', (request, response) => void this.#take(request, response));
  }

  static async start(): Promise<AuditWebhook> {
    const certificates = await createTestCertificates();
    const [ca, cert, key] = await Promise.all(
      [certificates.caFile, certificates.server.certFile, certificates.server.keyFile].map((file) =>
        readFile(file, 'utf8'),
      ),
    );
    const server = https
      .createServer({ ca, cert, key, requestCert: true, rejectUnauthorized: true } as https.ServerOptions)
      .listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new AuditWebhook(server, certificates);
  }

  /** Writes the file that names this service. */
  async kubeconfig(
    directory: string,
    { token = 'hook-token', server = `https://127.0.0.1:${this.#port}/events` } = {},
  ): Promise<string> {
    const { caFile, client } = this.certificates;
    const file = path.join(directory, `webhook-${Math.random().toString(36).slice(2)}.yaml`);
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'audit',
      clusters: [{ name: 'service', cluster: { server, 'certificate-authority': caFile } }],
      users: [{ name: 'server', user: { 'client-certificate': client.certFile, 'client-key': client.keyFile, token } }],
      contexts: [{ name: 'audit', context: { cluster: 'service', user: 'server' } }],
    };
    await writeFile(file, JSON.stringify(config));
    return file;
  }

  get events(): Event[] {
    return this.deliveries.flatMap(({ list }) => list.items ?? []);
  }

  /** Resolves when the condition holds, which is asked after each call. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await once(this.#events, 'call');
  }

  async #take(
    request: NodeJS.ReadableStream & { headers: NodeJS.Dict<string | string[]>; socket: unknown },
    response: { writeHead(status: number): { end(): void } },
  ): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const certificate = (request.socket as TLSSocket).getPeerCertificate();
    const call = {
      list: JSON.parse(Buffer.concat(chunks).toString()) as EventList,
      authorization: request.headers['authorization'] as string | undefined,
      client: certificate.subject.CN as string | undefined,
      fingerprint: certificate.fingerprint256,
    };
    const answer = this.answers.shift() ?? 200;
    this.calls.push(call);
    if (answer === 200) this.deliveries.push(call);
    response.writeHead(answer).end();
    this.#events.emit('call');
  }

  /** Stops listening. */
  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    await this.certificates[Symbol.asyncDispose]();
  }
}
