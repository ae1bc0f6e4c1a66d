/**
 * The kubernetes service: at its cluster IP, the first of the range, members of the cluster find the API. It is created
 * once, changes of clients are kept, and it is created again when it was deleted. Its endpoints are the running
 * servers.
 */
import type { Service } from '../../api/gen/types/core-v1.ts';
import type { Logger } from '../../base/logger.ts';
import { createMap } from '../../machinery/value.ts';
import type { EndpointReconciler } from './endpoint-reconcilers.ts';
import type { LoopbackClient, ObjectName } from '../loopback/loopback-client.ts';
import { kubernetesName } from './published-endpoints.ts';

export interface KubernetesServiceOptions {
  readonly writer: LoopbackClient;
  readonly reconciler: EndpointReconciler;
  /** The first address of the primary range. */
  readonly clusterIp: string;
  /** The port this server listens on. */
  readonly port: number;
  /** 0: none. */
  readonly nodePort: number;
  readonly log: Logger;
}

/** How often the service and its endpoints are looked at. */
export const kubernetesServiceIntervalMs = 10_000;

const serviceName: ObjectName = { group: '', resource: 'services', ...kubernetesName };
const servicePort = 443;

export class KubernetesService {
  readonly #options: KubernetesServiceOptions;
  #stopped = false;
  #round: Promise<void> | undefined;

  constructor(options: KubernetesServiceOptions) {
    this.#options = options;
  }

  /** What a server with this address that did not end in order has left is withdrawn before this one is ready. */
  async withdrawStale(): Promise<void> {
    await this.#options.reconciler.withdraw(false);
  }

  /** One round. Both parts are tried whatever becomes of the other. */
  async sync(): Promise<void> {
    if (this.#stopped) return;
    await (this.#round = this.#sync().finally(() => (this.#round = undefined)));
  }

  async #sync(): Promise<void> {
    const results = await Promise.allSettled([this.#makeService(), this.#options.reconciler.reconcile()]);
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  }

  /** This server is no longer published, nor will it be. */
  async stop(): Promise<void> {
    const { reconciler, log } = this.#options;
    this.#stopped = true;
    // A round under way would publish it again; its caller gets its failure.
    await this.#round?.catch(() => undefined);
    try {
      await reconciler.withdraw(true);
    } catch (error) {
      log.warn({ err: error }, 'this server could not be taken out of the endpoints of the kubernetes service');
    }
  }

  /** When several servers start at once, all but one find its address taken before they find the service. */
  async #makeService(): Promise<void> {
    const { writer } = this.#options;
    if ((await writer.find(serviceName)) !== undefined) return;
    try {
      await writer.create(serviceName, this.#service());
    } catch (error) {
      if ((await writer.find(serviceName)) === undefined) throw error;
    }
  }

  #service(): Service {
    const { clusterIp, port, nodePort } = this.#options;
    const hasNodePort = nodePort > 0;
    return {
      metadata: { labels: Object.assign(createMap<string>(), { component: 'apiserver', provider: 'kubernetes' }) },
      spec: {
        clusterIP: clusterIp,
        ipFamilyPolicy: 'SingleStack',
        sessionAffinity: 'None',
        type: hasNodePort ? 'NodePort' : 'ClusterIP',
        ports: [
          { name: 'https', protocol: 'TCP', port: servicePort, targetPort: port, ...(hasNodePort ? { nodePort } : {}) },
        ],
      },
      status: { loadBalancer: {} },
    };
  }
}
