import { KubeConfig } from '@kubernetes/client-node';
import { expect, test } from 'vitest';
import { formatKubeconfig } from './format-kubeconfig.ts';
import { createPki } from '../pki/pki.ts';

test('A client library finds server, authority and identity in the kubeconfig', () => {
  const pki = createPki({ dnsNames: ['localhost'], ipAddresses: [] }, new Date());
  const config = new KubeConfig();
  config.loadFromString(formatKubeconfig({ url: 'https://[::1]:6443', ca: pki.ca.certificate, client: pki.admin }));
  expect(config.getCurrentContext()).toBe('orch');
  expect(config.getCurrentCluster()).toMatchObject({ server: 'https://[::1]:6443', skipTLSVerify: false });
  const decode = (text: string | undefined) => Buffer.from(text!, 'base64').toString();
  expect(decode(config.getCurrentCluster()!.caData)).toBe(pki.ca.certificate);
  expect(decode(config.getCurrentUser()!.certData)).toBe(pki.admin.certificate);
  expect(decode(config.getCurrentUser()!.keyData)).toBe(pki.admin.key);
});
