/** A node agent made by hand: an HTTPS server that shows what reached it and answers as a test wants. */
import { EventEmitter, once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TLSSocket } from 'node:tls';
import { caSubject, createAdmin, createAuthority, createServing } from '../../src/pki/pki.ts';
import type { TestServer } from './test-server.ts';

export interface KubeletRequest {
  readonly method: string;
  /** Path and query as they came. */
  readonly target: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
  /** Name on the client's certificate, if it came from the right authority. */
  readonly client: string | undefined;
}

type Answer = (request: http.IncomingMessage, response: http.ServerResponse) => void;
type Upgrade = (request: http.IncomingMessage, socket: Socket, head: Buffer) => void;

export interface KubeletFiles extends AsyncDisposable {
  readonly serving: { readonly certificate: string; readonly key: string };
  readonly ca: string;
  readonly caFile: string;
  /** Make an API server connect to node agents with a certificate, and verify theirs. */
  readonly flags: readonly string[];
}

export async function createKubeletFiles(): Promise<KubeletFiles> {
  const directory = await mkdtemp(path.join(tmpdir(), 'orch-kubelet-'));
  const now = new Date();
  const ca = createAuthority(caSubject, now);
  const client = createAdmin(ca, now);
  const write = async (name: string, text: string): Promise<string> => {
    const file = path.join(directory, name);
    await writeFile(file, text);
    return file;
  };
  const caFile = await write('ca.crt', ca.certificate);
  return {
    ca: ca.certificate,
    caFile,
    serving: createServing(ca, { dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'] }, now),
    flags: [
      `--kubelet-client-certificate=${await write('client.crt', client.certificate)}`,
      `--kubelet-client-key=${await write('client.key', client.key)}`,
      `--kubelet-certificate-authority=${caFile}`,
    ],
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}

export class TestKubelet implements AsyncDisposable {
  readonly received: KubeletRequest[] = [];
  /** `gone` when a connection ends. */
  readonly events = new EventEmitter();
  answer: Answer = (_, response) => response.end('answer');
  upgrade: Upgrade = (_, socket) => socket.end('HTTP/1.1 404 Not Found\r\n\r\n');
  readonly #server: http.Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: http.Server) {
    this.#server = server;
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => {
        this.#sockets.delete(socket);
        this.events.emit('gone');
      });
    });
    server.on('request', (request, response) => void this.#read(request).then(() => this.answer(request, response)));
    server.on('upgrade', (request, socket, head) => {
      socket.on('error', () => undefined);
      this.#keep(request, '');
      this.upgrade(request, socket as Socket, head);
    });
  }

  /** With TLS where files are given, else without. */
  static async start(files?: KubeletFiles, host = '127.0.0.1'): Promise<TestKubelet> {
    const server =
      files === undefined
        ? http.createServer()
        : https.createServer({
            cert: files.serving.certificate,
            key: files.serving.key,
            ca: files.ca,
            requestCert: true,
            rejectUnauthorized: false,
          });
    const kubelet = new TestKubelet(server);
    server.listen(0, host);
    await once(server, 'listening');
    return kubelet;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get connections(): number {
    return this.#sockets.size;
  }

  /** As a node that goes away. */
  breakConnections(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  get last(): KubeletRequest {
    return this.received.at(-1)!;
  }

  async #read(request: http.IncomingMessage): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    this.#keep(request, Buffer.concat(chunks).toString());
  }

  #keep({ method = '', url = '', headers, socket }: http.IncomingMessage, body: string): void {
    const tls = socket as Partial<TLSSocket>;
    const client = tls.authorized === true ? (tls.getPeerCertificate!().subject.CN as string) : undefined;
    this.received.push({ method, target: url, headers, body, client });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await once(this.#server, 'close');
  }
}

/** Makes a node whose agent is the kubelet. */
export async function createNode(
  server: TestServer,
  name: string,
  port: number,
  addresses: readonly object[] = [{ type: 'InternalIP', address: '127.0.0.1' }],
): Promise<void> {
  const status = { addresses, daemonEndpoints: { kubeletEndpoint: { Port: port } } };
  const answer = await server.send('POST', '/api/v1/nodes', { body: { metadata: { name }, status } });
  if (answer.status !== 201) throw new Error(answer.text);
}

export async function createPodOn(
  server: TestServer,
  nodeName: string,
  name: string,
  more: object = {},
): Promise<void> {
  const answer = await server.send('POST', '/api/v1/namespaces/default/pods', {
    body: { metadata: { name }, spec: { nodeName, containers: [{ name: 'c', image: 'i' }], ...more } },
  });
  if (answer.status !== 201) throw new Error(answer.text);
}
