import { renameSync } from 'node:fs';
import { mkdtemp, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { silentLogger } from '../../base/logger.ts';
import { createSelfSigned } from '../../pki/pki.ts';
import { readKubeconfigFile, readPodConfig, reloadingConfig, type ReloadingConfig } from './reloading.ts';

let folder: string;
let open: ReloadingConfig[] = [];
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'orch-reload-'));
});
afterEach(async () => {
  for (const config of open) config.stop();
  open = [];
  await rm(folder, { recursive: true });
});

const file = (name: string): string => path.join(folder, name);
const write = (cluster: object, user: object = {}, name = 'config'): Promise<void> =>
  writeFile(
    file(name),
    JSON.stringify({
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      clusters: [{ name: 'c', cluster: { server: 'https://a.example.com', ...cluster } }],
      users: [{ name: 'u', user }],
    }),
  );

async function reloading(logged: string[] = []): Promise<ReloadingConfig> {
  const config = await reloadingConfig(() => readKubeconfigFile(file('config')), {
    log: { ...silentLogger, info: (_, text) => void logged.push(text), warn: (_, text) => void logged.push(text) },
  });
  open.push(config);
  return config;
}

describe('a kubeconfig that changes', () => {
  test('A kubeconfig that changes while it is read is taken for the newer one only when it is that', async () => {
    for (let turns = 0; turns < 40; turns++) {
      await write({ server: 'https://old.example.com' });
      const reading = readKubeconfigFile(file('config'));
      for (let turn = 0; turn < turns; turn++) await setImmediate();
      // At once, as a rename does it.
      await write({ server: 'https://new.example.com' }, {}, 'next');
      renameSync(file('next'), file('config'));
      const { config, fingerprint } = await reading;
      if (fingerprint.includes('https://new.example.com')) expect(config.url).toBe('https://new.example.com');
    }
  });

  test('A kubeconfig that changes is read again: address, authorities, names and credentials', async () => {
    await write({ 'tls-server-name': 'one' }, { token: 'one' });
    const { config, look } = await reloading();
    const version = config.version!();
    expect(await look()).toBe(false);
    expect(config.version!()).toBe(version);
    await writeFile(file('ca.crt'), 'the authorities');
    await write(
      { server: 'https://b.example.com', 'certificate-authority': 'ca.crt', 'tls-server-name': 'two' },
      { token: 'two' },
    );
    expect(await look()).toBe(true);
    expect(config.version!()).not.toBe(version);
    expect({ ...config }).toMatchObject({ url: 'https://b.example.com', ca: 'the authorities', serverName: 'two' });
    expect(await config.authorization!()).toBe('Bearer two');
  });

  test('A kubeconfig that changes is reported, and so is one that became wrong, once for each reason', async () => {
    await write({}, { token: 'one' });
    const told: string[] = [];
    const config = await reloadingConfig(() => readKubeconfigFile(file('config')), {
      log: silentLogger,
      reports: {
        file: file('config'),
        to: {
          taken: (files) => void told.push(`${files.join(' ')} is taken`),
          refused: (files, error) => void told.push(`${files.join(' ')}: ${(error as Error).message}`),
        },
      },
    });
    open.push(config);
    await write({}, { token: 'two' });
    await config.look();
    await writeFile(file('config'), '[');
    await config.look();
    await config.look();
    expect(told).toEqual([`${file('config')} is taken`, expect.stringMatching(/^\S+config: .*yaml/) as unknown]);
    expect(await config.config.authorization!()).toBe('Bearer two');
  });

  test('A kubeconfig counts as changed also when only the file with the authorities is another one', async () => {
    await writeFile(file('ca.crt'), 'one');
    await write({ 'certificate-authority': 'ca.crt' });
    const { config, look } = await reloading();
    await writeFile(file('ca.crt'), 'two');
    expect(await look()).toBe(true);
    expect(config.ca).toBe('two');
  });

  test('A kubeconfig that changes shows the client certificate that it contains now', async () => {
    const data = (text: string): string => Buffer.from(text).toString('base64');
    const [one, two] = ['one', 'two'].map((name) =>
      createSelfSigned(name, { dnsNames: [name], ipAddresses: [] }, new Date()),
    );
    const user = ({ certificate, key }: { certificate: string; key: string }): object => ({
      'client-certificate-data': data(certificate),
      'client-key-data': data(key),
    });
    await write({}, user(one!));
    const { config, look } = await reloading();
    const first = await config.renewedPair!();
    expect(first).toEqual({ certificate: one!.certificate, key: one!.key });
    expect(await config.renewedPair!()).toBe(first);
    await write({}, user(two!));
    await look();
    expect(await config.renewedPair!()).toEqual({ certificate: two!.certificate, key: two!.key });
  });

  test('A kubeconfig that changes is looked at when the server refuses the credentials', async () => {
    await write({}, { token: 'one' });
    const { config } = await reloading();
    expect(await config.onUnauthorized!('Bearer one')).toBe(false);
    await write({}, { token: 'two' });
    expect(await config.onUnauthorized!('Bearer one')).toBe(true);
    expect(await config.authorization!()).toBe('Bearer two');
  });

  test('A kubeconfig that changes stays in force while the file cannot be read, which is said once', async () => {
    await write({}, { token: 'one' });
    const logged: string[] = [];
    const { config, look } = await reloading(logged);
    await writeFile(file('config'), '{');
    expect([await look(), await look()]).toEqual([false, false]);
    await unlink(file('config'));
    expect(await look()).toBe(false);
    expect(await config.authorization!()).toBe('Bearer one');
    expect(logged).toHaveLength(2);
    await write({}, { token: 'two' });
    expect(await look()).toBe(true);
  });

  test('A kubeconfig that changes must be readable at first', async () => {
    await expect(reloading()).rejects.toThrow(`${file('config')}: no such file or directory`);
  });
});

test('The account of a pod has its authorities read again', async () => {
  await writeFile(file('token'), 'pod-token');
  await writeFile(file('ca.crt'), 'one');
  const pod = {
    environment: { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' },
    accountFolder: folder,
  };
  const { config, look, stop } = await reloadingConfig(() => readPodConfig(pod), { log: silentLogger });
  expect([config.url, config.ca, await config.authorization!()]).toEqual([
    'https://10.0.0.1:443',
    'one',
    'Bearer pod-token',
  ]);
  await writeFile(file('ca.crt'), 'two');
  expect(await look()).toBe(true);
  expect(config.ca).toBe('two');
  stop();
});
