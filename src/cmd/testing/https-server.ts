/**
 * A server that takes a config as the API server does and answers with what TLS tells of both sides: enough to see
 * whether ports, certificates and credentials of the commands fit together.
 */
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { KubeConfig } from '@kubernetes/client-node';
import { tlsOptions } from '../../server/tls/certificate-reload.ts';
import type { StartConfig, RunningApiServer } from '../config.ts';
import { noRequests } from './no-requests.ts';

export async function startHttpsServer({ serving }: StartConfig): Promise<RunningApiServer> {
  const server = https.createServer(
    { ...tlsOptions(serving.tls), ALPNProtocols: ['http/1.1'] },
    (request, response) => {
      const socket = request.socket as TLSSocket;
      const { subject } = socket.getPeerCertificate();
      response.end(JSON.stringify({ trusted: socket.authorized, user: subject?.CN, groups: subject?.O }));
    },
  );
  server.listen(serving.port, serving.address);
  await once(server, 'listening');
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    ready: Promise.resolve(),
    handle: noRequests,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** What the server says of a caller with this kubeconfig. */
export async function askWith(kubeconfig: string): Promise<unknown> {
  const config = new KubeConfig();
  config.loadFromString(kubeconfig);
  const { server, caData } = config.getCurrentCluster()!;
  const { certData, keyData } = config.getCurrentUser()!;
  const [ca, cert, key] = [caData, certData, keyData].map((data) => Buffer.from(data!, 'base64').toString());
  return ask(server, { ca, cert, key });
}

export async function ask(url: string, options: https.RequestOptions): Promise<unknown> {
  const request = https.request(url, { agent: false, ...options }).end();
  const [response] = (await once(request, 'response')) as [AsyncIterable<Buffer>];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString()) as unknown;
}

export const subjectOf = (pem: string): string => new X509Certificate(pem).subject;
