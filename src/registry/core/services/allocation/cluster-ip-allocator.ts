/** Where the cluster IPs of one family come from: the bitmap of one range, or ServiceCIDR and IPAddress objects. */
import type { Service } from '../../../../api/gen/types/core-v1.ts';
import type { WriteGuard } from '../../../../storage/interface.ts';
import type { IpAllocator } from './ip-allocator.ts';
import type { Owned } from './value-allocator.ts';

/** Throws `AllocationError` for what cannot be had, and `StorageError`. */
export interface ClusterIpAllocator {
  /** An address that no service has. It stands for one that a dry run does not take. */
  readonly network: string;
  /** Takes this address for a service. */
  allocate(ip: string, service: Service): Promise<Owned<string>>;
  /** Takes any address. */
  allocateNext(service: Service): Promise<Owned<string>>;
  /** Throws when no range has the address, and takes nothing. */
  check(ip: string): Promise<void>;
  /** An address that another service has by now is left as it is. */
  release(ip: Owned<string>, service: Service): Promise<void>;
  /** What must hold when the service is written; undefined when a repair has released one of them. */
  guardsOf(ips: readonly Owned<string>[], again: boolean): Promise<readonly WriteGuard[] | undefined>;
}

export const bitmapAllocator = (bitmap: IpAllocator): ClusterIpAllocator => ({
  network: bitmap.range.network,
  allocate: (ip) => bitmap.allocate(ip),
  allocateNext: () => bitmap.allocateNext(),
  check(ip) {
    bitmap.numberOf(ip);
    return Promise.resolve();
  },
  release: (ip) => bitmap.release(ip),
  async guardsOf(ips, again) {
    const guard = await bitmap.guardOf(ips, again);
    return guard === undefined ? undefined : [guard];
  },
});
