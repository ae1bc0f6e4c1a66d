import { X509Certificate } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createFrontProxyClient } from '../../../src/pki/pki.ts';
import { apiService, apiServicesPath, ExtensionBackend, localService } from '../../support/extension-backend.ts';
import { joined } from '../../support/patterns.ts';
import { base, things, files, users, register, startBeforeTests } from '../../support/servers/aggregated-things.ts';

startBeforeTests();

describe('who answers', () => {
  test('The certificate must be for the service, from the caBundle, unless verification is skipped', async () => {
    await using backend = await ExtensionBackend.start({ files });
    await register(backend, { insecureSkipTLSVerify: true });
    expect((await users.call('alice', 'GET', things)).status).toBe(200);
    await register(backend, { caBundle: Buffer.from(files.frontProxyCa.certificate).toString('base64') });
    const other = await users.call('alice', 'GET', things);
    expect([other.status, other.body]).toEqual([
      503,
      'error trying to reach service: tls: failed to verify certificate: x509: certificate signed by ' +
        'unknown authority\n',
    ]);
    await users.create('/api/v1/namespaces/default/services', { ...localService, metadata: { name: 'other' } });
    await register(backend, {
      caBundle: files.caBundle,
      service: { name: 'other', namespace: 'default', port: backend.port },
    });
    const misnamed = await users.call('alice', 'GET', things);
    expect([misnamed.status, misnamed.body]).toEqual([
      503,
      'error trying to reach service: tls: failed to verify certificate: x509: certificate is valid for ' +
        'agg.default.svc, not other.default.svc\n',
    ]);
  });

  test('A client certificate that is replaced is shown from then on', async () => {
    await using backend = await ExtensionBackend.start({ files });
    await register(backend);
    await users.call('alice', 'GET', things);
    const before = backend.received[0]!.client;
    const next = createFrontProxyClient(files.frontProxyCa, new Date());
    await files.write('proxy.crt', next.certificate);
    await files.write('proxy.key', next.key);
    const wanted = new X509Certificate(next.certificate).fingerprint256;
    expect(before).not.toBe(wanted);
    await users.until('alice', 'GET', things, () => backend.received.at(-1)!.client === wanted);
  });
});

describe('a backend that is not there', () => {
  test('A backend that is not there gets no request while its APIService is unavailable', async () => {
    await using backend = await ExtensionBackend.start({ files });
    backend.own = { [base]: { status: 500, body: '' } };
    await users.call('admin', 'DELETE', `${apiServicesPath}/v1.agg.example.com`);
    await users.create(apiServicesPath, apiService({ port: backend.port, spec: { caBundle: files.caBundle } }));
    for (const path of [things, base, `${base}/`]) {
      const answer = await users.until('admin', 'GET', path, ({ status }) => status === 503);
      expect([
        answer.status,
        answer.body,
        answer.headers['content-type'],
        answer.headers['x-content-type-options'],
      ]).toEqual([503, 'service unavailable\n', 'text/plain; charset=utf-8', 'nosniff']);
    }
    expect(backend.received).toEqual([]);
    const metrics = String((await users.call('admin', 'GET', '/metrics')).body);
    expect(metrics).toMatch(
      joined(
        /apiserver_request_terminations_total\{verb="LIST",group="agg.example.com",version="v1",[^}]*scope="/,
        /namespace",component="aggregator",code="503"\} \d/,
      ),
    );
  });

  test('A backend that has just gone is told of', async () => {
    const backend = await ExtensionBackend.start({ files });
    await register(backend);
    await backend[Symbol.asyncDispose]();
    const answer = await users.call('alice', 'GET', things);
    expect([answer.status, answer.body]).toEqual([
      503,
      expect.stringMatching(
        /^error trying to reach service: dial tcp 127\.0\.0\.1:\d+: connect: connection refused\n$/,
      ),
    ]);
  });
});
