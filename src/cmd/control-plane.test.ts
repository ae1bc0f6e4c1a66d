import { existsSync } from 'node:fs';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { ReloadableFiles } from '../base/reloadable-file.ts';
import type { StartConfig } from './config.ts';
import { startControlPlane } from './control-plane.ts';
import { askWith, startHttpsServer } from './testing/https-server.ts';
import { noRequests } from './testing/no-requests.ts';

const admin = { trusted: true, user: 'orch-admin', groups: 'system:masters' };

describe('startControlPlane', () => {
  test('startControlPlane answers on a free port by its kubeconfig, and removes its files at the end', async () => {
    const controlPlane = await startControlPlane({}, startHttpsServer);
    expect(controlPlane.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    expect(await askWith(controlPlane.kubeconfig)).toEqual(admin);
    expect(await readFile(controlPlane.kubeconfigPath, 'utf8')).toBe(controlPlane.kubeconfig);
    await Promise.all([controlPlane.close(), controlPlane.close()]);
    expect(existsSync(dirname(controlPlane.kubeconfigPath))).toBe(false);
    await expect(askWith(controlPlane.kubeconfig)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  test('Two at once share neither port nor trust', async () => {
    await using one = await startControlPlane({}, startHttpsServer);
    await using other = await startControlPlane({}, startHttpsServer);
    expect(one.url).not.toBe(other.url);
    expect([await askWith(one.kubeconfig), await askWith(other.kubeconfig)]).toEqual([admin, admin]);
    await expect(askWith(one.kubeconfig.replace(one.url, other.url))).rejects.toMatchObject({
      code: 'SELF_SIGNED_CERT_IN_CHAIN',
    });
  });

  test('startControlPlane with a data directory has the same credentials later, and keeps the files', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'orch-library-'));
    const dataDir = join(directory, 'data');
    const first = await startControlPlane({ dataDir }, startHttpsServer);
    await first.close();
    const second = await startControlPlane({ dataDir }, startHttpsServer);
    expect(await askWith(first.kubeconfig.replace(first.url, second.url))).toEqual(admin);
    expect(second.kubeconfigPath).toBe(join(dataDir, 'admin.kubeconfig'));
    await second.close();
    expect(existsSync(second.kubeconfigPath)).toBe(true);
    await rm(directory, { recursive: true });
  });

  test('startControlPlane that fails to start watches no file any more', async () => {
    const stopped = vi.spyOn(ReloadableFiles.prototype, 'stop');
    const options = { flags: ['--token-auth-file=/nowhere/tokens.csv'] };
    await expect(startControlPlane(options, startHttpsServer)).rejects.toThrow('/nowhere/tokens.csv');
    expect(stopped).toHaveBeenCalledOnce();
    stopped.mockRestore();
  });

  const configOf = async (options: Parameters<typeof startControlPlane>[0]): Promise<StartConfig> => {
    const configs: StartConfig[] = [];
    const controlPlane = await startControlPlane(options, (config) => {
      configs.push(config);
      return Promise.resolve({
        url: 'https://127.0.0.1:1',
        ready: Promise.resolve(),
        handle: noRequests,
        close: () => Promise.resolve(),
      });
    });
    await controlPlane.close();
    return configs[0]!;
  };

  test.each([
    { name: 'a free port of loopback', options: {}, listen: { address: '127.0.0.1', port: 0 } },
    {
      name: 'the port it is given',
      options: { port: 7443, flags: ['--secure-port=8443'] },
      listen: { address: '127.0.0.1', port: 7443 },
    },
    {
      name: 'address and port of its flags',
      options: { flags: ['--secure-port=8443', '--bind-address=0.0.0.0'] },
      listen: { address: '0.0.0.0', port: 8443 },
    },
  ])('A control plane listens on $name', async ({ options, listen }) => {
    expect((await configOf(options)).serving).toMatchObject(listen);
  });

  test.each([
    { flags: [], allowed: true },
    { flags: ['--allow-privileged=false'], allowed: false },
  ])('Privileged pods with $flags: $allowed', async ({ flags, allowed }) => {
    expect((await configOf({ flags })).allowPrivileged).toBe(allowed);
  });

  test('startControlPlane keeps temporary data in memory', async () => {
    expect((await configOf({})).store).toEqual({ kind: 'embedded', directory: undefined });
  });

  test('startControlPlane tells warnings to the logger it is given', async () => {
    const warnings: string[] = [];
    const nothing = (): void => undefined;
    await configOf({
      flags: ['--vmodule=a=1'],
      log: { debug: nothing, info: nothing, error: nothing, warn: (_, message) => warnings.push(message) },
    });
    expect(warnings).toEqual(['--vmodule has no meaning in this runtime and is ignored']);
  });

  test.each([
    { flags: ['--bogus'], message: 'unknown flag: --bogus' },
    { flags: ['--help'], message: 'unknown flag: --help' },
    { flags: ['--runtime-config=foo'], message: 'runtime-config invalid key foo' },
    { flags: ['--tracing-config-file=x'], message: '--tracing-config-file: open x: no such file or directory' },
  ])('A control plane refuses $flags', async ({ flags, message }) => {
    await expect(startControlPlane({ flags }, startHttpsServer)).rejects.toThrow(message);
  });

  test.each([
    { name: 'before', abortEarly: true },
    { name: 'during', abortEarly: false },
  ])('A signal that aborts $name the wait for readiness ends it, and the server', async ({ abortEarly }) => {
    const controller = new AbortController();
    if (abortEarly) controller.abort(new Error('enough'));
    let closed = 0;
    const never = () => {
      setImmediate(() => controller.abort(new Error('enough')));
      return Promise.resolve({
        url: 'https://127.0.0.1:1',
        ready: new Promise<void>(() => undefined),
        handle: noRequests,
        close: () => Promise.resolve(void closed++),
      });
    };
    await expect(startControlPlane({ signal: controller.signal }, never)).rejects.toThrow('enough');
    expect(closed).toBe(1);
  });

  test('startControlPlane leaves nothing behind when the server does not start', async () => {
    const seen: StartConfig[] = [];
    const start = (config: StartConfig): Promise<never> => {
      seen.push(config);
      return Promise.reject(Object.assign(new Error('listen EADDRINUSE'), { code: 'EADDRINUSE' }));
    };
    const directory = await mkdtemp(join(tmpdir(), 'orch-library-'));
    const before = process.env['TMPDIR'];
    process.env['TMPDIR'] = directory;
    try {
      await expect(startControlPlane({ port: 7443 }, start)).rejects.toThrow('port 7443 on 127.0.0.1 is in use');
      expect(await readdir(directory)).toEqual([]);
    } finally {
      if (before === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = before;
      await rm(directory, { recursive: true });
    }
    expect(seen).toHaveLength(1);
  });
});
