/** What the node agent serves of itself, and to whom. */
import http from 'node:http';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningCommand, runCommand } from '../../../src/cmd/testing/run-command.ts';
import { type ApiUsers, startApiUsers } from '../../support/api-users.ts';
import { askDaemon } from '../../support/ask-daemon.ts';
import { freePorts } from '../../support/ports.ts';
import { tokenKubeconfig } from '../../support/token-kubeconfig.ts';

let api: ApiUsers;
let agent: RunningCommand;
let kubeconfig: string;
let port: number;
let healthPort: number;

beforeAll(async () => {
  api = await startApiUsers({ alice: [] }, ['--authorization-mode=RBAC']);
  kubeconfig = await tokenKubeconfig(api, 'admin');
  [port, healthPort] = (await freePorts(2)) as [number, number];
  agent = runCommand([
    'node-agent',
    '--hollow=2',
    `--kubeconfig=${kubeconfig}`,
    '--address=127.0.0.1',
    `--port=${port}`,
    `--healthz-port=${healthPort}`,
    '--feature-gates=ComponentFlagz=true',
  ]);
  await agent.says('hollow nodes started');
});
afterAll(async () => {
  agent.interrupt('SIGTERM');
  expect(await agent.exited).toBe(0);
  await api[Symbol.asyncDispose]();
});

describe('the node agent serves', () => {
  test.each<{ path: string; token?: string; status: number; says: RegExp }>([
    { path: '/healthz', status: 200, says: /^ok$/ },
    { path: '/readyz?verbose', status: 200, says: /^\[\+\]ping ok\nreadyz check passed\n$/ },
    { path: '/metrics', status: 403, says: /system:anonymous/ },
    { path: '/metrics', token: 'token-alice', status: 403, says: /User \\"alice\\" cannot get path \\"\/metrics\\"/ },
    { path: '/metrics', token: 'token-admin', status: 200, says: /\norch_hollow_nodes\{state="running"\} 2\n/ },
    { path: '/metrics', token: 'token-admin', status: 200, says: /\nkubelet_running_pods 0\n/ },
    { path: '/metrics', token: 'token-admin', status: 200, says: /workqueue_depth\{name="hollow-nodes"\}/ },
    { path: '/metrics', token: 'token-admin', status: 200, says: /rest_client_requests_total\{/ },
    { path: '/configz', token: 'token-admin', status: 200, says: /^\{"hollow":\{"count":2,/ },
    { path: '/debug/pprof/goroutine?debug=1', token: 'token-admin', status: 200, says: /^goroutine profile/ },
    { path: '/debug/pprof/', token: 'token-alice', status: 403, says: /alice/ },
    { path: '/version', token: 'token-admin', status: 200, says: /"gitVersion"/ },
  ])('GET $path with $token is answered $status: $says', async ({ path, token, status, says }) => {
    const ask = () => askDaemon(port, path, token === undefined ? {} : { token });
    await expect.poll(async () => (await ask()).text).toMatch(says);
    expect((await ask()).status).toBe(status);
  });

  test('Its flags, under the names of a node agent', async () => {
    const { text } = await askDaemon(port, '/flagz', { token: 'token-admin', headers: { accept: 'text/plain' } });
    expect(text).toMatch(new RegExp(`\nkubelet flagz\n[^]*\nhollow=2\n[^]*\nport=${port}\n`));
  });

  test('/healthz without TLS, and nothing else there', async () => {
    const answers = await Promise.all(['/healthz', '/healthz/ping', '/metrics'].map(plainly));
    expect(answers).toEqual(['200 ok', '200 ok', '404 404 page not found\n']);
  });
});

async function plainly(path: string): Promise<string> {
  const request = http.get({ host: '127.0.0.1', port: healthPort, path, agent: false });
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  return `${response.statusCode} ${Buffer.concat((await response.toArray()) as Buffer[]).toString()}`;
}

describe('a port that another program has', () => {
  test.each([
    { name: 'of HTTPS', flag: () => `--port=${healthPort}`, says: () => `port ${healthPort} on 127.0.0.1 is in use` },
    {
      name: 'of health',
      flag: () => `--healthz-port=${port}`,
      says: () => `port ${port} on 127.0.0.1 is in use: stop the server there, or choose another port with --healthz`,
    },
  ])('$name that was asked for ends the start', async ({ flag, says }) => {
    const argv = ['node-agent', '--hollow=1', `--kubeconfig=${kubeconfig}`, '--address=127.0.0.1'];
    const command = runCommand([...argv, '--port=0', '--healthz-port=0', flag()]);
    expect(await command.exited).toBe(1);
    expect(command.errors()).toContain(says());
  });
});
