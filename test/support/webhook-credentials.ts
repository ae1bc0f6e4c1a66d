/** An admission configuration whose webhook plugins have kubeconfigs. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { caSubject, createAuthority, createClientPair } from '../../src/pki/pki.ts';

/**
 * Webhooks that change objects are shown users by their server: a port of 127.0.0.1, with a certificate too, or a
 * service at that port. All that validate are shown the same one. Resolves with the path of the configuration.
 */
export async function writeWebhookCredentials(folder: string, port: number): Promise<string> {
  const now = new Date();
  const { certificate, key } = createClientPair(createAuthority(caSubject, now), { commonName: 'the-server' }, now);
  const write = async (name: string, content: object | string): Promise<string> => {
    const file = path.join(folder, name);
    await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
    return file;
  };
  await write('client.crt', certificate);
  await write('token', 'for-services');
  const pair = { 'client-certificate': 'client.crt', 'client-key-data': Buffer.from(key).toString('base64') };
  const users = [
    { name: `127.0.0.1:${port}`, user: { ...pair, token: 'for-the-address' } },
    { name: `*.default.svc:${port}`, user: { tokenFile: 'token' } },
    { name: `*.team.svc:${port}`, user: { tokenFile: 'missing' } },
  ];
  const version = { apiVersion: 'apiserver.config.k8s.io/v1' };
  const plugin = (name: string, kubeConfigFile: string): object => ({
    name,
    configuration: { ...version, kind: 'WebhookAdmissionConfiguration', kubeConfigFile },
  });
  const all = [{ name: '*', user: { username: 'any', password: 'server' } }];
  const plugins = [
    plugin('MutatingAdmissionWebhook', await write('mutating.kubeconfig', { users })),
    plugin('ValidatingAdmissionWebhook', await write('validating.kubeconfig', { users: all })),
  ];
  return write('admission.yaml', { ...version, kind: 'AdmissionConfiguration', plugins });
}
