/**
 * How a pod finds names: what its `/etc/resolv.conf` says.
 * @see {@link https://kubernetes.io/docs/concepts/services-networking/dns-pod-service/#pod-s-dns-policy | Pod's DNS
 *   policy}
 */
import type { Pod } from '../../../api/gen/types/core-v1.ts';

/** Lists of a `resolv.conf`. */
export interface ResolvConf {
  readonly servers: readonly string[];
  readonly searches: readonly string[];
  readonly options: readonly string[];
}

export interface DnsSettings {
  readonly clusterDns: readonly string[];
  readonly clusterDomain: string;
  /** Of the node; undefined when the configuration names no file. */
  readonly resolvConf: ResolvConf | undefined;
}

export interface DnsResult extends ResolvConf {
  /** Messages of events: what had to be left out. */
  readonly problems: readonly string[];
  /** The pod wants the DNS of the cluster, and the node knows none. */
  readonly lacksClusterDns: boolean;
}

const maxServers = 3;
const maxSearches = 32;
const maxSearchCharacters = 2048;

export function parseResolvConf(text: string): ResolvConf {
  const servers: string[] = [];
  let searches: string[] = [];
  let options: string[] = [];
  for (const line of text.split('\n')) {
    const [word, ...values] = line.trim().split(/\s+/);
    if (word === 'nameserver' && values[0] !== undefined) servers.push(values[0]);
    else if (word === 'search') searches = values.map((name) => (name === '.' ? name : name.replace(/\.$/, '')));
    else if (word === 'options') options = [...options, ...values];
  }
  return { servers, searches, options };
}

/** `nameserver 127.0.0.1` and `search .`: nothing is asked of the node's servers. */
const noLookups: ResolvConf = { servers: ['127.0.0.1'], searches: ['.'], options: [] };

export function podDns({ metadata, spec }: Pick<Pod, 'metadata' | 'spec'>, settings: DnsSettings): DnsResult {
  const ofNode = settings.resolvConf ?? noLookups;
  const policy = spec.dnsPolicy ?? 'ClusterFirst';
  const isClusterFirst =
    policy === 'ClusterFirstWithHostNet' || (policy === 'ClusterFirst' && spec.hostNetwork !== true);
  const lacksClusterDns = isClusterFirst && settings.clusterDns.length === 0;
  let base: ResolvConf = ofNode;
  if (policy === 'None') base = { servers: [], searches: [], options: [] };
  else if (isClusterFirst && !lacksClusterDns) base = ofCluster(metadata.namespace ?? '', settings);
  const { nameservers = [], searches = [], options = [] } = spec.dnsConfig ?? {};
  return {
    ...limited({
      servers: unique([...base.servers, ...nameservers]),
      searches: unique([...base.searches, ...searches]),
      options: mergedOptions(base.options, options),
    }),
    lacksClusterDns,
  };
}

function ofCluster(namespace: string, { clusterDns, clusterDomain, resolvConf }: DnsSettings): ResolvConf {
  const domain =
    clusterDomain === '' ? [] : [`${namespace}.svc.${clusterDomain}`, `svc.${clusterDomain}`, clusterDomain];
  return {
    servers: clusterDns,
    searches: unique([...domain, ...(resolvConf?.searches ?? [])]),
    options: ['ndots:5'],
  };
}

function mergedOptions(
  base: readonly string[],
  more: readonly { readonly name?: string; readonly value?: string }[],
): string[] {
  const merged = new Map<string, string>();
  for (const option of base) merged.set(option.split(':')[0]!, option);
  for (const { name = '', value } of more) merged.set(name, value === undefined ? name : `${name}:${value}`);
  return [...merged.values()];
}

const unique = (values: readonly string[]): string[] => [...new Set(values)];

function limited(conf: ResolvConf): ResolvConf & { readonly problems: readonly string[] } {
  const problems: string[] = [];
  const servers = conf.servers.slice(0, maxServers);
  if (servers.length < conf.servers.length)
    problems.push(
      'Nameserver limits were exceeded, some nameservers have been omitted, ' +
        `the applied nameserver line is: ${servers.join(' ')}`,
    );
  const searches = conf.searches.slice(0, maxSearches);
  while (searches.join(' ').length > maxSearchCharacters) searches.pop();
  if (searches.length < conf.searches.length)
    problems.push(
      'Search Line limits were exceeded, some search paths have been omitted, ' +
        `the applied search line is: ${searches.join(' ')}`,
    );
  return { servers, searches, options: conf.options, problems };
}
