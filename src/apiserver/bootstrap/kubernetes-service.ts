/**
 * The kubernetes service: under its first cluster IP, members of the cluster find the API. Made once and then left to
 * whoever changes it; made again when it was deleted. Its endpoints follow the servers.
 */
import type { EndpointPort, Service } from '../../api/gen/types/core-v1.ts';
import type { Logger } from '../../base/logger.ts';
import { parseIp } from '../../machinery/formats/addresses.ts';
import { createMap } from '../../machinery/value.ts';
import type { Codecs } from '../../machinery/codec/index.ts';
import { createInternalDoor } from '../../registry/generic/internal-door.ts';
import type { ApiServerConfig } from '../api-server.ts';
import { createLeaseReconciler, createMasterCountReconciler, type EndpointReconciler, noReconciler } from './endpoint-reconcilers.ts';
import type { InternalWriter, ObjectName } from './internal-writer.ts';
import { MasterLeases } from './master-leases.ts';
import { kubernetesName, PublishedEndpoints } from './published-endpoints.ts';

export interface KubernetesServiceOptions {
  readonly config: ApiServerConfig;
  readonly writer: InternalWriter;
  readonly codecs: Codecs;
  /** The first address of the primary range. */
  readonly clusterIp: string;
  /** The port this server listens on. */
  readonly port: number;
}

/** How often the service and its endpoints are looked at. */
export const kubernetesServiceIntervalMs = 10_000;
/** How long a server that does not renew its lease is still published. */
const leaseTtlSeconds = 15;

const serviceName: ObjectName = { group: '', resource: 'services', ...kubernetesName };
const servicePort = 443;

export class KubernetesService {
  readonly #options: KubernetesServiceOptions;
  readonly #reconciler: EndpointReconciler;
  readonly #log: Logger;
  #stopped = false;

  constructor(options: KubernetesServiceOptions) {
    this.#options = options;
    this.#log = options.config.log;
    this.#reconciler = createReconciler(options);
  }

  /** What a server with this address that did not end in order has left is withdrawn before this one is ready. */
  async withdrawStale(): Promise<void> {
    await this.#reconciler.withdraw(false);
  }

  /** One round. */
  async sync(): Promise<void> {
    const { writer } = this.#options;
    if (this.#stopped) return;
    if ((await writer.find(serviceName)) === undefined) await writer.create(serviceName, this.#service());
    await this.#reconciler.reconcile();
  }

  /** This server is no longer published. No round may be under way. */
  async stop(): Promise<void> {
    this.#stopped = true;
    try {
      await this.#reconciler.withdraw(true);
    } catch (error) {
      this.#log.warn({ err: error }, 'this server could not be taken out of the endpoints of the kubernetes service');
    }
  }

  #service(): Service {
    const { clusterIp, config, port } = this.#options;
    const { kubernetesNodePort: nodePort } = config.services;
    const hasNodePort = nodePort > 0;
    return {
      metadata: { labels: Object.assign(createMap<string>(), { component: 'apiserver', provider: 'kubernetes' }) },
      spec: {
        clusterIP: clusterIp, ipFamilyPolicy: 'SingleStack', sessionAffinity: 'None', type: hasNodePort ? 'NodePort' : 'ClusterIP',
        ports: [{ name: 'https', protocol: 'TCP', port: servicePort, targetPort: port, ...(hasNodePort ? { nodePort } : {}) }],
      },
      status: { loadBalancer: {} },
    };
  }
}

function createReconciler({ config, writer, codecs, port }: KubernetesServiceOptions): EndpointReconciler {
  const { serving, services, storage, log } = config;
  const ip = serving.publicAddress;
  if (services.endpointReconciler === 'none') return noReconciler;
  if (isLoopback(ip)) {
    log.info({ address: ip }, 'this machine has a loopback address only: the kubernetes service gets no endpoint');
    return noReconciler;
  }
  const ports: EndpointPort[] = [{ name: 'https', port, protocol: 'TCP' }];
  const options = { endpoints: new PublishedEndpoints(writer), ip, ports };
  if (services.endpointReconciler === 'master-count') return createMasterCountReconciler({ ...options, count: services.apiServerCount });
  const door = createInternalDoor({ apiVersion: 'v1', kind: 'Endpoints', typeId: 'core/v1.Endpoints', codecs, mediaType: storage.mediaType });
  return createLeaseReconciler({ ...options, leases: new MasterLeases({ store: storage.store, prefix: storage.prefix, door, ttlSeconds: leaseTtlSeconds }) });
}

/** Endpoints may not be on loopback: to everybody else it is another machine. */
function isLoopback(text: string): boolean {
  const ip = parseIp(text);
  return ip !== undefined && (ip.family === 4 ? ip.value >> 24n === 127n : ip.value === 1n);
}
