/** What a platform does for a cluster: load balancers and routes, by a provider that the test implements. */
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { LoadBalancerStatus, Node, Service } from '../../../src/api/gen/types/core-v1.ts';
import { isNotFound } from '../../../src/client/api-error.ts';
import { type Client, createClient } from '../../../src/client/client.ts';
import { parseClientConfig } from '../../../src/client/index.ts';
import {
  type CloudRoute,
  type ControlPlane,
  createControlPlane,
  ImplementedElsewhereError,
  type LoadBalancers,
  RetryLaterError,
  type Routes,
} from '../../../src/index.ts';

const finalizer = 'service.kubernetes.io/load-balancer-cleanup';

/** Load balancers in memory. */
class TestBalancers implements LoadBalancers {
  readonly concurrency = 4;
  readonly made = new Map<string, { readonly hosts: readonly string[]; readonly finalizers: readonly string[] }>();
  /** Thrown once, by the name of the service. */
  readonly failures = new Map<string, Error>();

  getLoadBalancer({ metadata }: Service): Promise<LoadBalancerStatus | undefined> {
    return Promise.resolve(this.made.has(metadata.name!) ? {} : undefined);
  }

  async ensureLoadBalancer(service: Service, nodes: readonly Node[]): Promise<LoadBalancerStatus> {
    this.#fail(service);
    // What the API server has by now.
    const { metadata } = await client.core.v1.services.namespace('default').get(service.metadata.name!);
    this.made.set(service.metadata.name!, { hosts: namesOf(nodes), finalizers: metadata.finalizers ?? [] });
    return { ingress: [{ ip: '192.0.2.1' }] };
  }

  updateLoadBalancer(service: Service, nodes: readonly Node[]): Promise<void> {
    this.#fail(service);
    this.made.set(service.metadata.name!, { ...this.made.get(service.metadata.name!)!, hosts: namesOf(nodes) });
    return Promise.resolve();
  }

  ensureLoadBalancerDeleted(service: Service): Promise<void> {
    this.#fail(service);
    this.made.delete(service.metadata.name!);
    return Promise.resolve();
  }

  #fail({ metadata }: Service): void {
    const failure = this.failures.get(metadata.name!);
    this.failures.delete(metadata.name!);
    if (failure !== undefined) throw failure;
  }
}

const namesOf = (nodes: readonly Node[]): string[] => nodes.map(({ metadata }) => metadata.name!).sort();

class TestRoutes implements Routes {
  readonly clusterCidrs = ['10.1.0.0/16'];
  readonly periodMs = 20;
  readonly elsewhere: CloudRoute = { name: 'vpn', targetNode: 'gateway', destinationCidr: '10.9.0.0/24' };
  routes: CloudRoute[] = [this.elsewhere, { name: 'old', targetNode: 'gone', destinationCidr: '10.1.200.0/24' }];
  /** The node whose routes cannot be made. */
  broken = '';

  listRoutes(): Promise<readonly CloudRoute[]> {
    return Promise.resolve([...this.routes]);
  }

  createRoute(route: CloudRoute): Promise<void> {
    if (route.targetNode === this.broken) return Promise.reject(new Error('the table is full'));
    this.routes.push(route);
    return Promise.resolve();
  }

  deleteRoute(route: CloudRoute): Promise<void> {
    this.routes = this.routes.filter((one) => one !== route);
    return Promise.resolve();
  }
}

const balancers = new TestBalancers();
const routes = new TestRoutes();
let controlPlane: ControlPlane;
let client: Client;

beforeAll(async () => {
  controlPlane = await createControlPlane({
    controllers: ['service-lb-controller', 'node-route-controller', 'node-ipam-controller'],
    cloud: { loadBalancers: balancers, routes },
  });
  client = createClient(await parseClientConfig(controlPlane.kubeconfig), { qps: 0 });
  await client.core.v1.nodes.create({ metadata: { name: 'node-a' } });
  const labels = { 'node.kubernetes.io/exclude-from-external-load-balancers': '' };
  await client.core.v1.nodes.create({ metadata: { name: 'node-x', labels } });
});
afterAll(async () => {
  await client.close();
  await controlPlane.close();
});

const services = () => client.core.v1.services.namespace('default');

const expose = (name: string, spec: Partial<Service['spec']> = {}): Promise<Service> =>
  services().create({
    metadata: { name, namespace: 'default' },
    spec: { type: 'LoadBalancer', selector: { app: name }, ports: [{ port: 80 }], ...spec },
  });

const balanced = (name: string): Promise<Service> =>
  vi.waitFor(async () => {
    const service = await services().get(name);
    expect(service.status?.loadBalancer?.ingress).toMatchObject([{ ip: '192.0.2.1' }]);
    return service;
  }, 10_000);

const eventsOf = async (name: string): Promise<string[]> => {
  const { items } = await client.core.v1.events
    .namespace('default')
    .list({ fieldSelector: `involvedObject.name=${name}` });
  return items.map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
};

