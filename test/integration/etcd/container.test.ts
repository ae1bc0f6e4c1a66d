/** What the tests themselves do where a Docker engine answers that has no image for them. */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { etcdImage, startEtcdContainer } from '../../support/etcd-container.ts';

const answers: Record<string, { status: number; body: unknown }> = {
  'GET /info': {
    status: 200,
    body: { ServerVersion: '28.0.0', OperatingSystem: 'Linux', OSType: 'linux', Architecture: 'x86_64' },
  },
  // Asked for by a client that is in a container itself.
  'GET /networks/bridge': { status: 200, body: { IPAM: { Config: [{ Gateway: '127.0.0.1' }] } } },
  'GET /containers/json': { status: 200, body: [] },
  [`GET /images/${etcdImage}/json`]: { status: 404, body: { message: `No such image: ${etcdImage}` } },
  'POST /images/create': { status: 500, body: { message: 'the registry cannot be reached' } },
};

const requests: string[] = [];
const engine = createServer(({ method, url }, response) => {
  const request = `${method} ${new URL(url!, 'http://engine').pathname}`;
  requests.push(request);
  const { status, body } = answers[request] ?? { status: 500, body: { message: `not known: ${request}` } };
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
});

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'orch-engine-'));
  const socket = path.join(folder, 'docker.sock');
  await new Promise<void>((resolve) => engine.listen(socket, resolve));
  vi.stubEnv('DOCKER_HOST', `unix://${socket}`);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  engine.closeAllConnections();
  await new Promise((resolve) => engine.close(resolve));
  await rm(folder, { recursive: true });
});

test('An engine that neither has the image nor can get it starts no container', async () => {
  await expect(startEtcdContainer()).rejects.toThrow('the registry cannot be reached');
  expect(requests.slice(-2)).toEqual([`GET /images/${etcdImage}/json`, 'POST /images/create']);
});
