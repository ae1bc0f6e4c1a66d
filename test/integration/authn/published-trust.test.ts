import { writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { startTestServer } from '../../support/caller.ts';
import { Openssl } from '../../support/openssl.ts';

const path = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';

test('Servers behind this one find in kube-system how it knows its callers', async () => {
  await using openssl = await Openssl.open();
  const [ca, proxyCa] = [await openssl.authority('clients'), await openssl.authority('proxies')];
  const ended = await openssl.issue({ subject: '/CN=ended', issuer: ca, days: -1 });
  await using server = await startTestServer({
    flags: [
      '--client-ca-file',
      await openssl.file('ca.crt', ca.certificate + ended.certificate),
      '--requestheader-client-ca-file',
      await openssl.file('proxy.crt', proxyCa.certificate),
      '--requestheader-allowed-names=proxy',
      '--requestheader-username-headers=X-Remote-User',
      '--requestheader-group-headers=X-Remote-Group',
      '--requestheader-extra-headers-prefix=X-Remote-Extra-',
      '--token-auth-file',
      await openssl.file('tokens.csv', 'admin-token,admin,1,"system:masters"\n'),
    ],
  });
  const { body } = await server.call({ path, headers: ['authorization', 'Bearer admin-token'] });
  const data = body['data'] as Record<string, string>;
  expect(data).toEqual({
    'client-ca-file': expect.stringContaining(ca.certificate.trim()),
    'requestheader-client-ca-file': proxyCa.certificate,
    'requestheader-allowed-names': '["proxy"]',
    'requestheader-username-headers': '["X-Remote-User"]',
    'requestheader-group-headers': '["X-Remote-Group"]',
    'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
  });
  // Besides it stands the control plane's own authority; what has ended does not.
  expect(data['client-ca-file']!.match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
});

test('A server that starts beside another adds what it has', async () => {
  await using openssl = await Openssl.open();
  const dataDir = await openssl.file('data', '').then(async (file) => `${file}-dir`);
  const tokens = await openssl.file('tokens.csv', 'admin-token,admin,1,"system:masters"\n');
  const [first, second] = [await openssl.authority('first'), await openssl.authority('second')];
  const file = await openssl.file('ca.crt', first.certificate);
  const flags = ['--token-auth-file', tokens, '--client-ca-file', file];
  await (await startTestServer({ dataDir, flags })).close();
  await writeFile(file, second.certificate);
  await using server = await startTestServer({ dataDir, flags });
  const { body } = await server.call({ path, headers: ['authorization', 'Bearer admin-token'] });
  const bundle = (body['data'] as Record<string, string>)['client-ca-file'];
  expect(bundle).toContain(first.certificate.trim());
  expect(bundle).toContain(second.certificate.trim());
});
