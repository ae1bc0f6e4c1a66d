import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Service, ServiceSpec } from '../../../api/gen/types/core-v1.ts';
import { openEmbeddedStore } from '../../../storage/embedded/open.ts';
import type { Store } from '../../../storage/interface.ts';
import { ServiceServer } from './testing/service-server.ts';
import { takenNumbers } from './testing/shared-ranges-suite.ts';
import { nodePorts } from './testing/node-ports.ts';

let store: Store & AsyncDisposable;

let server: ServiceServer;

beforeEach(async () => {
  store = await openEmbeddedStore();
  server = new ServiceServer({ store });
  await server.ranges.repair();
});

afterEach(() => store[Symbol.asyncDispose]());

const takenPorts = async (): Promise<number[]> =>
  (await takenNumbers(store, 'servicenodeports')).map((number) => 30_000 + number);

const takenIps = async (): Promise<string[]> =>
  (await takenNumbers(store, 'serviceips')).map((number) => `10.0.0.${number + 1}`);

describe('node ports', () => {
  test('Ports of one number and different protocols share one node port', async () => {
    const service = await server.create({
      name: 's',
      type: 'NodePort',
      ports: [
        { name: 't', port: 53 },
        { name: 'u', port: 53, protocol: 'UDP' },
        { name: 'x', port: 80 },
      ],
    });
    const [first, second, third] = nodePorts(service);
    expect([first === second, first === third]).toEqual([true, false]);
    expect(await takenPorts()).toEqual([first!, third!].sort());
  });

  test('One that is asked for by a later port of the same number counts', async () => {
    const service = await server.create({
      name: 's',
      type: 'NodePort',
      ports: [
        { name: 't', port: 53 },
        { name: 'u', port: 53, protocol: 'UDP', nodePort: 30_053 },
      ],
    });
    expect([nodePorts(service), await takenPorts()]).toEqual([[30_053, 30_053], [30_053]]);
  });

  test('Different node ports for one number are both taken', async () => {
    const service = await server.create({
      name: 's',
      type: 'NodePort',
      ports: [
        { name: 't', port: 53, nodePort: 30_001 },
        { name: 'u', port: 53, protocol: 'UDP', nodePort: 30_002 },
      ],
    });
    expect([nodePorts(service), await takenPorts()]).toEqual([
      [30_001, 30_002],
      [30_001, 30_002],
    ]);
  });

  test('A load balancer that wants none has those that it asks for', async () => {
    const service = await server.create({
      name: 's',
      type: 'LoadBalancer',
      allocateLoadBalancerNodePorts: false,
      ports: [
        { name: 'a', port: 1 },
        { name: 'b', port: 2, nodePort: 30_002 },
      ],
    });
    expect([nodePorts(service), await takenPorts()]).toEqual([[undefined, 30_002], [30_002]]);
  });

  test.each([
    {
      name: 'outside of the range',
      port: 8080,
      problem: 'provided port is not in the valid range. The range of valid ports is 30000-32767',
    },
    { name: 'of another service', port: 31_000, problem: 'provided port is already allocated' },
  ])('A node port is refused: $name', async ({ port, problem }) => {
    await server.create({ name: 'other', type: 'NodePort', ports: [{ port: 80, nodePort: 31_000 }] });
    await expect(
      server.create({
        name: 's',
        type: 'NodePort',
        ports: [
          { name: 'a', port: 1 },
          { name: 'b', port: 80, nodePort: port },
        ],
      }),
    ).rejects.toMatchObject({
      code: 422,
      message: `Service "s" is invalid: spec.ports[1].nodePort: Invalid value: ${port}: ${problem}`,
    });
    expect([await takenPorts(), (await takenIps()).length]).toEqual([[31_000], 1]);
  });

  test('Node ports stay with the ports of their names when a manifest is sent again', async () => {
    const [a, b] = nodePorts(
      await server.create({
        name: 's',
        type: 'NodePort',
        ports: [
          { name: 'a', port: 1 },
          { name: 'b', port: 2 },
        ],
      }),
    );
    const changed = await server.change(
      's',
      ({ spec }) =>
        (spec.ports = [
          { name: 'b', port: 22 },
          { name: 'c', port: 3 },
        ]),
    );
    const [keptB, c] = nodePorts(changed);
    expect(keptB).toBe(b);
    expect([a, b]).not.toContain(c);
    expect(await takenPorts()).toEqual([b!, c!].sort());
  });

  test('One that moves to another port is not given to both', async () => {
    await server.create({
      name: 's',
      type: 'NodePort',
      ports: [
        { name: 'a', port: 1, nodePort: 30_001 },
        { name: 'b', port: 2, nodePort: 30_002 },
      ],
    });
    const changed = await server.change(
      's',
      ({ spec }) =>
        (spec.ports = [
          { name: 'a', port: 1 },
          { name: 'b', port: 2, nodePort: 30_001 },
        ]),
    );
    const [a, b] = nodePorts(changed);
    expect(b).toBe(30_001);
    expect(a).not.toBe(30_001);
    expect(await takenPorts()).toEqual([a!, b!].sort());
  });

  test('The same number twice for one protocol is refused', async () => {
    await server.create({ name: 's', type: 'NodePort', ports: [{ name: 'a', port: 1, nodePort: 30_001 }] });
    await expect(
      server.change(
        's',
        ({ spec }) =>
          (spec.ports = [
            { name: 'a', port: 1, nodePort: 30_002 },
            { name: 'b', port: 2, nodePort: 30_002 },
          ]),
      ),
    ).rejects.toMatchObject({ code: 500, message: 'duplicate nodePort: {TCP 30002}' });
    expect(await takenPorts()).toEqual([30_001]);
  });
});

