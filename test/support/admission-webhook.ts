/** An admission webhook over TLS whose answers a test makes up, down to the bytes. */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { AdmissionRequest } from '../../src/api/gen/types/admission-v1.ts';
import { caSubject, createAuthority, createServing } from '../../src/pki/pki.ts';

export interface Question {
  readonly request: AdmissionRequest;
  readonly caller: WebhookCaller;
  readonly response: ServerResponse;
  /** Ends the answer with a review of this response. */
  answer(response?: object): void;
}

/** How the server proved itself. */
export interface WebhookCaller {
  readonly authorization: string | undefined;
  /** Of its certificate, which is not verified. */
  readonly commonName: string | undefined;
}

export type Answerer = (question: Question) => void;

/** With a certificate of its own authority for 127.0.0.1 and these names. */
export class AdmissionWebhook implements AsyncDisposable {
  readonly port: number;
  /** PEM in base64. */
  readonly caBundle: string;
  readonly asked: AdmissionRequest[] = [];
  /** By the path of the webhook; others allow. */
  readonly answers = new Map<string, Answerer>();
  readonly #server: https.Server;

  static async start(dnsNames: readonly string[] = []): Promise<AdmissionWebhook> {
    const now = new Date();
    const ca = createAuthority(caSubject, now);
    const { certificate, key } = createServing(ca, { dnsNames: [...dnsNames], ipAddresses: ['127.0.0.1'] }, now);
    const server = https.createServer({ cert: certificate, key, requestCert: true, rejectUnauthorized: false });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new AdmissionWebhook(server, Buffer.from(ca.certificate).toString('base64'));
  }

  private constructor(server: https.Server, caBundle: string) {
    this.#server = server;
    this.caBundle = caBundle;
    this.port = (server.address() as AddressInfo).port;
    server.on('request', (request: IncomingMessage, response: ServerResponse) => void this.#serve(request, response));
  }

  /** A webhook of a configuration that asks this server about config maps of a namespace. */
  webhook(name: string, more: Readonly<Record<string, unknown>> = {}): object {
    return {
      name: `${name}.example.com`,
      clientConfig: { url: `https://127.0.0.1:${this.port}/${name}`, caBundle: this.caBundle },
      rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] }],
      objectSelector: { matchLabels: { hook: name } },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      timeoutSeconds: 1,
      ...more,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const { request } = JSON.parse(Buffer.concat(chunks).toString()) as { request: AdmissionRequest };
    this.asked.push(request);
    const answer = (more: object = {}): void => {
      response.setHeader('content-type', 'application/json');
      response.end(
        JSON.stringify({
          apiVersion: 'admission.k8s.io/v1',
          kind: 'AdmissionReview',
          response: { uid: request.uid, allowed: true, ...more },
        }),
      );
    };
    const answerer = this.answers.get(incoming.url!.split('?')[0]!.slice(1)) ?? ((question) => question.answer());
    const subject = (incoming.socket as TLSSocket).getPeerCertificate().subject as { CN?: string } | undefined;
    const caller = { authorization: incoming.headers.authorization, commonName: subject?.CN };
    answerer({ request, caller, response, answer });
  }
}

/** A response with a JSON patch. */
export const patching = (...operations: readonly object[]): object => ({
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
});
