import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { EtcdServer, etcdVersions } from '../support/etcd.ts';
import { OrchProcess, buildOrch, kubectl } from '../support/orch-process.ts';
import { freePorts } from '../support/ports.ts';

let dataDir: string;
let kubeconfig: string;
beforeAll(buildOrch);
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'orch-e2e-'));
  kubeconfig = join(dataDir, 'admin.kubeconfig');
});
afterEach(() => rm(dataDir, { recursive: true }));

async function up(...flags: string[]): Promise<OrchProcess> {
  const [port] = await freePorts(1);
  return OrchProcess.up(dataDir, port, ...flags);
}

describe('orch up on etcd', () => {
  test.each(etcdVersions)('orch up on etcd: %s keeps the data there', async (version) => {
    await using etcd = await EtcdServer.start({ version });
    for (const name of ['first', 'second']) {
      await using orch = await up('--store-servers', etcd.url);
      await orch.says('Ready');
      await kubectl('1.32', kubeconfig, 'create', 'configmap', name);
      expect(await orch.kill('SIGINT')).toEqual({ code: 0, signal: null });
    }
    await using orch = await up('--etcd-servers', etcd.url);
    await orch.says('Ready');
    expect(await kubectl('1.32', kubeconfig, 'get', 'configmaps', '-o', 'name')).toBe(
      'configmap/first\nconfigmap/second\n',
    );
  });

  test('orch up on etcd that is away waits, says why, is not ready, and stops at Ctrl-C', async () => {
    const [port] = await freePorts(1);
    await using orch = await up('--store-servers', `http://127.0.0.1:${port}`);
    await orch.says('API server');
    await orch.warns('ECONNREFUSED');
    await expect(kubectl('1.32', kubeconfig, 'get', '--raw', '/readyz')).rejects.toThrow(
      /InternalError|internal error/,
    );
    // At once, and not when the time of a request is over.
    const unknown = 'the request has been made before all known HTTP paths have been installed, please try again';
    for (const path of ['/apis', '/apis/apps/v1', '/apis/example.com/v1/things'])
      await expect(kubectl('1.32', kubeconfig, 'get', '--raw', path)).rejects.toThrow(unknown);
    await expect(kubectl('1.32', kubeconfig, 'get', '--raw', '/api/v1/namespaces/default/pods')).rejects.toThrow(
      'the store is not available: the watch cache of /registry/pods/ could not be filled',
    );
    expect(orch.output).not.toContain('Ready');
    expect(await orch.kill('SIGINT')).toEqual({ code: 0, signal: null });
  });

  test('orch up on etcd that comes later goes on by itself', async () => {
    await using etcd = await EtcdServer.start();
    await etcd.stop();
    await using orch = await up('--store-servers', etcd.url);
    await orch.warns('ECONNREFUSED');
    await etcd.restart();
    await orch.says('Ready');
    expect(await kubectl('1.32', kubeconfig, 'get', 'namespace', 'default', '-o', 'name')).toBe('namespace/default\n');
  });
});
