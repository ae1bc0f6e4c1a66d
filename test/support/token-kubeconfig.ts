import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ApiUsers } from './api-users.ts';
import { readFileSync } from 'node:fs';

/** A kubeconfig file of one of the users, with its token. */
export async function tokenKubeconfig(users: ApiUsers, user: string, name = user): Promise<string> {
  const file = path.join(users.directory, `${name}.kubeconfig`);
  await writeFile(file, tokenKubeconfigText(users, `token-${user}`));
  return file;
}

export function tokenKubeconfigText({ url, kubeconfigPath }: ApiUsers, token: string): string {
  const [, ca] = /certificate-authority-data: (\S+)/.exec(readFileSync(kubeconfigPath, 'utf8'))!;
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server: url, 'certificate-authority-data': ca } }],
    users: [{ name: 'u', user: { token } }],
  });
}
