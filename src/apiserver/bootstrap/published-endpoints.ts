/** The endpoints of the kubernetes service, and their slice. No controller makes them: the servers do. */
import type { EndpointPort, Endpoints, EndpointSubset } from '../../api/gen/types/core-v1.ts';
import type { Endpoint, EndpointSlice } from '../../api/gen/types/discovery-v1.ts';
import { isEqual } from '../../machinery/equal.ts';
import { createMap } from '../../machinery/value.ts';
import type { LoopbackClient, ObjectName } from '../loopback/loopback-client.ts';

export const kubernetesName = { namespace: 'default', name: 'kubernetes' };

const endpointsName: ObjectName = { group: '', resource: 'endpoints', ...kubernetesName };
const sliceName: ObjectName = { group: 'discovery.k8s.io', resource: 'endpointslices', ...kubernetesName };

/** The controller that copies hand-made endpoints into slices leaves these alone. */
const skipMirrorLabel = 'endpointslice.kubernetes.io/skip-mirror';
const serviceNameLabel = 'kubernetes.io/service-name';

const maxSliceAttempts = 5;

/** New subsets for those that are there; undefined where there are no endpoints yet. */
export type ChangeSubsets = (current: readonly EndpointSubset[] | undefined) => EndpointSubset[];

export class PublishedEndpoints {
  readonly #writer: LoopbackClient;

  constructor(writer: LoopbackClient) {
    this.#writer = writer;
  }

  async exist(): Promise<boolean> {
    return (await this.#writer.find(endpointsName)) !== undefined;
  }

  async publish(change: ChangeSubsets): Promise<void> {
    if (await this.exist()) {
      await this.#writer.change<Endpoints>(endpointsName, (endpoints) => {
        endpoints.subsets = change(endpoints.subsets ?? []);
        endpoints.metadata.labels ??= createMap();
        endpoints.metadata.labels[skipMirrorLabel] = 'true';
      });
    } else
      await this.#writer.create(endpointsName, {
        metadata: { labels: labels(skipMirrorLabel, 'true') },
        subsets: change(undefined),
      } as Endpoints);
    await this.#publishSlice();
  }

  /** Other servers publish too: a slice of endpoints that have changed meanwhile is made again. */
  async #publishSlice(): Promise<void> {
    if (!this.#writer.isServed(sliceName)) return;
    let endpoints = await this.#writer.find<Endpoints>(endpointsName);
    for (let attempt = 0; attempt < maxSliceAttempts && endpoints !== undefined; attempt++) {
      await this.#writeSlice(endpoints);
      const now = await this.#writer.find<Endpoints>(endpointsName);
      if (now?.metadata.resourceVersion === endpoints.metadata.resourceVersion) return;
      endpoints = now;
    }
  }

  async #writeSlice(endpoints: Endpoints): Promise<void> {
    const wanted = sliceOf(endpoints.subsets?.[0] ?? {});
    const current = await this.#writer.find<EndpointSlice>(sliceName);
    if (current !== undefined && current.addressType !== wanted.addressType) await this.#writer.remove(sliceName);
    if (current?.addressType !== wanted.addressType) return this.#writer.create(sliceName, wanted);
    await this.#writer.change<EndpointSlice>(sliceName, (slice) => {
      if (!isEqual(slice.endpoints, wanted.endpoints)) slice.endpoints = wanted.endpoints;
      if (!isEqual(slice.ports, wanted.ports)) slice.ports = wanted.ports;
      if (!isEqual(slice.metadata.labels, wanted.metadata.labels)) slice.metadata.labels = wanted.metadata.labels;
    });
  }
}

/** A slice has addresses of one family: IPv6 if all are. */
function sliceOf({ addresses = [], notReadyAddresses = [], ports = [] }: EndpointSubset): EndpointSlice {
  const isIpv6 = (ip: string | undefined): boolean => ip?.includes(':') === true;
  const all = [
    ...addresses.map(({ ip }) => ({ ip, ready: true })),
    ...notReadyAddresses.map(({ ip }) => ({ ip, ready: false })),
  ];
  const allIpv6 = all.length > 0 && all.every(({ ip }) => isIpv6(ip));
  const endpoints = all
    .filter(({ ip }) => isIpv6(ip) === allIpv6)
    .map(({ ip, ready }): Endpoint => ({ addresses: [ip ?? ''], conditions: { ready } }));
  return {
    metadata: { labels: labels(serviceNameLabel, kubernetesName.name) },
    addressType: allIpv6 ? 'IPv6' : 'IPv4',
    endpoints,
    ports: ports.map(({ name = '', port, protocol }: EndpointPort) => ({
      name,
      ...(port === undefined ? {} : { port }),
      ...(protocol === undefined ? {} : { protocol }),
    })),
  };
}

const labels = (key: string, value: string): Record<string, string> =>
  Object.assign(createMap<string>(), { [key]: value });
