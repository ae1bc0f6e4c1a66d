/** `--max-connection-bytes-per-sec`: what comes through in a moment when it is one byte per second. */
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createKubeletFiles, createNode, createPodOn, type KubeletFiles, TestKubelet } from '../../support/kubelet.ts';
import { serveStreams } from '../../support/kubelet-streams.ts';
import { openRawWebSocket } from '../../support/raw-web-socket.ts';
import { openSpdy } from '../../support/spdy-client.ts';
import { type ClientServer, startClientServer } from '../client/client-server.ts';

const pods = '/api/v1/namespaces/default/pods';

let files: KubeletFiles;
let kubelet: TestKubelet;
let started: ClientServer;

beforeAll(async () => {
  files = await createKubeletFiles();
  kubelet = await TestKubelet.start(files);
  started = await startClientServer({ flags: [...files.flags, '--max-connection-bytes-per-sec=1'] });
  await createNode(started.server, 'n1', kubelet.port);
  await createPodOn(started.server, 'n1', 'p');
});
afterAll(async () => {
  await started[Symbol.asyncDispose]();
  await kubelet[Symbol.asyncDispose]();
  await files[Symbol.asyncDispose]();
});

/** Bytes that have come when the server has answered some other requests. */
async function bytesOf(stream: Readable): Promise<number> {
  let got = 0;
  stream.on('data', (chunk: Buffer) => (got += chunk.length));
  await once(stream, 'data');
  for (let i = 0; i < 10; i++) await started.server.send('GET', '/healthz');
  return got;
}

test('The output of a command of a WebSocket is limited', async () => {
  serveStreams(kubelet);
  const command = await started.client.core.v1.pods
    .namespace('default')
    .exec.connect('p', { command: ['echo', 'x'.repeat(10_000)] });
  expect(await bytesOf(command.stdout)).toBeLessThan(100);
  await command.close();
});

test.each([
  { name: 'SPDY', open: () => openSpdy(started.server, `${pods}/p/portforward`, ['portforward.k8s.io']) },
  {
    name: 'a tunnel',
    open: () => openRawWebSocket(started.server, `${pods}/p/portforward`, 'SPDY/3.1+portforward.k8s.io'),
  },
])('What a node agent sends by $name is limited', async ({ open }) => {
  kubelet.upgrade = (_, socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n');
    socket.write(Buffer.alloc(10_000));
  };
  const { stream } = await open();
  expect(await bytesOf(stream)).toBeLessThan(100);
  stream.destroy();
});
