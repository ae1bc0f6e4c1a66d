/**
 * The file with the address of the server and the credentials, for kubectl and other clients.
 *
 * @see {@link https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/ | kubeconfig (v1)}
 */
import type { KeyPair, Pki } from '../pki/pki.ts';

export interface KubeconfigInput {
  readonly url: string;
  /** PEM. */
  readonly ca: string;
  readonly client: KeyPair;
}

/** Certificates and key are embedded, so the file works from anywhere. Base64 and URLs need no quotes in YAML. */
export const formatKubeconfig = ({ url, ca, client }: KubeconfigInput): string => `apiVersion: v1
kind: Config
clusters:
- name: orch
  cluster:
    server: ${url}
    certificate-authority-data: ${base64(ca)}
users:
- name: orch-admin
  user:
    client-certificate-data: ${base64(client.certificate)}
    client-key-data: ${base64(client.key)}
contexts:
- name: orch
  context:
    cluster: orch
    user: orch-admin
current-context: orch
`;

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/**
 * @param shownByServer PEM. A certificate from `--tls-cert-file` must vouch for itself: its issuer may be unknown here.
 */
export const adminKubeconfig = (url: string, shownByServer: string, { serving, ca, admin }: Pki): string =>
  formatKubeconfig({ url, ca: shownByServer === serving.certificate ? ca.certificate : shownByServer, client: admin });
