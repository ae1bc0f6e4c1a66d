/** `/etc/hosts` of a pod. */
import type { HostAlias } from '../../../api/gen/types/core-v1.ts';

export interface HostsFileInput {
  readonly podIPs: readonly string[];
  readonly hostname: string;
  /** `<subdomain>.<namespace>.svc.<cluster domain>`; empty without a subdomain. */
  readonly domain: string;
  readonly aliases: readonly HostAlias[];
  /** The file of the node, for a pod in its network. */
  readonly ofNode?: string | undefined;
}

export function hostsFile({ podIPs, hostname, domain, aliases, ofNode }: HostsFileInput): string {
  const own =
    ofNode === undefined
      ? `# Kubernetes-managed hosts file.\n${localNames}${podIPs.map((ip) => line(ip, hostname, domain)).join('')}`
      : `# Kubernetes-managed hosts file (host network).\n${ofNode}`;
  if (aliases.length === 0) return own;
  const lines = aliases.map(({ ip = '', hostnames = [] }) => `${[ip, ...hostnames].join('\t')}\n`);
  return `${own}\n# Entries added by HostAliases.\n${lines.join('')}`;
}

const localNames = [
  '127.0.0.1\tlocalhost',
  '::1\tlocalhost ip6-localhost ip6-loopback',
  'fe00::0\tip6-localnet',
  'fe00::0\tip6-mcastprefix',
  'fe00::1\tip6-allnodes',
  'fe00::2\tip6-allrouters',
  '',
].join('\n');

const line = (ip: string, hostname: string, domain: string): string =>
  domain === '' ? `${ip}\t${hostname}\n` : `${ip}\t${hostname}.${domain}\t${hostname}\n`;
