/** As much of a server as services need, on any store: what two replicas share is the store alone. */
import { codecs } from '../../../../api/codecs.ts';
import type { Endpoints, Service, ServiceSpec } from '../../../../api/gen/types/core-v1.ts';
import { type Clock, systemClock } from '../../../../base/clock.ts';
import type { Logger } from '../../../../base/logger.ts';
import { notFound } from '../../../../machinery/status.ts';
import type { Store } from '../../../../storage/interface.ts';
import type { RegistryCatalog } from '../../../catalog.ts';
import { createDirectCatalog } from '../../../testing/direct-catalog.ts';
import { createObject } from '../../../generic/create.ts';
import { deleteObject } from '../../../generic/delete.ts';
import { internalRequest } from '../../../generic/internal-request.ts';
import type { ResourceStore } from '../../../generic/resource-store.ts';
import { updateObject } from '../../../generic/update-object.ts';
import { ResourceStores } from '../../../resource-stores.ts';
import { createServiceRanges, type ServiceRanges } from '../allocation/service-ranges.ts';
import { createServiceHooks } from '../hooks.ts';

export interface ServiceServerOptions {
  readonly store: Store;
  readonly clusterIpRanges?: readonly string[];
  readonly nodePortRange?: { readonly first: number; readonly last: number };
  readonly clock?: Clock;
  /** How long a value that no service holds is kept at least: nothing, unless given. */
  readonly leakAgeMs?: number;
  /** Which free value is given out. */
  readonly random?: () => number;
}

/** A service with one port, unless it says otherwise. */
export type ServiceInput = { readonly name: string } & Partial<ServiceSpec>;

const noAdmission = { admit: () => Promise.resolve(), validate: () => Promise.resolve() };

export class ServiceServer {
  readonly registry: RegistryCatalog;
  readonly ranges: ServiceRanges;
  /** What it warned about. */
  readonly warnings: string[] = [];

  constructor(options: ServiceServerOptions) {
    const { store, clusterIpRanges = ['10.0.0.0/24'], nodePortRange = { first: 30_000, last: 32_767 } } = options;
    const { clock = systemClock, leakAgeMs = 0, random = Math.random } = options;
    const nothing = (): void => undefined;
    const log: Logger = {
      debug: nothing,
      info: nothing,
      error: nothing,
      warn: (_details, message) => void this.warnings.push(message),
    };
    const stores = new ResourceStores();
    this.ranges = createServiceRanges({
      store,
      prefix: '/registry',
      mediaType: 'application/vnd.kubernetes.protobuf',
      codecs,
      clusterIpRanges,
      nodePortRange,
      stores,
      log,
      clock,
      leakAgeMs,
      random,
    });
    this.registry = createDirectCatalog(store, ['v1', 'discovery.k8s.io/v1'], {
      stores,
      hooks: new Map([['/services', createServiceHooks({ allocator: this.ranges.allocator, stores, log })]]),
    });
  }

  get services(): ResourceStore {
    return this.registry.storeOf('', 'services')!;
  }

  get endpoints(): ResourceStore {
    return this.registry.storeOf('', 'endpoints')!;
  }

  async create({ name, ...spec }: ServiceInput, options: { readonly dryRun?: boolean } = {}): Promise<Service> {
    const { services } = this;
    const service = this.#service(name, spec);
    const { stored } = await createObject(services, service, noAdmission, {
      ...this.#request(services, ''),
      dryRun: options.dryRun === true,
    });
    return services.decode(stored) as Service;
  }

  /** Replaces the service, or creates it. */
  async put({ name, ...spec }: ServiceInput): Promise<Service> {
    const { services } = this;
    const { stored } = await updateObject(
      services,
      {
        change: (current) => {
          const service = this.#service(name, structuredClone(spec));
          service.metadata.resourceVersion = current?.metadata?.resourceVersion ?? '';
          return service;
        },
        ...noAdmission,
      },
      { allowCreate: false },
      this.#request(services, name),
    );
    return services.decode(stored) as Service;
  }

  /** Throws 404. */
  async change(
    name: string,
    change: (service: Service) => void,
    options: { readonly dryRun?: boolean } = {},
  ): Promise<Service> {
    const { services } = this;
    const { stored } = await updateObject(
      services,
      {
        change: (current, copy) => {
          if (current === undefined) throw notFound(services.groupResource, name);
          const service = copy() as Service;
          change(service);
          services.definition.versions!['v1']!.defaults!(service);
          return service;
        },
        ...noAdmission,
      },
      { allowCreate: false },
      { ...this.#request(services, name), dryRun: options.dryRun === true },
    );
    return services.decode(stored) as Service;
  }

  async remove(name: string): Promise<void> {
    await deleteObject(this.services, {}, noAdmission.validate, this.#request(this.services, name));
  }

  async get(name: string): Promise<Service> {
    return this.services.decode(await this.services.get('default', name, { match: 'mostRecent' })) as Service;
  }

  async createEndpoints(name: string): Promise<void> {
    const endpoints: Endpoints = { metadata: { name, namespace: 'default' }, subsets: [] };
    await createObject(this.endpoints, endpoints, noAdmission, this.#request(this.endpoints, ''));
  }

  #service(name: string, spec: Partial<ServiceSpec>): Service {
    const metadata = { name, namespace: 'default' };
    const service: Service = { metadata, spec: { ports: [{ port: 80 }], ...spec }, status: { loadBalancer: {} } };
    this.services.definition.versions!['v1']!.defaults!(service);
    return service;
  }

  #request(store: ResourceStore, name: string): ReturnType<typeof internalRequest> {
    return internalRequest(store, { namespace: 'default', name, enabled: () => true });
  }
}
