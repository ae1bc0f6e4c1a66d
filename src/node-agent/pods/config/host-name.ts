/** The host name of a pod. */
import type { Pod } from '../../../api/gen/types/core-v1.ts';

const maxHostName = 63;
const maxFullName = 64;

export interface HostName {
  readonly hostname: string;
  /** `<subdomain>.<namespace>.svc.<cluster domain>`; empty without a subdomain. */
  readonly domain: string;
}

/** Throws for a full name that Linux does not take. */
export function hostNameOf({ metadata, spec }: Pick<Pod, 'metadata' | 'spec'>, clusterDomain: string): HostName {
  const { name = '', namespace = '' } = metadata;
  const hostname = spec.hostname || name.slice(0, maxHostName).replace(/[-.]+$/, '');
  const domain = spec.subdomain ? `${spec.subdomain}.${namespace}.svc.${clusterDomain}` : '';
  return { hostname, domain };
}

/** What the kernel is told. */
export function kernelHostName(pod: Pick<Pod, 'metadata' | 'spec'>, { hostname, domain }: HostName): string {
  if (pod.spec.setHostnameAsFQDN !== true || domain === '') return hostname;
  const full = `${hostname}.${domain}`;
  if (full.length > maxFullName)
    throw new Error(
      `failed to construct FQDN from pod hostname and cluster domain, FQDN ${full} is too long ` +
        `(${maxFullName} characters is the max, ${full.length} characters requested)`,
    );
  return full;
}