describe('load balancers', () => {
  test('A load balancer is made after the finalizer, for nodes with traffic, and shown in the status', async () => {
    await expose('web');
    const { metadata } = await balanced('web');
    expect(metadata.finalizers).toEqual([finalizer]);
    expect(balancers.made.get('web')).toEqual({ hosts: ['node-a'], finalizers: [finalizer] });
    await vi.waitFor(async () =>
      expect(await eventsOf('web')).toEqual([
        'Normal EnsuringLoadBalancer: Ensuring load balancer',
        'Normal EnsuredLoadBalancer: Ensured load balancer',
      ]),
    );
  });

  test('A load balancer is told of other nodes, and its service is told when there is none', async () => {
    await expose('hosts');
    await balanced('hosts');
    await client.core.v1.nodes.create({ metadata: { name: 'node-b' } });
    await vi.waitFor(() => expect(balancers.made.get('hosts')?.hosts).toEqual(['node-a', 'node-b']), 5000);
    await client.core.v1.nodes.delete('node-b');
    await vi.waitFor(() => expect(balancers.made.get('hosts')?.hosts).toEqual(['node-a']), 5000);
    await vi.waitFor(async () =>
      expect(await eventsOf('hosts')).toContain('Normal UpdatedLoadBalancer: Updated load balancer with new hosts'),
    );
  });

  test('A load balancer goes with the type of its service, with its status and its finalizer', async () => {
    await expose('former');
    await balanced('former');
    await services().patch('former', { merge: { spec: { type: 'ClusterIP' } } });
    await vi.waitFor(async () => {
      const { metadata, status } = await services().get('former');
      expect(metadata.finalizers ?? []).toEqual([]);
      expect(status?.loadBalancer?.ingress ?? []).toEqual([]);
    }, 5000);
    expect(balancers.made.has('former')).toBe(false);
    await vi.waitFor(async () =>
      expect(await eventsOf('former')).toEqual(
        expect.arrayContaining([
          'Normal Type: LoadBalancer -> ClusterIP',
          'Normal DeletingLoadBalancer: Deleting load balancer',
          'Normal DeletedLoadBalancer: Deleted load balancer',
        ]),
      ),
    );
  });

  test('A load balancer is gone before its service is', async () => {
    await expose('deleted');
    await balanced('deleted');
    // The platform is not done with the first call.
    balancers.failures.set('deleted', new RetryLaterError('still draining', 50));
    await services().delete('deleted');
    await vi.waitFor(() => expect(services().get('deleted')).rejects.toSatisfy(isNotFound), 5000);
    expect(balancers.made.has('deleted')).toBe(false);
    await vi.waitFor(async () =>
      expect(await eventsOf('deleted')).toContain(
        'Warning SyncLoadBalancerFailed: Error syncing load balancer: failed to delete load balancer: still draining',
      ),
    );
  });

  test('A load balancer that cannot be made is an event of its service, and is tried again', async () => {
    balancers.failures.set('refused', new RetryLaterError('no quota', 50));
    await expose('refused');
    await balanced('refused');
    await vi.waitFor(async () =>
      expect(await eventsOf('refused')).toContain(
        'Warning SyncLoadBalancerFailed: Error syncing load balancer: failed to ensure load balancer: no quota',
      ),
    );
  });

  test.each([
    { name: 'with a class', of: { loadBalancerClass: 'example.com/internal' }, failure: undefined },
    { name: 'that is implemented elsewhere', of: {}, failure: new ImplementedElsewhereError() },
  ])('A load balancer is left alone for a service $name', async ({ name, of, failure }) => {
    const service = name.replaceAll(' ', '-');
    if (failure !== undefined) balancers.failures.set(service, failure);
    await expose(service, of);
    // One that comes later is done, by the same queue.
    await expose(`after-${service}`);
    await balanced(`after-${service}`);
    expect(balancers.made.has(service)).toBe(false);
    expect((await services().get(service)).status?.loadBalancer?.ingress).toBeUndefined();
  });
});

describe('routes', () => {
  const condition = async (name: string): Promise<string | undefined> => {
    const { status } = await client.core.v1.nodes.get(name);
    const said = status.conditions?.find(({ type }) => type === 'NetworkUnavailable');
    return said && `${said.status} ${said.reason}: ${said.message}`;
  };

  test('Routes to the ranges of nodes are made, and those of the cluster that lead nowhere are deleted', async () => {
    await vi.waitFor(async () => {
      expect(await condition('node-a')).toBe('False RouteCreated: RouteController created a route');
      expect(await condition('node-x')).toBe('False RouteCreated: RouteController created a route');
    }, 5000);
    const { spec } = await client.core.v1.nodes.get('node-a');
    expect(routes.routes.find(({ targetNode }) => targetNode === 'node-a')?.destinationCidr).toBe(spec!.podCIDR);
    expect(routes.routes).toContain(routes.elsewhere);
    expect(routes.routes.filter(({ name }) => name === 'old')).toEqual([]);
  });

  test('Routes that cannot be made are a condition and an event of their node, until they are', async () => {
    routes.broken = 'node-c';
    const { metadata } = await client.core.v1.nodes.create({ metadata: { name: 'node-c' } });
    await vi.waitFor(async () =>
      expect(await condition('node-c')).toBe('True NoRouteCreated: RouteController failed to create a route'),
    );
    const start = `Warning FailedToCreateRoute: Could not create route ${metadata.uid} 10.1.`;
    await vi.waitFor(async () =>
      expect((await eventsOf('node-c')).some((event) => event.startsWith(start))).toBe(true),
    );
    routes.broken = '';
    await vi.waitFor(async () =>
      expect(await condition('node-c')).toBe('False RouteCreated: RouteController created a route'),
    );
  });
});
