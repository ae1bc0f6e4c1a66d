/**
 * What a service holds beyond its own object: cluster IPs and node ports. It is taken before the service is written and
 * given back when that fails; the write itself is guarded against a repair that has released it in between. What is
 * lost (a server that ends at the wrong moment) is found by `repair.ts`.
 */
import { clusterIpsOf, familyOf, needsHealthCheck, nodePortsOf } from '../../../../api/core/services/fields.ts';
import type { Service } from '../../../../api/gen/types/core-v1.ts';
import type { Logger } from '../../../../base/logger.ts';
import type { WriteGuard } from '../../../../storage/interface.ts';
import type { BegunWrite, Finish } from '../../../generic/write.ts';
import {
  changeClusterIps,
  type ClusterIpChange,
  type IpAllocators,
  releaseClusterIps,
  takeClusterIps,
} from './cluster-ip-allocation.ts';
import { type ClusterFamilies, setIpFamilies } from './ip-families.ts';
import { keepAllocatedValues, linkChangedClusterIps, linkClusterIps } from './linked-fields.ts';
import { changeNodePorts, takeNodePorts } from './node-port-allocation.ts';
import { type PortOperation, startPortOperation } from './port-operation.ts';
import type { PortAllocator } from './port-allocator.ts';
import type { Owned } from './value-allocator.ts';

export interface ServiceAllocatorOptions {
  /** By family, the primary one first. */
  readonly ips: IpAllocators;
  readonly ports: PortAllocator;
  readonly log: Logger;
}

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
  async beginCreate(service: Service, dryRun: boolean): Promise<BegunWrite> {
    const submitted = structuredClone(service.spec);
    linkClusterIps(service);
    setIpFamilies(service, undefined, this.families);
    const ips = await takeClusterIps(service, this.#ips, dryRun);
    const begun = await this.#withPorts(service, ips, dryRun, (operation) => takeNodePorts(service, operation));
    return {
      ...begun,
      finish: async (outcome, revision) => {
        await begun.finish(outcome, revision);
        // Another attempt asks for what the client asked for, not for what this one was given.
        if (outcome === 'refused') service.spec = submitted;
      },
    };
  }

  async beginUpdate(service: Service, old: Service, dryRun: boolean): Promise<BegunWrite> {
    keepAllocatedValues(service, old);
    linkChangedClusterIps(service, old);
    setIpFamilies(service, old, this.families);
    const ips = await changeClusterIps(service, old, this.#ips, dryRun);
    return this.#withPorts(service, ips, dryRun, (operation) => changeNodePorts(service, old, operation));
  }

  /** After the service is gone, at that revision. */
  async release(service: Service, revision: number): Promise<void> {
    const ports = [
      ...nodePortsOf(service),
      ...(needsHealthCheck(service) ? [service.spec.healthCheckNodePort ?? 0] : []),
    ];
    await this.#quietly(async () => {
      const ips = service.spec.type === 'ExternalName' ? [] : clusterIpsOf(service);
      await releaseClusterIps(ownedAt(revision, ips), this.#ips, service);
      for (const port of ownedAt(revision, [...new Set(ports)])) await this.#ports.release(port);
    });
  }

  async #withPorts(
    service: Service,
    ips: ClusterIpChange,
    dryRun: boolean,
    change: (operation: PortOperation) => Promise<void>,
  ): Promise<BegunWrite> {
    const operation = startPortOperation(this.#ports, dryRun);
    let isFinished = false;
    const finish: Finish = (outcome, revision) =>
      this.#quietly(async () => {
        // What was given back can be another service's by now.
        if (isFinished) return;
        isFinished = true;
        // @NOTE differs from upstream: nothing that the service may hold after all is given to another.
        if (outcome === 'unknown') return;
        const isApplied = outcome === 'applied';
        const over = isApplied ? ownedAt(revision, ips.unused) : ips.taken;
        if (!dryRun) await releaseClusterIps(over, this.#ips, service);
        await (isApplied ? operation.commit(revision) : operation.revert());
      });
    try {
      await change(operation);
    } catch (error) {
      await finish('refused', 0);
      throw error;
    }
    const taken: Taken = { ips: ips.taken, ports: operation.taken };
    if (taken.ips.length + taken.ports.length === 0) return { finish };
    return { finish, guards: (again) => this.#guards(taken, again) };
  }

  /** Undefined when a repair has released something of it. */
  async #guards({ ips, ports }: Taken, again: boolean): Promise<WriteGuard[] | undefined> {
    const asked: Promise<readonly WriteGuard[] | undefined>[] = [];
    for (const [family, allocator] of this.#ips) {
      const ofFamily = ips.filter(({ value }) => familyOf(value) === family);
      if (ofFamily.length > 0) asked.push(allocator.guardsOf(ofFamily, again));
    }
    if (ports.length > 0) asked.push(this.#ports.guardOf(ports, again).then((guard) => guard && [guard]));
    const guards = await Promise.all(asked);
    return guards.every((each) => each !== undefined) ? guards.flat() : undefined;
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

interface Taken {
  readonly ips: readonly Owned<string>[];
  readonly ports: readonly Owned<number>[];
}

const ownedAt = <V>(since: number, values: readonly V[]): Owned<V>[] => values.map((value) => ({ value, since }));