describe('the port for health checks', () => {
  const local: Partial<ServiceSpec> = { type: 'LoadBalancer', externalTrafficPolicy: 'Local' };

  test('The port for health checks comes with the policy and goes with it', async () => {
    const { spec } = await server.create({ name: 's', ...local });
    expect(await takenPorts()).toEqual([spec.ports![0]!.nodePort!, spec.healthCheckNodePort!].sort());
    const cluster = await server.change('s', (service) => (service.spec.externalTrafficPolicy = 'Cluster'));
    expect([cluster.spec.healthCheckNodePort, await takenPorts()]).toEqual([undefined, [spec.ports![0]!.nodePort!]]);
  });

  test('The port for health checks stays when a manifest is sent again', async () => {
    const { spec } = await server.create({ name: 's', ...local });
    const again = await server.change('s', (service) => (service.spec.healthCheckNodePort = undefined));
    expect(again.spec.healthCheckNodePort).toBe(spec.healthCheckNodePort);
  });

  test('One that is taken fails the request', async () => {
    await server.create({ name: 'other', type: 'NodePort', ports: [{ port: 80, nodePort: 31_000 }] });
    await expect(server.create({ name: 's', ...local, healthCheckNodePort: 31_000 })).rejects.toMatchObject({
      code: 500,
      message:
        'Internal error occurred: failed to allocate requested HealthCheck NodePort 31000: provided port ' +
        'is already allocated',
    });
    expect([await takenPorts(), (await takenIps()).length]).toEqual([[31_000], 1]);
  });
});

describe('changes of the type', () => {
  test.each([
    { from: 'NodePort', to: 'ClusterIP', ips: 1, ports: 0 },
    { from: 'NodePort', to: 'ExternalName', ips: 0, ports: 0 },
    { from: 'ClusterIP', to: 'ExternalName', ips: 0, ports: 0 },
    { from: 'LoadBalancer', to: 'NodePort', ips: 1, ports: 1 },
    { from: 'ExternalName', to: 'ClusterIP', ips: 1, ports: 0 },
    { from: 'ExternalName', to: 'LoadBalancer', ips: 1, ports: 1 },
    { from: 'ClusterIP', to: 'NodePort', ips: 1, ports: 1 },
  ] as const)('Changes of the type of a service: $from to $to', async ({ from, to, ips, ports }) => {
    const before = await server.create({ name: 's', type: from, externalName: 'a.b' });
    const after = await server.change('s', ({ spec }) => (spec.type = to));
    expect([(await takenIps()).length, (await takenPorts()).length]).toEqual([ips, ports]);
    expect(await takenIps()).toEqual(after.spec.clusterIPs ?? []);
    expect(await takenPorts()).toEqual(nodePorts(after).filter((port) => port !== undefined));
    if (from !== 'ExternalName' && to !== 'ExternalName') expect(after.spec.clusterIP).toBe(before.spec.clusterIP);
  });

  test('What the client changes together with the type is for validation to refuse', async () => {
    await server.create({ name: 's', type: 'NodePort', ports: [{ port: 80, nodePort: 30_001 }] });
    await expect(
      server.change('s', ({ spec }) =>
        Object.assign(spec, { type: 'ClusterIP', ports: [{ port: 80, nodePort: 30_002 }] }),
      ),
    ).rejects.toMatchObject({
      code: 422,
      message:
        'Service "s" is invalid: spec.ports[0].nodePort: Forbidden: may not be used when `type` is \'ClusterIP\'',
    });
    expect(await takenPorts()).toEqual([30_001]);
  });

  test('A load balancer that becomes something else loses what was observed of it', async () => {
    await server.create({ name: 's', type: 'LoadBalancer', loadBalancerClass: 'a.b/c' });
    const { services } = server;
    const stored = await services.get('default', 's', { match: 'mostRecent' });
    const service = services.decode(stored) as Service;
    service.status = { loadBalancer: { ingress: [{ ip: '1.2.3.4', ipMode: 'VIP' }] } };
    await services.storage.update(stored.key, services.encode(service), stored.revision);
    const after = await server.change('s', ({ spec }) => (spec.type = 'NodePort'));
    expect([after.status, after.spec.loadBalancerClass, after.spec.allocateLoadBalancerNodePorts]).toEqual([
      { loadBalancer: {} },
      undefined,
      undefined,
    ]);
  });
});
