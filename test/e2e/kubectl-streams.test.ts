/** What kubectl says when it wants to stream from a container and the node has no address. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ApiClient } from '../support/api-client.ts';
import { OrchProcess, buildOrch, kubectl } from '../support/orch-process.ts';
import { freePorts } from '../support/ports.ts';

let directory: string;
let kubeconfig: string;
let orch: OrchProcess;
beforeAll(async () => {
  buildOrch();
  directory = await mkdtemp(join(tmpdir(), 'orch-streams-'));
  kubeconfig = join(directory, 'data', 'admin.kubeconfig');
  const [port = 0] = await freePorts(1);
  orch = OrchProcess.up(join(directory, 'data'), port);
  await orch.says('Ready');
  using client = new ApiClient(await readFile(kubeconfig, 'utf8'));
  const pods = '/api/v1/namespaces/default/pods';
  for (const nodeName of ['', 'n1']) {
    const name = nodeName === '' ? 'waiting' : 'running';
    expect(
      (
        await client.send('POST', pods, {
          metadata: { name },
          spec: { containers: [{ name: 'c', image: 'i' }], ...(nodeName === '' ? {} : { nodeName }) },
        })
      ).status,
    ).toBe(201);
    expect(
      (
        await client.send(
          'PATCH',
          `${pods}/${name}/status`,
          { status: { phase: 'Running' } },
          { contentType: 'application/merge-patch+json' },
        )
      ).status,
    ).toBe(200);
  }
  expect((await client.send('POST', '/api/v1/nodes', { metadata: { name: 'n1' } })).status).toBe(201);
});
afterAll(async () => {
  await orch[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

const noWay = 'no preferred addresses found; known addresses: []';

describe.each(['1.32', '1.20'] as const)('kubectl %s', (version) => {
  const says = (...args: string[]): Promise<string> =>
    kubectl(version, kubeconfig, ...args).then(
      () => 'it worked',
      (error: { stderr: string }) => error.stderr.trim(),
    );

  // 1.32 asks for a WebSocket first, and when it is refused for SPDY, as 1.20 does at once.
  test.each([
    { what: 'exec', args: ['exec', 'running', '--', 'ls'], text: noWay },
    { what: 'attach', args: ['attach', 'running'], text: noWay },
    { what: 'port-forward', args: ['port-forward', 'pod/running', ':80'], text: noWay },
    { what: 'logs', args: ['logs', 'running'], text: noWay },
    {
      what: 'exec in a pod that has no node',
      args: ['exec', 'waiting', '--', 'ls'],
      text: 'pod waiting does not have a host assigned',
    },
    { what: 'exec in a pod that is not there', args: ['exec', 'absent', '--', 'ls'], text: 'pods "absent" not found' },
    {
      what: 'exec in a container that is not there',
      args: ['exec', 'running', '-c', 'x', '--', 'ls'],
      text: 'container x is not valid for pod running',
    },
    {
      what: 'exec without the right',
      args: ['exec', 'running', '--as', 'jane', '--', 'ls'],
      text:
        'pods "running" is forbidden: User "jane" cannot get resource "pods" in API group "" in the ' +
        'namespace "default"',
    },
  ])('kubectl $what tells why it fails', async ({ args, text }) => {
    expect(await says(...args)).toContain(text);
  });

  test('A right to read pods is none to run commands in them', async () => {
    await kubectl('1.32', kubeconfig, 'create', 'clusterrole', `reader-${version}`, '--verb=get', '--resource=pods');
    await kubectl(
      '1.32',
      kubeconfig,
      'create',
      'clusterrolebinding',
      `reader-${version}`,
      `--clusterrole=reader-${version}`,
      `--user=reader-${version}`,
    );
    await expect.poll(() => says('get', 'pod', 'running', '--as', `reader-${version}`)).toBe('it worked');
    expect(await says('exec', 'running', '--as', `reader-${version}`, '--', 'ls')).toContain(
      `cannot create resource "pods/exec" in API group "" in the namespace "default"`,
    );
  });
});

test('None of it is a fault of the server', () => {
  expect(orch.errors).toBe('');
});
