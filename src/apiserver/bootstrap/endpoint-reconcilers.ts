/**
 * How the servers agree on the endpoints of the kubernetes service (`--endpoint-reconciler-type`).
 * @see {@link https://kubernetes.io/docs/reference/command-line-tools-reference/kube-apiserver/ | kube-apiserver}
 */
import { isEqual } from '../../machinery/equal.ts';
import type { EndpointAddress, EndpointPort, EndpointSubset } from '../../api/gen/types/core-v1.ts';
import type { MasterLeases } from './master-leases.ts';
import type { PublishedEndpoints } from './published-endpoints.ts';

export interface EndpointReconciler {
  /** This server is there. */
  reconcile(): Promise<void>;
  /** This server is not there. With `last`, and when no other is, the endpoints are left empty. */
  withdraw(last: boolean): Promise<void>;
}

export interface ReconcilerOptions {
  readonly endpoints: Pick<PublishedEndpoints, 'exist' | 'publish'>;
  /** Of this server. */
  readonly ip: string;
  readonly ports: readonly EndpointPort[];
}

/** This server publishes nothing: the operator does. */
export const noReconciler: EndpointReconciler = {
  reconcile: () => Promise.resolve(),
  withdraw: () => Promise.resolve(),
};

export interface LeaseReconcilerOptions extends ReconcilerOptions {
  readonly leases: Pick<MasterLeases, 'list' | 'renew' | 'remove'>;
}

/** How often a server publishes again because others came or went meanwhile. The next round will do then. */
const maxPublications = 5;

/**
 * Each server renews its lease, and publishes all that have one. A server that comes or goes between the look at the
 * leases and the write would be published wrongly until the next round: so each looks again behind its write. The
 * last one to write sees the leases that count.
 */
export function createLeaseReconciler({ endpoints, ip, ports, leases }: LeaseReconcilerOptions): EndpointReconciler {
  const publishAll = async (publish: (ips: readonly string[]) => Promise<void>): Promise<void> => {
    let ips = await leases.list();
    for (let publications = 0; publications < maxPublications; publications++) {
      await publish(ips);
      const now = await leases.list();
      if (isEqual(now, ips)) return;
      ips = now;
    }
  };
  return {
    async reconcile() {
      // First of all: the other servers publish this one even if a later step fails.
      await leases.renew(ip);
      await publishAll(async (ips) => {
        if (ips.length === 0)
          throw new Error(
            'no API server IP addresses were listed in storage, refusing to erase all endpoints for the ' +
              'kubernetes Service',
          );
        await endpoints.publish((current) => withAddresses(current, ips, ports, false));
      });
    },
    async withdraw(last) {
      await leases.remove(ip);
      await publishAll(async (ips) => {
        const isWanted = (ips.length > 0 || last) && (await endpoints.exist());
        if (isWanted) await endpoints.publish((current) => withAddresses(current, ips, ports, true));
      });
    },
  };
}

/** One subset with exactly these addresses. Ports that are there stay, unless `fixPorts`. */
export function withAddresses(
  current: readonly EndpointSubset[] = [],
  ips: readonly string[],
  ports: readonly EndpointPort[],
  fixPorts: boolean,
): EndpointSubset[] {
  if (ips.length === 0) return [];
  const [subset] = current.length === 1 ? current : [];
  const published = (subset?.addresses ?? []).map(({ ip }) => ip ?? '');
  const isSame = published.length === ips.length && new Set([...published, ...ips]).size === ips.length;
  return [
    {
      ...subset,
      addresses: isSame ? subset!.addresses! : sorted(ips.map((ip) => ({ ip }))),
      ports: subset?.ports === undefined || fixPorts ? [...ports] : subset.ports,
    },
  ];
}

/**
 * The number of servers is configured, and none knows which of the others run: each adds itself and, when there are too
 * many, removes the one after it. A server that has gone stays until another one needs its place.
 */
export function createMasterCountReconciler({
  endpoints,
  ip,
  ports,
  count,
}: ReconcilerOptions & { readonly count: number }): EndpointReconciler {
  return {
    reconcile: () => endpoints.publish((current) => withOwnAddress(current, ip, ports, count)),
    async withdraw() {
      if (!(await endpoints.exist())) return;
      await endpoints.publish((current = []) =>
        current
          .map((subset) => ({ ...subset, addresses: (subset.addresses ?? []).filter((address) => address.ip !== ip) }))
          .filter(({ addresses, notReadyAddresses = [] }) => addresses.length + notReadyAddresses.length > 0),
      );
    },
  };
}

export function withOwnAddress(
  current: readonly EndpointSubset[] = [],
  ip: string,
  ports: readonly EndpointPort[],
  count: number,
): EndpointSubset[] {
  const [subset] = current.length === 1 ? current : [];
  if (subset === undefined) return [{ addresses: [{ ip }], ports: [...ports] }];
  const published = subset.addresses ?? [];
  const isThere = published.some((address) => address.ip === ip);
  if (isThere && published.length <= count) return [subset];
  const addresses = sorted(isThere ? published : [...published, { ip }]);
  while (addresses.length > count) {
    const own = addresses.findIndex((address) => address.ip === ip);
    addresses.splice((own + 1) % addresses.length, 1);
  }
  return [{ ...subset, addresses }];
}

const sorted = (addresses: readonly EndpointAddress[]): EndpointAddress[] =>
  [...addresses].sort((a, b) => ((a.ip ?? '') < (b.ip ?? '') ? -1 : 1));
