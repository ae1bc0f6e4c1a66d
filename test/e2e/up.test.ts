import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { OrchProcess, buildOrch, kubectl } from '../support/orch-process.ts';
import { freePorts } from '../support/ports.ts';
import { joined } from '../support/patterns.ts';

let directory: string;
let dataDir: string;
let kubeconfig: string;
let port: number;
beforeAll(buildOrch);
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'orch-e2e-'));
  dataDir = join(directory, 'data');
  kubeconfig = join(dataDir, 'admin.kubeconfig');
  [port = 0] = await freePorts(1);
});
afterEach(() => rm(directory, { recursive: true }));

async function up(...flags: string[]): Promise<OrchProcess> {
  const orch = OrchProcess.up(dataDir, port, ...flags);
  await orch.says('Ready');
  return orch;
}

describe('orch up, in a process of its own', () => {
  test.each(['1.32', '1.20'] as const)('kubectl %s works with the kubeconfig it writes', async (version) => {
    await using orch = await up();
    expect(await kubectl(version, kubeconfig, 'get', 'namespaces', '-o', 'name')).toBe(
      'namespace/default\nnamespace/kube-node-lease\nnamespace/kube-public\nnamespace/kube-system\n' +
        'namespace/orch-system\n',
    );
    expect(await kubectl(version, kubeconfig, 'version')).toContain('v1.32.13+orch');
    await kubectl(version, kubeconfig, 'create', 'configmap', 'colours', '--from-literal=sky=blue');
    expect(await kubectl(version, kubeconfig, 'get', 'configmap', 'colours', '-o', 'jsonpath={.data}')).toBe(
      '{"sky":"blue"}',
    );
    expect(orch.errors).toBe('');
  });

  test.each(['SIGINT', 'SIGTERM'] as const)(
    'orch up, in a process of its own: %s stops it cleanly, and the next start has the same data and credentials',
    async (signal) => {
      await using first = await up();
      await kubectl('1.32', kubeconfig, 'create', 'configmap', 'colours', '--from-literal=sky=blue');
      const credentials = await readFile(kubeconfig, 'utf8');
      expect(await first.kill(signal)).toEqual({ code: 0, signal: null });
      expect(first.output).toMatch(/Stopping\..*\nStopped\. The data is in .*\n$/);
      expect(first.errors).toBe('');
      await using second = await up();
      expect(await readFile(kubeconfig, 'utf8')).toBe(credentials);
      expect(await kubectl('1.32', kubeconfig, 'get', 'configmap', 'colours', '-o', 'jsonpath={.data}')).toBe(
        '{"sky":"blue"}',
      );
      expect(second.errors).toBe('');
    },
  );

  test('A watch that is open does not keep it from stopping', async () => {
    await using orch = await up();
    const watch = kubectl('1.32', kubeconfig, 'get', 'configmaps', '--watch', '-o', 'name').catch(
      () => 'the server went away',
    );
    await kubectl('1.32', kubeconfig, 'create', 'configmap', 'colours');
    expect(await orch.kill('SIGINT')).toEqual({ code: 0, signal: null });
    await watch;
  });

  test('After kill -9 of orch up everything acknowledged is there', async () => {
    await using first = await up();
    await kubectl('1.32', kubeconfig, 'create', 'configmap', 'colours', '--from-literal=sky=blue');
    await first.kill('SIGKILL');
    await using second = await up();
    expect(await kubectl('1.32', kubeconfig, 'get', 'configmap', 'colours', '-o', 'jsonpath={.data}')).toBe(
      '{"sky":"blue"}',
    );
    expect(second.errors).toBe('');
  });

  test('A second one on the same data directory is refused in one line, and the first goes on', async () => {
    await using first = await up();
    await using second = OrchProcess.up(dataDir, (await freePorts(1))[0]);
    expect(await second.exited).toEqual({ code: 1, signal: null });
    expect(second.errors).toMatch(
      joined(
        /^Error: the data directory \S+ is in use by another process \(pid \d+\): stop that process, or choose /,
        /another directory with --data-dir\n$/,
      ),
    );
    expect(await kubectl('1.32', kubeconfig, 'get', 'namespace', 'default', '-o', 'name')).toBe('namespace/default\n');
    expect(await first.kill('SIGINT')).toEqual({ code: 0, signal: null });
  });

  test('A port in use is refused in one line', async () => {
    await using first = await up();
    await using second = OrchProcess.up(join(directory, 'other'), port);
    expect(await second.exited).toEqual({ code: 1, signal: null });
    expect(second.errors).toBe(
      `Error: port ${port} on 127.0.0.1 is in use: stop the server there, or choose another port with --secure-port\n`,
    );
    expect(first.errors).toBe('');
  });

  test('The help of a command is printed whole', async () => {
    await using orch = new OrchProcess(['help', 'apiserver']);
    expect(await orch.exited).toEqual({ code: 0, signal: null });
    expect(orch.output).toContain('--store-servers, --etcd-servers strings');
    expect(orch.errors).toBe('');
  });
});
