/** A conversion webhook over TLS that turns `spec.address` of v1 into `spec.host` and `spec.port` of v2, and back. */
import { once } from 'node:events';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { objectSchema } from './definitions.ts';

export interface Converted {
  apiVersion: string;
  kind: string;
  metadata: { name: string; resourceVersion: string; managedFields?: { apiVersion: string; manager: string }[] };
  spec: Record<string, unknown>;
}

/** The versions of a definition whose objects the webhook converts. */
export const convertedVersions = [
  { schema: objectSchema({ address: { type: 'string' } }) },
  { schema: objectSchema({ host: { type: 'string' }, port: { type: 'string', pattern: '^[0-9]+$' } }) },
];

function convert(object: Converted, apiVersion: string): Converted {
  if (object.apiVersion === apiVersion) return object;
  const { spec } = object;
  if (apiVersion.endsWith('/v2')) {
    const [host = '', port = ''] = String(spec['address'] ?? '').split(':');
    return { ...object, apiVersion, spec: { host, port } };
  }
  return { ...object, apiVersion, spec: { address: `${String(spec['host'])}:${String(spec['port'])}` } };
}

interface ConversionReview {
  readonly apiVersion: string;
  readonly request: { readonly uid: string; readonly desiredAPIVersion: string; readonly objects: Converted[] };
}

export interface ConversionWebhookOptions {
  /** PEM. */
  readonly certificate: string;
  readonly key: string;
  readonly host?: string;
}

export class ConversionWebhook implements AsyncDisposable {
  readonly port: number;
  reviews = 0;
  /** What the webhook refuses with; empty: it converts. */
  failure = '';
  /** In the order in which they came, closed ones too. */
  readonly connections: Socket[] = [];
  readonly #server: https.Server;

  static async start({ certificate, key, host = '127.0.0.1' }: ConversionWebhookOptions): Promise<ConversionWebhook> {
    const server = https.createServer({ cert: certificate, key });
    // Far longer than a test: connections end when the client ends them.
    server.keepAliveTimeout = 600_000;
    server.listen(0, host);
    await once(server, 'listening');
    return new ConversionWebhook(server);
  }

  private constructor(server: https.Server) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    server.on('secureConnection', (socket) => this.connections.push(socket));
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.once('end', () => {
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify(this.#answer(JSON.parse(Buffer.concat(chunks).toString()) as ConversionReview)));
      });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  #answer({ apiVersion, request: { uid, desiredAPIVersion, objects } }: ConversionReview): object {
    this.reviews++;
    const hasFailed = this.failure !== '';
    return {
      kind: 'ConversionReview',
      apiVersion,
      response: {
        uid,
        result: hasFailed ? { status: 'Failed', message: this.failure } : { status: 'Success' },
        convertedObjects: hasFailed ? [] : objects.map((object) => convert(object, desiredAPIVersion)),
      },
    };
  }
}
