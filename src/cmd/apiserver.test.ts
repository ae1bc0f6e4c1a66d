import { X509Certificate } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { StartConfig } from './config.ts';
import { createPki } from '../pki/pki.ts';
import { runCommand } from './testing/run-command.ts';
import { noRequests } from './testing/no-requests.ts';

let directory: string;
let path: (name: string) => string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'orch-apiserver-'));
  path = (name) => join(directory, name);
});
afterEach(() => rm(directory, { recursive: true }));

/** What the server is started with, and what the command wrote to its log. */
async function startedWith(...flags: string[]): Promise<{ config: StartConfig; log: string }> {
  const configs: StartConfig[] = [];
  const command = runCommand(['apiserver', '--data-dir', path('data'), '--cert-dir', path('certs'), ...flags], {
    startApiServer: (config) => {
      configs.push(config);
      return Promise.resolve({
        url: 'https://127.0.0.1:6443',
        ready: Promise.resolve(),
        handle: noRequests,
        close: () => Promise.resolve(),
      });
    },
  });
  await command.says('serving');
  command.interrupt('SIGTERM');
  expect(await command.exited).toBe(0);
  return { config: configs[0]!, log: command.errors() };
}

describe('orch apiserver', () => {
  test('orch apiserver listens everywhere and makes itself a certificate, which it uses again', async () => {
    const { config } = await startedWith('--external-hostname=api.example.com', '--advertise-address=192.0.2.7');
    expect(config.serving).toMatchObject({ address: '0.0.0.0', port: 6443 });
    expect([config.authentication.clientCa, config.authentication.tokenFile, config.serving.publicAddress]).toEqual([
      undefined,
      undefined,
      '192.0.2.7',
    ]);
    const certificate = new X509Certificate(config.serving.tls.certificate.get());
    expect([certificate.subject, certificate.checkHost('api.example.com'), certificate.checkIP('192.0.2.7')]).toEqual([
      'CN=api.example.com',
      'api.example.com',
      '192.0.2.7',
    ]);
    expect(await readFile(path('certs/apiserver.crt'), 'utf8')).toBe(config.serving.tls.certificate.get());
    const again = await startedWith('--external-hostname=api.example.com', '--advertise-address=192.0.2.7');
    expect(again.config.serving.tls.certificate.get()).toBe(config.serving.tls.certificate.get());
    expect((await startedWith('--external-hostname=other.example.com')).config.serving.tls.certificate.get()).not.toBe(
      config.serving.tls.certificate.get(),
    );
  });

  test('orch apiserver hands on the contents of the files that flags name', async () => {
    const pki = createPki({ dnsNames: ['localhost'], ipAddresses: [] }, new Date());
    const contents = {
      'a.crt': pki.serving.certificate,
      'a.key': pki.serving.key,
      'ca.crt': pki.ca.certificate,
      'tokens.csv': 'secret,jane,1\n',
      'etcd.crt': pki.admin.certificate,
      'etcd.key': pki.admin.key,
    };
    await Promise.all(Object.entries(contents).map(([name, content]) => writeFile(path(name), content)));
    const { config } = await startedWith(
      ...[
        '--tls-cert-file',
        path('a.crt'),
        '--tls-private-key-file',
        path('a.key'),
        '--client-ca-file',
        path('ca.crt'),
        '--token-auth-file',
        path('tokens.csv'),
      ],
      ...[
        '--etcd-servers=https://etcd:2379',
        '--etcd-cafile',
        path('ca.crt'),
        '--etcd-certfile',
        path('etcd.crt'),
        '--etcd-keyfile',
        path('etcd.key'),
      ],
    );
    expect({ certificate: config.serving.tls.certificate.get(), key: config.serving.tls.key.get() }).toEqual(
      pki.serving,
    );
    expect([config.authentication.clientCa?.get(), config.authentication.tokenFile]).toEqual([
      pki.ca.certificate,
      'secret,jane,1\n',
    ]);
    expect(config.store).toEqual({
      kind: 'etcd',
      servers: ['https://etcd:2379'],
      overrides: [],
      tls: { caFile: path('ca.crt'), certFile: path('etcd.crt'), keyFile: path('etcd.key') },
    });
  });

  test('orch apiserver keeps its data in --data-dir without etcd', async () => {
    expect((await startedWith()).config.store).toEqual({ kind: 'embedded', directory: path('data/store') });
  });

  test('orch apiserver passes gates and APIs on, spelled out', async () => {
    const { config } = await startedWith(
      '--feature-gates=AllAlpha=true,UnknownVersionInteroperabilityProxy=false',
      '--runtime-config=apps/v1=false',
    );
    expect(config.featureGates['ImageVolume']).toBe(true);
    expect(config.groupVersions.map(({ apiVersion }) => apiVersion)).not.toContain('apps/v1');
  });

  test('orch apiserver logs as --logging-format and -v say, and tells warnings once', async () => {
    const { log } = await startedWith(
      '--logging-format=json',
      '--vmodule=a=1',
      '--vmodule=b=1',
      '--apiserver-count=3',
      '--feature-gates=ElasticIndexedJob=true',
    );
    const lines = log.trim().split('\n');
    expect(lines.slice(0, 3)).toEqual([
      'Warning: --vmodule has no meaning in this runtime and is ignored',
      'Warning: Flag --apiserver-count has been deprecated, it matters for ' +
        '--endpoint-reconciler-type=master-count only, and lease needs no number.',
      'Warning: Setting GA feature gate ElasticIndexedJob=true. It will be removed in a future release.',
    ]);
    expect(lines.slice(3).map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual(['serving', 'stopping']);
  });

  test('orch apiserver says when it cannot keep a certificate', async () => {
    await writeFile(path('file'), '');
    const command = runCommand(['apiserver', '--data-dir', path('data'), '--cert-dir', path('file')]);
    expect(await command.exited).toBe(1);
    expect(command.errors()).toBe(
      `Error: cannot write to ${path('file')}: a file is in the way; choose another directory with --cert-dir, ` +
        `or give --tls-cert-file and --tls-private-key-file\n`,
    );
  });
});
