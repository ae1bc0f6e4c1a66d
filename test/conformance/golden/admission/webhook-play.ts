/** A server of webhooks that behaves as a recorded case says, and keeps what it was asked. */
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import net, { type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { caSubject, createAuthority, createServing } from '../../../../src/pki/pki.ts';

/** What a path answers; an empty one allows. */
export interface Behaviour {
  /** Of the review that is sent back; without it the request is allowed. */
  readonly response?: Readonly<Record<string, unknown>>;
  /** A JSON patch, or a text that is sent as it is. */
  readonly patch?: unknown;
  readonly apiVersion?: string;
  readonly kind?: string;
  /** The whole body instead of a review. */
  readonly body?: unknown;
  readonly contentType?: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** In seconds. */
  readonly delay?: number;
  /** The connection is closed without an answer. */
  readonly close?: boolean;
}

export interface PlayedReview {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

interface Review {
  readonly apiVersion: string;
  readonly request?: { readonly uid: string };
}

export class WebhookPlay implements AsyncDisposable {
  /** PEM. */
  readonly ca: string;
  readonly #behaviours = new Map<string, Behaviour>();
  readonly #reviews = new Map<string, PlayedReview[]>();
  readonly #servers: net.Server[];

  static async start(): Promise<WebhookPlay> {
    const now = new Date();
    const ca = createAuthority(caSubject, now);
    const own = createServing(ca, { dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'] }, now);
    const other = createServing(ca, { dnsNames: ['other.example.com'], ipAddresses: [] }, now);
    const closed = net.createServer();
    const tls = ({ certificate, key }: { certificate: string; key: string }): https.Server =>
      https.createServer({ cert: certificate, key });
    const servers = [tls(own), tls(other), http.createServer(), closed];
    for (const server of servers) server.listen(0, '127.0.0.1');
    for (const server of servers) if (!server.listening) await once(server, 'listening');
    return new WebhookPlay(ca.certificate, servers);
  }

  /** By placeholder: where a part of the play listens. */
  readonly addresses: Readonly<Record<string, string>>;

  private constructor(ca: string, servers: net.Server[]) {
    this.ca = ca;
    const [hooks, othername, plain, closed] = servers.map(
      (server) => `127.0.0.1:${(server.address() as AddressInfo).port}`,
    ) as [string, string, string, string];
    this.addresses = { hooks, othername, plain, closed };
    servers[3]!.close();
    this.#servers = servers.slice(0, 3);
    for (const server of this.#servers)
      server.on('request', (request: http.IncomingMessage, response: http.ServerResponse) => {
        void this.#serve(request, response).catch(() => response.destroy());
      });
  }

  /** @param name the first part of the paths of a case */
  behave(name: string, hooks: Readonly<Record<string, Behaviour>>): void {
    for (const [path, behaviour] of Object.entries(hooks)) this.#behaviours.set(`/${name}${path}`, behaviour);
  }

  /** What the webhooks of a case were asked since the last call. */
  take(name: string): readonly PlayedReview[] {
    const reviews = this.#reviews.get(name) ?? [];
    this.#reviews.delete(name);
    return reviews;
  }

  /** How many reviews of a case are there. */
  countOf(name: string): number {
    return this.#reviews.get(name)?.length ?? 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.#servers) {
      server.close();
      (server as http.Server).closeAllConnections();
    }
  }

  async #serve(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const target = request.url ?? '';
    const name = target.split('/')[1] ?? '';
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Review;
    const review = { path: target, headers: titled(request.headers), body };
    this.#reviews.set(name, [...(this.#reviews.get(name) ?? []), review]);
    const behaviour = this.#behaviours.get(target.split('?')[0]!) ?? {};
    if (behaviour.delay !== undefined) await sleep(behaviour.delay * 1000, undefined, { ref: false });
    if (behaviour.close === true) return void request.socket.destroy();
    response.writeHead(behaviour.status ?? 200, {
      connection: 'close',
      'content-type': behaviour.contentType ?? 'application/json',
      ...Object.fromEntries(Object.entries(behaviour.headers ?? {})),
    });
    response.end(answerOf(behaviour, body));
  }
}

const titled = (headers: http.IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase()),
      String(value),
    ]),
  );

function answerOf({ response, patch, apiVersion, kind, body }: Behaviour, review: Review): string {
  if (body !== undefined) return typeof body === 'string' ? body : JSON.stringify(body);
  const text = patch === undefined || typeof patch === 'string' ? patch : JSON.stringify(patch);
  return JSON.stringify({
    apiVersion: apiVersion ?? review.apiVersion,
    kind: kind ?? 'AdmissionReview',
    response: {
      uid: review.request?.uid,
      allowed: response === undefined || patch !== undefined,
      ...(text === undefined ? {} : { patch: Buffer.from(text as string).toString('base64'), patchType: 'JSONPatch' }),
      ...response,
    },
  });
}
