/** `orch up` with controllers, a scheduler and nodes, as people use it. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { buildOrch, kubectl, OrchProcess } from '../support/orch-process.ts';
import { freePorts } from '../support/ports.ts';

let directory: string;
let orch: OrchProcess;
beforeAll(async () => {
  buildOrch();
  directory = await mkdtemp(join(tmpdir(), 'orch-cluster-'));
  const [port = 0] = await freePorts(1);
  orch = new OrchProcess(['up', '--data-dir', join(directory, 'data'), '--secure-port', String(port)]);
  await orch.says('Ready');
}, 60_000);
afterAll(async () => {
  await orch[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

const run = (...args: string[]): Promise<string> =>
  kubectl('1.32', join(directory, 'data', 'admin.kubeconfig'), ...args);
const image = (): Promise<string> =>
  run('get', 'pods', '-l', 'app=web', '-o', 'jsonpath={.items[*].spec.containers[0].image}');

test('A Deployment is created, rolled out, changed, rolled back, scaled and exposed by kubectl', async () => {
  await run('create', 'deployment', 'web', '--image=nginx:1', '--replicas=3');
  expect(await run('rollout', 'status', 'deployment/web', '--timeout=20s')).toContain('successfully rolled out');
  await run('set', 'image', 'deployment/web', 'nginx=nginx:2');
  await run('rollout', 'status', 'deployment/web', '--timeout=20s');
  await vi.waitFor(async () => expect(await image()).toBe('nginx:2 nginx:2 nginx:2'), 10_000);
  await run('rollout', 'undo', 'deployment/web');
  await run('rollout', 'status', 'deployment/web', '--timeout=20s');
  await vi.waitFor(async () => expect(await image()).toBe('nginx:1 nginx:1 nginx:1'), 10_000);
  await run('scale', 'deployment/web', '--replicas=5');
  await run('wait', '--for=jsonpath={.status.availableReplicas}=5', 'deployment/web', '--timeout=20s');
  await run('expose', 'deployment/web', '--port=80');
  await vi.waitFor(async () => {
    const addresses = await run('get', 'endpoints', 'web', '-o', 'jsonpath={.subsets[0].addresses[*].ip}');
    expect(addresses.split(' ')).toHaveLength(5);
  }, 10_000);
}, 120_000);

test('A Job completes, and a namespace is deleted with what is in it', async () => {
  await run('create', 'namespace', 'batch');
  await run('-n', 'batch', 'create', 'job', 'once', '--image=busybox');
  await run('-n', 'batch', 'wait', '--for=condition=complete', 'job/once', '--timeout=30s');
  await run('delete', 'namespace', 'batch', '--timeout=40s');
  await expect(run('get', 'namespace', 'batch')).rejects.toThrow('NotFound');
}, 120_000);

test('A node is drained: its pods run on the other one', async () => {
  await run('create', 'deployment', 'moved', '--image=nginx', '--replicas=4');
  await run('rollout', 'status', 'deployment/moved', '--timeout=20s');
  await run('drain', 'hollow-node-0', '--ignore-daemonsets', '--timeout=40s');
  await run('rollout', 'status', 'deployment/moved', '--timeout=20s');
  await vi.waitFor(async () => {
    const nodes = await run('get', 'pods', '-l', 'app=moved', '-o', 'jsonpath={.items[*].spec.nodeName}');
    expect(new Set(nodes.split(' '))).toEqual(new Set(['hollow-node-1']));
  }, 10_000);
  await run('uncordon', 'hollow-node-0');
}, 120_000);

test('Ctrl-C ends all processes, and says so', async () => {
  expect(await orch.kill('SIGINT')).toEqual({ code: 0, signal: null });
  expect(orch.output).toMatch(/Stopping\..*\nStopped\. The data is in .*\n$/);
  const logs = await Promise.all(
    ['controller-manager', 'scheduler', 'hollow-nodes'].map((name) =>
      readFile(join(directory, 'data', 'logs', `${name}.log`), 'utf8'),
    ),
  );
  // An error in a log would be one that an operator has to read.
  expect(
    logs
      .join('')
      .split('\n')
      .filter((line) => line.startsWith('E ')),
  ).toEqual([]);
}, 60_000);
