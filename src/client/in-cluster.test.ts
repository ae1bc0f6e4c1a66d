import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { InClusterConfigError, inClusterConfig } from './in-cluster.ts';

let accountFolder: string;
beforeEach(async () => {
  accountFolder = await mkdtemp(path.join(tmpdir(), 'orch-account-'));
  await writeFile(path.join(accountFolder, 'token'), 'first\n');
  await writeFile(path.join(accountFolder, 'ca.crt'), 'authority');
});
afterEach(() => rm(accountFolder, { recursive: true }));

const at = (host: string, port: string): Record<string, string> => ({
  KUBERNETES_SERVICE_HOST: host,
  KUBERNETES_SERVICE_PORT: port,
});

describe('the configuration of a pod', () => {
  test.each([
    ['a name', at('kubernetes.default.svc', '443'), 'https://kubernetes.default.svc:443'],
    ['an IPv4 address', at('10.0.0.1', '6443'), 'https://10.0.0.1:6443'],
    ['an IPv6 address', at('fd00::1', '443'), 'https://[fd00::1]:443'],
  ])('The configuration of a pod has the URL of the server, from %s', async (_, environment, url) => {
    expect(await inClusterConfig({ environment, accountFolder })).toMatchObject({ url, ca: 'authority' });
  });

  test('The configuration of a pod has the token as the file has it at each request', async () => {
    const { authorization } = await inClusterConfig({ environment: at('a', '1'), accountFolder });
    expect(await authorization()).toBe('Bearer first');
    await writeFile(path.join(accountFolder, 'token'), 'second\n');
    expect(await authorization()).toBe('Bearer second');
  });

  test.each([
    ['a host', { KUBERNETES_SERVICE_PORT: '443' }, undefined, 'KUBERNETES_SERVICE_HOST and'],
    ['a port', { KUBERNETES_SERVICE_HOST: 'a' }, undefined, 'KUBERNETES_SERVICE_HOST and'],
    ['a token', at('a', '1'), 'token', 'token: no such file or directory'],
    ['an authority', at('a', '1'), 'ca.crt', 'ca.crt: no such file or directory'],
  ])('The configuration of a pod is refused without %s', async (_, environment, absent, message) => {
    if (absent !== undefined) await rm(path.join(accountFolder, absent));
    const refused = inClusterConfig({ environment, accountFolder });
    await expect(refused).rejects.toThrow(InClusterConfigError);
    await expect(refused).rejects.toThrow(message);
  });
});
