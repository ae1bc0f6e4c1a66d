/** A client that opens a watch on a real connection and stops reading is cut off; what waits for it is bounded. */
import { once } from 'node:events';
import http2 from 'node:http2';
import tls from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openEmbeddedStore } from '../../src/storage/embedded/open.ts';
import type { Store } from '../../src/storage/interface.ts';
import { credentials } from '../support/api-client.ts';
import { startOnStore, type StoreServer } from '../support/store-server.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';
const watchPath = `${configMaps}?watch=true`;
/** `maxBytes` of a watcher's queue, which holds what the connection does not take. */
const queueBytes = 32 * 1024 * 1024;

let store: Store;
let server: StoreServer;
beforeAll(async () => {
  store = await openEmbeddedStore();
  server = await startOnStore(store);
  expect((await server.client.send('POST', configMaps, { metadata: { name: 'noisy' } })).status).toBe(201);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
});

/** Changes one large object again and again; each change is an event of its own. Returns the bytes of all events. */
async function makeNoise(until: () => Promise<boolean>): Promise<number> {
  const text = 'x'.repeat(900_000);
  let bytes = 0;
  for (let i = 0; !(await until()); i++) {
    const { status } = await server.client.send('PUT', `${configMaps}/noisy`, {
      metadata: { name: 'noisy' },
      data: { text: `${i} ${text}` },
    });
    expect(status).toBe(200);
    bytes += text.length;
    if (bytes > 10 * queueBytes) throw new Error(`the watch was still open after ${bytes} bytes`);
  }
  return bytes;
}

/** Watches of config maps that the server has open. */
async function openWatches(): Promise<number> {
  const { body } = await server.client.send('GET', '/metrics');
  const lines = body
    .toString()
    .split('\n')
    .filter((line) => line.startsWith('apiserver_longrunning_requests{') && line.includes('resource="configmaps"'));
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
}

const tlsOptions = (): tls.ConnectionOptions => ({
  port: Number(new URL(server.controlPlane.url).port),
  host: '127.0.0.1',
  servername: 'localhost',
  ...credentials(server.controlPlane.kubeconfig),
});

describe('a watcher that reads nothing more', () => {
  test('A watcher that reads nothing more over HTTP/2 loses its stream, and its connection goes on', {
    timeout: 120_000,
  }, async () => {
    const session = http2.connect(server.controlPlane.url, credentials(server.controlPlane.kubeconfig));
    const stuck = session.request({ ':path': watchPath });
    stuck.on('error', () => undefined);
    const closed = new Promise((resolve) => stuck.once('close', resolve));
    await once(stuck, 'response');
    stuck.pause();
    expect(await openWatches()).toBe(1);

    const bytes = await makeNoise(async () => (await openWatches()) === 0);
    expect(bytes).toBeLessThan(3 * queueBytes);
    // The server has reset the stream: it keeps nothing for it, whether its client ever reads or not.
    stuck.resume();
    await closed;
    expect(stuck.rstCode).not.toBe(http2.constants.NGHTTP2_NO_ERROR);
    const other = session.request({ ':path': '/readyz' });
    const [headers] = (await once(other, 'response')) as [Record<string, number>];
    expect(headers[':status']).toBe(200);
    other.resume();
    await once(other, 'close');
    session.close();
  });

  test.each([
    { over: 'HTTP/1.1', headers: '' },
    {
      over: 'a WebSocket',
      headers:
        'connection: upgrade\r\nupgrade: websocket\r\norigin: https://localhost\r\nsec-websocket-version: ' +
        '13\r\nsec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==\r\n',
    },
  ])('A watcher that reads nothing more over $over loses its connection', { timeout: 120_000 }, async ({ headers }) => {
    const before = await openWatches();
    const socket = tls.connect({ ...tlsOptions(), ALPNProtocols: ['http/1.1'] });
    await once(socket, 'secureConnect');
    socket.on('error', () => undefined);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write(`GET ${watchPath} HTTP/1.1\r\nhost: localhost\r\n${headers}\r\n`);
    await once(socket, 'data');
    socket.pause();
    expect(await openWatches()).toBe(before + 1);
    const bytes = await makeNoise(async () => (await openWatches()) === before);
    expect(bytes).toBeLessThan(3 * queueBytes);
    socket.resume();
    await closed;
  });
});
