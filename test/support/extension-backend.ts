/** A server behind an APIService, made by hand: it shows what reached it, and answers as a test wants. */
import { EventEmitter, once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import http2 from 'node:http2';
import https from 'node:https';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TLSSocket } from 'node:tls';
import {
  createAuthority,
  createFrontProxyClient,
  createServing,
  caSubject,
  frontProxyCaSubject,
  type KeyPair,
} from '../../src/pki/pki.ts';

/**
 * Authorities and certificates of a cluster with servers behind the front proxy, and the flags that make a server the
 * proxy.
 */
export interface FrontProxyFiles extends AsyncDisposable {
  readonly directory: string;
  readonly ca: KeyPair;
  readonly frontProxyCa: KeyPair;
  /** What the server behind shows; valid for `agg.default.svc`. */
  readonly serving: KeyPair;
  readonly clientFiles: { readonly certificate: string; readonly key: string };
  readonly flags: readonly string[];
  readonly caBundle: string;
  write(name: string, text: string): Promise<string>;
}

export async function createFrontProxyFiles(): Promise<FrontProxyFiles> {
  const directory = await mkdtemp(path.join(tmpdir(), 'orch-aggregation-'));
  const now = new Date();
  const ca = createAuthority(caSubject, now);
  const frontProxyCa = createAuthority(frontProxyCaSubject, now);
  const client = createFrontProxyClient(frontProxyCa, now);
  const write = async (name: string, text: string): Promise<string> => {
    const file = path.join(directory, name);
    await writeFile(file, text);
    return file;
  };
  const clientFiles = {
    certificate: await write('proxy.crt', client.certificate),
    key: await write('proxy.key', client.key),
  };
  return {
    directory,
    ca,
    frontProxyCa,
    clientFiles,
    write,
    serving: createServing(ca, { dnsNames: ['agg.default.svc'], ipAddresses: ['127.0.0.1'] }, now),
    flags: [`--proxy-client-cert-file=${clientFiles.certificate}`, `--proxy-client-key-file=${clientFiles.key}`],
    caBundle: Buffer.from(ca.certificate).toString('base64'),
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}

export interface Received {
  readonly method: string;
  /** Path and query as they came. */
  readonly target: string;
  readonly httpVersion: string;
  /** Names in lower case and values alternately. */
  readonly raw: readonly string[];
  readonly body: string;
  /** Fingerprint of the client's certificate, if it came from the right authority. */
  readonly client: string | undefined;
}

export const valuesOf = ({ raw }: Received, name: string): string[] =>
  raw.filter((_, i) => i % 2 === 1 && raw[i - 1]!.toLowerCase() === name);

type Answer = (request: Http2ServerRequest, response: Http2ServerResponse, received: Received) => void | Promise<void>;

export interface BackendOptions {
  readonly files: Pick<FrontProxyFiles, 'frontProxyCa' | 'serving'>;
  readonly http2?: boolean;
  readonly host?: string;
  readonly port?: number;
}

export class ExtensionBackend implements AsyncDisposable {
  readonly port: number;
  /** All but checks of discovery. */
  readonly received: Received[] = [];
  /** Answers what a test asks for; what it leaves is answered with 200 and a line. */
  answer: Answer = (_, response) => void response.end('{"kind":"Answer"}\n');
  /** Answers requests for another protocol on their connections, over HTTP/1.1; they are refused by default. */
  upgrade: (request: IncomingMessage, socket: Socket, head: Buffer) => void = (_, socket) =>
    void socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
  /** Answers `/apis/agg.example.com/v1` and what else servers are asked for by themselves. */
  own: Record<string, { status?: number; type?: string; body: string }> = {
    '/apis/agg.example.com/v1': {
      body: JSON.stringify({
        kind: 'APIResourceList',
        apiVersion: 'v1',
        groupVersion: 'agg.example.com/v1',
        resources: [
          {
            name: 'things',
            singularName: 'thing',
            namespaced: true,
            kind: 'Thing',
            verbs: ['get', 'list', 'watch', 'create'],
            shortNames: ['th'],
          },
          { name: 'things/status', singularName: '', namespaced: true, kind: 'Thing', verbs: ['get'] },
        ],
      }),
    },
  };
  readonly #server: http2.Http2SecureServer;
  readonly #sockets = new Set<Socket>();
  readonly #heard = new EventEmitter().setMaxListeners(0);

  private constructor(server: http2.Http2SecureServer) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    server.on('sessionError', () => undefined);
    server.on('request', (request, response) => void this.#take(request, response));
    server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
      socket.on('error', () => undefined);
      this.#keep(request, '');
      this.upgrade(request, socket, head);
    });
  }

  static async start({
    files,
    http2: speaksHttp2 = true,
    host = '127.0.0.1',
    port = 0,
  }: BackendOptions): Promise<ExtensionBackend> {
    const tls = {
      cert: files.serving.certificate,
      key: files.serving.key,
      ca: files.frontProxyCa.certificate,
      requestCert: true,
      rejectUnauthorized: false,
    };
    // What is used of requests and answers is the same for both.
    const server = speaksHttp2
      ? http2.createSecureServer(tls)
      : (https.createServer(tls) as unknown as http2.Http2SecureServer);
    server.listen(port, host);
    await once(server, 'listening');
    return new ExtensionBackend(server);
  }

  get connections(): number {
    return this.#sockets.size;
  }

  /** Ends all connections. */
  drop(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Resolves when something was received that is as wanted. */
  async until(isWanted: (received: Received) => boolean): Promise<Received> {
    for (;;) {
      const found = this.received.find(isWanted);
      if (found !== undefined) return found;
      await once(this.#heard, 'received');
    }
  }

  async #take(request: Http2ServerRequest, response: Http2ServerResponse): Promise<void> {
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    const own = request.method === 'GET' ? this.own[request.url] : undefined;
    if (own !== undefined) {
      response.writeHead(own.status ?? 200, { 'content-type': own.type ?? 'application/json' });
      return void response.end(own.body);
    }
    if (request.method === 'GET' && ['/apis', '/openapi/v2', '/openapi/v3'].includes(request.url)) {
      response.writeHead(404);
      return void response.end();
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    await this.answer(request, response, this.#keep(request, Buffer.concat(chunks).toString()));
  }

  #keep(request: Http2ServerRequest | IncomingMessage, body: string): Received {
    const socket = request.socket as TLSSocket;
    const { method = '', url: target = '', httpVersion, rawHeaders } = request;
    const received: Received = {
      method,
      target,
      httpVersion,
      raw: [...rawHeaders],
      body,
      client: socket.authorized ? socket.getPeerCertificate().fingerprint256 : undefined,
    };
    this.received.push(received);
    this.#heard.emit('received');
    return received;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.drop();
    await closed;
  }
}

export interface ApiServiceOptions {
  readonly group?: string;
  readonly version?: string;
  readonly port: number;
  readonly spec?: Readonly<Record<string, unknown>>;
}

/** An APIService for a service called `agg` in `default`. */
export const apiService = ({
  group = 'agg.example.com',
  version = 'v1',
  port,
  spec = {},
}: ApiServiceOptions): object => ({
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name: `${version}.${group}` },
  spec: {
    group,
    version,
    groupPriorityMinimum: 100,
    versionPriority: 10,
    service: { name: 'agg', namespace: 'default', port },
    ...spec,
  },
});

/** A service that is this machine: whatever port the APIService names is the backend's. */
export const localService = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'agg' },
  spec: { type: 'ExternalName', externalName: 'localhost' },
};

export const apiServicesPath = '/apis/apiregistration.k8s.io/v1/apiservices';
