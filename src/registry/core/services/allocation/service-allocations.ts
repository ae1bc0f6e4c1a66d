/**
 * What a service holds beyond its own object: cluster IPs and node ports. Stores have no transactions over several
 * keys, so it is taken before the service is written and given back when that fails. What is lost in between (a server
 * that ends at the wrong moment) is found by `repair.ts`.
 */
import { clusterIpsOf, needsHealthCheck, nodePortsOf } from '../../../../api/core/service/fields.ts';
import type { Service } from '../../../../api/gen/types/core-v1.ts';
import type { Logger } from '../../../../base/logger.ts';
import type { WriteOutcome } from '../../../generic/write.ts';
import { changeClusterIps, type ClusterIpChange, type IpAllocators, releaseClusterIps, takeClusterIps } from './cluster-ips.ts';
import { type ClusterFamilies, setIpFamilies } from './ip-families.ts';
import { keepAllocatedValues, linkChangedClusterIps, linkClusterIps } from './linked-fields.ts';
import { changeNodePorts, takeNodePorts } from './node-ports.ts';
import { type PortOperation, startPortOperation } from './port-operation.ts';
import type { PortAllocator } from './value-allocator.ts';

export interface ServiceAllocatorOptions {
  /** By family, the primary one first. */
  readonly ips: IpAllocators;
  readonly ports: PortAllocator;
  readonly log: Logger;
}

/** Ends what was begun, according to how the write ended. Never throws. */
export type Settle = (outcome: WriteOutcome) => Promise<void>;

export class ServiceAllocator {
  readonly families: ClusterFamilies;
  readonly #ips: IpAllocators;
  readonly #ports: PortAllocator;
  readonly #log: Logger;

  constructor({ ips, ports, log }: ServiceAllocatorOptions) {
    this.families = [...ips.keys()];
    this.#ips = ips;
    this.#ports = ports;
    this.#log = log;
  }

  /** Throws 422 with what the service cannot have, or 500 when a range is full. Nothing is held then. */
  async beginCreate(service: Service, dryRun: boolean): Promise<Settle> {
    linkClusterIps(service);
    setIpFamilies(service, undefined, this.families);
    const ips = await takeClusterIps(service, this.#ips, dryRun);
    return this.#withPorts(ips, dryRun, (operation) => takeNodePorts(service, operation));
  }

  async beginUpdate(service: Service, old: Service, dryRun: boolean): Promise<Settle> {
    keepAllocatedValues(service, old);
    linkChangedClusterIps(service, old);
    setIpFamilies(service, old, this.families);
    const ips = await changeClusterIps(service, old, this.#ips, dryRun);
    return this.#withPorts(ips, dryRun, (operation) => changeNodePorts(service, old, operation));
  }

  /** After the service is gone. */
  async release(service: Service): Promise<void> {
    const ports = [...nodePortsOf(service), ...(needsHealthCheck(service) ? [service.spec.healthCheckNodePort ?? 0] : [])];
    await this.#quietly(async () => {
      if (service.spec.type !== 'ExternalName') await releaseClusterIps(clusterIpsOf(service), this.#ips);
      for (const port of new Set(ports)) await this.#ports.release(port);
    });
  }

  async #withPorts(ips: ClusterIpChange, dryRun: boolean, change: (operation: PortOperation) => Promise<void>): Promise<Settle> {
    const operation = startPortOperation(this.#ports, dryRun);
    const settle: Settle = (outcome) => this.#quietly(async () => {
      // @NOTE differs from upstream: nothing that the service may hold after all is given to another.
      if (outcome === 'unknown') return;
      if (!dryRun) await releaseClusterIps(outcome === 'applied' ? ips.unused : ips.taken, this.#ips);
      await (outcome === 'applied' ? operation.commit() : operation.revert());
    });
    try {
      await change(operation);
    } catch (error) {
      await settle('refused');
      throw error;
    }
    return settle;
  }

  /** What could not be released is no reason to fail what has been done: the repair finds it. */
  async #quietly(release: () => Promise<void>): Promise<void> {
    try {
      await release();
    } catch (error) {
      this.#log.warn({ err: error }, 'what a service held could not be released; the next repair will');
    }
  }
}
