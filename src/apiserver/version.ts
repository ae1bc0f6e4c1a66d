/** The Kubernetes version whose behaviour this server has, as `/version` and clients know it. */
export const kubernetesVersion = '1.32.13';

const [major = '', minor = ''] = kubernetesVersion.split('.');

/** `GET /version`. Clients compare gitVersion with their own; the rest says what this server runs on. */
export const buildVersion: Readonly<Record<string, string>> = {
  major, minor,
  gitVersion: `v${kubernetesVersion}+orch`,
  gitCommit: '', gitTreeState: '', buildDate: '1970-01-01T00:00:00Z',
  goVersion: `node ${process.version}`,
  compiler: 'v8',
  platform: `${process.platform}/${process.arch === 'x64' ? 'amd64' : process.arch}`,
};
