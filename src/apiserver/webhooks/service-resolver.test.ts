import { expect, test } from 'vitest';
import type { Endpoints, Service } from '../../api/gen/types/core-v1.ts';
import type { KubeObject } from '../../machinery/object-meta.ts';
import { createServiceResolver } from './service-resolver.ts';

const target = { namespace: 'team', name: 'hook', port: 443 };
const named = { metadata: { name: 'hook', namespace: 'team' } };
const service = (spec: object): Service =>
  ({ ...named, spec: { clusterIP: '10.0.0.9', ...spec }, status: {} }) as Service;
const endpoints = (...subsets: object[]): Endpoints => ({ ...named, subsets }) as Endpoints;
const https = { name: 'https', port: 443, targetPort: 'web' };

/** What the resolver finds with these objects; its last endpoint where it may choose. */
function resolve(
  toEndpoints: boolean,
  objects: { readonly services?: Service; readonly endpoints?: Endpoints },
): Promise<object> {
  return createServiceResolver({
    toEndpoints,
    random: () => 0.999,
    objects: {
      find: <T extends KubeObject>(_: string, resource: string, namespace: string, name: string) =>
        Promise.resolve(
          namespace === 'team' && name === 'hook'
            ? (objects[resource as keyof typeof objects] as unknown as T | undefined)
            : undefined,
        ),
    },
  })(target);
}

test.each([
  ['the cluster IP with the port of the service', service({ ports: [https] }), '10.0.0.9', 443],
  ['the cluster IP of a load balancer', service({ type: 'LoadBalancer', ports: [https] }), '10.0.0.9', 443],
  ['the cluster IP of node ports', service({ type: 'NodePort', ports: [https] }), '10.0.0.9', 443],
  ['an IPv6 cluster IP', service({ clusterIP: 'fd00::9', ports: [https] }), 'fd00::9', 443],
  ['an external name', service({ type: 'ExternalName', externalName: 'hook.example.com' }), 'hook.example.com', 443],
])('Without routing to endpoints, a service is reached at %s', async (_, services, host, port) => {
  expect(await resolve(false, { services })).toEqual({ host, port });
});

test.each([
  ['is not there', undefined, 'service "hook" not found'],
  ['has no such port', service({ ports: [{ port: 8443 }] }), 'no service port 443 found for service "hook"'],
  ['is headless', service({ clusterIP: 'None', ports: [https] }), 'cannot route to service with ClusterIP "None"'],
])('Without routing to endpoints, a service that %s cannot be reached', async (_, services, message) => {
  await expect(resolve(false, services === undefined ? {} : { services })).rejects.toThrow(message);
});

const one = { addresses: [{ ip: '10.1.0.1' }], ports: [{ name: 'https', port: 9443 }] };

test.each([
  ['on the port of the same name', service({ ports: [https] }), endpoints(one), '10.1.0.1', 9443],
  [
    'on the port without a name, where the service has one port without a name',
    service({ ports: [{ port: 443 }] }),
    endpoints({ addresses: [{ ip: '10.1.0.1' }], ports: [{ port: 8443 }] }),
    '10.1.0.1',
    8443,
  ],
  [
    'whose subset has the port',
    service({ ports: [https] }),
    endpoints(one, { addresses: [{ ip: '10.1.0.2' }], ports: [{ name: 'other', port: 1 }] }),
    '10.1.0.1',
    9443,
  ],
  [
    'of any subset, each with its own number for the port',
    service({ ports: [https] }),
    endpoints(one, { addresses: [{ ip: '10.1.0.2' }, { ip: '10.1.0.3' }], ports: [{ name: 'https', port: 9444 }] }),
    '10.1.0.3',
    9444,
  ],
  ['also of a headless service', service({ clusterIP: 'None', ports: [https] }), endpoints(one), '10.1.0.1', 9443],
])('With routing to endpoints, a service is reached at an endpoint %s', async (_, services, found, host, port) => {
  expect(await resolve(true, { services, endpoints: found })).toEqual({ host, port });
});

test.each([
  ['no service', undefined, endpoints(one), 'service "hook" not found'],
  ['no such port', service({ ports: [{ port: 1 }] }), endpoints(one), 'no service port 443 found for service "hook"'],
  ['no endpoints object', service({ ports: [https] }), undefined, 'endpoints "hook" not found'],
  ['no subset', service({ ports: [https] }), endpoints(), 'no endpoints available for service "hook"'],
  [
    'no endpoint that is ready',
    service({ ports: [https] }),
    endpoints({ notReadyAddresses: [{ ip: '10.1.0.1' }], ports: [{ name: 'https', port: 9443 }] }),
    'no endpoints available for service "hook"',
  ],
  [
    'no endpoint with the port',
    service({ ports: [https] }),
    endpoints({ addresses: [{ ip: '10.1.0.1' }], ports: [{ name: 'other', port: 1 }] }),
    'no endpoints available for service "hook"',
  ],
  [
    'an external name',
    service({ type: 'ExternalName', externalName: 'hook.example.com', ports: [https] }),
    undefined,
    'unsupported service type "ExternalName"',
  ],
  [
    'an external name without the port',
    service({ type: 'ExternalName', externalName: 'hook.example.com' }),
    undefined,
    'no service port 443 found for service "hook"',
  ],
])('With routing to endpoints and %s, there is no address', async (_, services, found, message) => {
  await expect(
    resolve(true, {
      ...(services === undefined ? {} : { services }),
      ...(found === undefined ? {} : { endpoints: found }),
    }),
  ).rejects.toThrow(message);
});

test('Endpoints of a service are chosen by chance', async () => {
  const chances = [0, 0.5, 0.99];
  const resolver = createServiceResolver({
    toEndpoints: true,
    random: () => chances.shift()!,
    objects: {
      find: <T extends KubeObject>(_: string, resource: string) =>
        Promise.resolve(
          (resource === 'services'
            ? service({ ports: [https] })
            : endpoints({ ...one, addresses: [{ ip: 'a' }, { ip: 'b' }, { ip: 'c' }] })) as unknown as T,
        ),
    },
  });
  expect([await resolver(target), await resolver(target), await resolver(target)].map(({ host }) => host)).toEqual([
    'a',
    'b',
    'c',
  ]);
});
