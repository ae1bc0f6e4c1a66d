/** The kubeconfig that an agent writes once it has a certificate: the cluster of the one that it began with. */
import path from 'node:path';
import { type Fields, text } from '../../../client/kubeconfig/fields.ts';
import { parseKubeconfig } from '../../../client/kubeconfig/merge.ts';
import { selectContext } from '../../../client/kubeconfig/select-context.ts';

const copied = ['tls-server-name', 'proxy-url', 'certificate-authority-data'];

/**
 * Certificate and key are named as files, so that a renewed pair counts without a change of this file.
 *
 * @param bootstrap the text of `--bootstrap-kubeconfig`
 * @param folder of that file
 * @param pairPath of the file with certificate and key
 * @returns YAML (JSON is a subset). Throws `KubeconfigError`.
 */
export function agentKubeconfig(bootstrap: string, folder: string, pairPath: string): string {
  const { cluster, context, url } = selectContext(parseKubeconfig(bootstrap, folder));
  const { fields } = cluster;
  const authority = text(fields, 'certificate-authority');
  const namespace = text(context.fields, 'namespace') || 'default';
  const server: Fields = {
    server: url,
    ...(authority === '' ? {} : { 'certificate-authority': path.resolve(folder, authority) }),
    ...(fields['insecure-skip-tls-verify'] === true ? { 'insecure-skip-tls-verify': true } : {}),
    ...Object.fromEntries(copied.map((name) => [name, text(fields, name)]).filter(([, value]) => value !== '')),
  };
  return `${JSON.stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'default-cluster', cluster: server }],
      contexts: [{ name: 'default-context', context: { cluster: 'default-cluster', namespace, user: 'default-auth' } }],
      'current-context': 'default-context',
      users: [{ name: 'default-auth', user: { 'client-certificate': pairPath, 'client-key': pairPath } }],
    },
    null,
    2,
  )}\n`;
}
