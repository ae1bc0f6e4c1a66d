/** Bodies and objects that are too large. */
import http2 from 'node:http2';
import tls from 'node:tls';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createControlPlane, type ControlPlane } from '../../../src/index.ts';
import { ApiClient, credentials } from '../../support/api-client.ts';
import { EtcdServer } from '../../support/etcd.ts';

const maxBodyBytes = 3 * 1024 * 1024;
const configMaps = '/api/v1/namespaces/default/configmaps';
const tooLarge = {
  kind: 'Status',
  status: 'Failure',
  reason: 'RequestEntityTooLarge',
  code: 413,
  message: `Request entity too large: limit is ${maxBodyBytes}`,
};

let controlPlane: ControlPlane;
let client: ApiClient;
beforeAll(async () => {
  controlPlane = await createControlPlane({ controllers: false });
  client = new ApiClient(controlPlane.kubeconfig);
});
afterAll(async () => {
  client[Symbol.dispose]();
  await controlPlane.close();
});

const bodyOf = (bytes: number): Buffer =>
  Buffer.from(`{"metadata":{"name":"large"}}${' '.repeat(bytes)}`).subarray(0, bytes);

describe('a body of three megabytes and one byte', () => {
  test.each([
    { name: 'in a create', method: 'POST', path: configMaps, contentType: 'application/json' },
    { name: 'in a replacement', method: 'PUT', path: `${configMaps}/x`, contentType: 'application/yaml' },
    { name: 'in a patch', method: 'PATCH', path: `${configMaps}/x`, contentType: 'application/merge-patch+json' },
    { name: 'in options of a deletion', method: 'DELETE', path: `${configMaps}/x`, contentType: 'application/json' },
    { name: 'in protobuf', method: 'POST', path: configMaps, contentType: 'application/vnd.kubernetes.protobuf' },
  ])('A body of three megabytes and one byte $name is answered 413', async ({ method, path, contentType }) => {
    const answer = await client.send(method, path, bodyOf(maxBodyBytes + 1), { contentType });
    expect(answer.status).toBe(413);
    expect(answer.object).toMatchObject(tooLarge);
  });

  test('A body of three megabytes and one byte is taken when it has the one byte less', async () => {
    expect((await client.send('POST', `${configMaps}?dryRun=All`, bodyOf(maxBodyBytes))).status).toBe(201);
  });
});

describe('a body that goes on for long', () => {
  // An answer is lost when the connection is closed under a client that still sends.
  test.each([
    {
      name: 'of a length that was announced',
      header: (bytes: number) => `content-length: ${bytes}`,
      frame: (body: Buffer) => [body],
    },
    {
      name: 'in chunks',
      header: () => 'transfer-encoding: chunked',
      frame: (body: Buffer) => [Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')],
    },
  ])(
    'A body that goes on for long $name is answered 413 to an HTTP/1.1 client that reads when it has sent all',
    async ({ header, frame }) => {
      const body = Buffer.alloc(32 * 1024 * 1024, ' ');
      const socket = tls.connect({
        port: Number(new URL(controlPlane.url).port),
        host: '127.0.0.1',
        servername: 'localhost',
        ...credentials(controlPlane.kubeconfig),
      });
      await once(socket, 'secureConnect');
      socket.write(
        `POST ${configMaps} HTTP/1.1\r\nhost: localhost\r\ncontent-type: ` +
          `application/json\r\n${header(body.length)}\r\n\r\n`,
      );
      for (const part of frame(body))
        await new Promise<void>((resolve, reject) =>
          socket.write(part, (error) => (error === undefined || error === null ? resolve() : reject(error))),
        );
      let answer = '';
      for await (const chunk of socket) answer += String(chunk);
      expect(answer).toMatch(/^HTTP\/1\.1 413 /);
      expect(answer).toContain(tooLarge.message);
    },
  );

  test('A body that goes on for long is answered 413 over HTTP/2, and the connection goes on', async () => {
    const session = http2.connect(controlPlane.url, { ...credentials(controlPlane.kubeconfig), maxSessionMemory: 64 });
    for (const [body, status] of [
      [Buffer.alloc(16 * 1024 * 1024, ' '), 413],
      [bodyOf(100), 201],
    ] as const) {
      const stream = session.request({
        ':method': 'POST',
        ':path': `${configMaps}?dryRun=All`,
        'content-type': 'application/json',
      });
      stream.on('error', () => undefined).end(body);
      const [headers] = (await once(stream, 'response')) as [Record<string, number>];
      expect(headers[':status']).toBe(status);
      // As Go, the server says that it wants no more of the body (RFC 9113 section 8.1); Node's client then waits for
      // ever to send it.
      await once(stream.resume(), 'end');
    }
    session.destroy();
  });
});

describe('an object over the limit of etcd', () => {
  test('An object over the limit of etcd is answered as by kube-apiserver, and the server goes on', async () => {
    const etcd = await EtcdServer.start();
    const onEtcd = await createControlPlane({ controllers: false, flags: [`--store-servers=${etcd.url}`] });
    const api = new ApiClient(onEtcd.kubeconfig);
    try {
      const revision = await api.send('POST', '/apis/apps/v1/namespaces/default/controllerrevisions', {
        metadata: { name: 'large' },
        revision: 1,
        data: { text: 'x'.repeat(2 * 1024 * 1024) },
      });
      expect(revision.object).toEqual({
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: 'etcdserver: request is too large',
        code: 500,
      });
      expect((await api.send('POST', configMaps, { metadata: { name: 'small' } })).status).toBe(201);
    } finally {
      api[Symbol.dispose]();
      await onEtcd.close();
      await etcd[Symbol.asyncDispose]();
    }
  });
});
