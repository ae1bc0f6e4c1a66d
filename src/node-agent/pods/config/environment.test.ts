import { describe, expect, test } from 'vitest';
import type { Container, Pod, PodSpec, Service } from '../../../api/gen/types/core-v1.ts';
import { podDns, type DnsSettings } from './dns.ts';
import { type EnvironmentInput, environmentOf } from './environment.ts';
import { hostNameOf } from './host-name.ts';
import { hostsFile } from './hosts-file.ts';
import { oomScoreAdj, quotaOf, sharesOf } from './resources.ts';
import { containerSecurity, type ImageUser } from './security-context.ts';
import { serviceVariables } from './service-links.ts';

const podOf = (spec: Partial<PodSpec> = {}): Pod =>
  ({
    metadata: { name: 'web', namespace: 'shop', uid: 'u1', labels: { app: 'x' }, annotations: { note: 'a "b"' } },
    spec: { containers: [{ name: 'main', image: 'image:1', resources: { limits: { cpu: '1500m' } } }], ...spec },
    status: {},
  }) as Pod;

function environment(container: Partial<Container>, more: Partial<EnvironmentInput> = {}): Record<string, string> {
  const variables = environmentOf({
    pod: podOf(),
    container: { name: 'main', ...container },
    addresses: { hostIPs: ['192.0.2.1'], podIPs: ['10.0.0.1', 'fd00::1'] },
    services: new Map([['SVC', 'service']]),
    objects: {
      configMap: (name) => (name === 'map' ? ({ metadata: {}, data: { a: '1', 'b.c': '2' } } as never) : undefined),
      secret: (name) => (name === 'sec' ? ({ metadata: {}, data: { s: 'aGk=' } } as never) : undefined),
    },
    allocatable: { cpu: '4', memory: '8Gi' },
    ...more,
  });
  return Object.fromEntries(variables);
}

describe('The environment of a container', () => {
  test.each<{ name: string; container: Partial<Container>; has: Record<string, string> }>([
    {
      name: 'later variables replace earlier ones, whatever they come from',
      container: { envFrom: [{ configMapRef: { name: 'map' } }], env: [{ name: 'a', value: '9' }] },
      has: { SVC: 'service', a: '9', 'b.c': '2' },
    },
    {
      name: 'values refer to what stands above them',
      container: {
        env: [
          { name: 'A', value: 'x' },
          { name: 'B', value: '$(A)/$(NONE)/$$(A)' },
        ],
      },
      has: { SVC: 'service', A: 'x', B: 'x/$(NONE)/$(A)' },
    },
    {
      name: 'a prefix stands before each key',
      container: { envFrom: [{ prefix: 'P_', secretRef: { name: 'sec' } }] },
      has: { SVC: 'service', P_s: 'hi' },
    },
    {
      name: 'what is missing and optional is left out',
      container: {
        envFrom: [{ configMapRef: { name: 'none', optional: true } }],
        env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'sec', key: 'none', optional: true } } }],
      },
      has: { SVC: 'service' },
    },
    {
      name: 'fields of the pod, and its resources rounded up',
      container: {
        env: [
          { name: 'IPS', valueFrom: { fieldRef: { fieldPath: 'status.podIPs' } } },
          { name: 'LABEL', valueFrom: { fieldRef: { fieldPath: "metadata.labels['app']" } } },
          { name: 'CPU', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } },
          { name: 'MEMORY', valueFrom: { resourceFieldRef: { resource: 'limits.memory', divisor: '1Gi' } } },
        ],
      },
      has: { SVC: 'service', IPS: '10.0.0.1,fd00::1', LABEL: 'x', CPU: '2', MEMORY: '8' },
    },
  ])('A container has the variables of its pod: $name', ({ container, has }) => {
    expect(environment(container)).toEqual(has);
  });

  test.each<{ name: string; container: Partial<Container>; message: string }>([
    {
      name: 'a config map',
      container: { envFrom: [{ configMapRef: { name: 'none' } }] },
      message: 'configmap "none" not found',
    },
    {
      name: 'a key of a secret',
      container: { env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'sec', key: 'none' } } }] },
      message: "couldn't find key none in Secret shop/sec",
    },
  ])('A container cannot be made without what it names: $name', ({ container, message }) => {
    expect(() => environment(container)).toThrow(message);
  });

  test('Services are told by their names, those of other namespaces are not', () => {
    const service = (namespace: string, name: string, clusterIP: string): Service =>
      ({
        metadata: { namespace, name },
        spec: { clusterIP, ports: [{ name: 'web', port: 80, protocol: 'TCP' }] },
      }) as never;
    const services = [
      service('shop', 'my-db', '10.0.0.5'),
      service('other', 'x', '10.0.0.6'),
      service('shop', 'n', 'None'),
    ];
    expect(Object.fromEntries(serviceVariables(services, { namespace: 'shop', hasLinks: true }))).toEqual({
      MY_DB_SERVICE_HOST: '10.0.0.5',
      MY_DB_SERVICE_PORT: '80',
      MY_DB_SERVICE_PORT_WEB: '80',
      MY_DB_PORT: 'tcp://10.0.0.5:80',
      MY_DB_PORT_80_TCP: 'tcp://10.0.0.5:80',
      MY_DB_PORT_80_TCP_PROTO: 'tcp',
      MY_DB_PORT_80_TCP_PORT: '80',
      MY_DB_PORT_80_TCP_ADDR: '10.0.0.5',
    });
    expect(serviceVariables(services, { namespace: 'shop', hasLinks: false }).size).toBe(0);
  });
});

describe('The names that a pod knows', () => {
  const settings: DnsSettings = {
    clusterDns: ['10.0.0.10'],
    clusterDomain: 'cluster.local',
    resolvConf: { servers: ['192.0.2.53'], searches: ['example.test'], options: ['timeout:1'] },
  };
  const cluster = ['shop.svc.cluster.local', 'svc.cluster.local', 'cluster.local', 'example.test'];
  test.each<{ name: string; spec: Partial<PodSpec>; servers: string[]; searches: string[]; options: string[] }>([
    { name: 'of the cluster first', spec: {}, servers: ['10.0.0.10'], searches: cluster, options: ['ndots:5'] },
    {
      name: 'of the node',
      spec: { dnsPolicy: 'Default' },
      servers: ['192.0.2.53'],
      searches: ['example.test'],
      options: ['timeout:1'],
    },
    {
      name: 'of the node, on its network',
      spec: { hostNetwork: true },
      servers: ['192.0.2.53'],
      searches: ['example.test'],
      options: ['timeout:1'],
    },
    {
      name: 'its own alone',
      spec: { dnsPolicy: 'None', dnsConfig: { nameservers: ['1.1.1.1'], options: [{ name: 'ndots', value: '2' }] } },
      servers: ['1.1.1.1'],
      searches: [],
      options: ['ndots:2'],
    },
    {
      name: 'its own beside those of the cluster',
      spec: { dnsConfig: { searches: ['more.test', 'cluster.local'], options: [{ name: 'ndots', value: '2' }] } },
      servers: ['10.0.0.10'],
      searches: [...cluster, 'more.test'],
      options: ['ndots:2'],
    },
  ])('A pod asks these servers: $name', ({ spec, servers, searches, options }) => {
    expect(podDns(podOf(spec), settings)).toMatchObject({ servers, searches, options, problems: [] });
  });

  test('More servers than a resolver takes are left out, and told', () => {
    const { servers, problems } = podDns(
      podOf({ dnsConfig: { nameservers: ['1.1.1.1', '2.2.2.2', '3.3.3.3'] } }),
      settings,
    );
    expect(servers).toEqual(['10.0.0.10', '1.1.1.1', '2.2.2.2']);
    expect(problems).toEqual([
      'Nameserver limits were exceeded, some nameservers have been omitted, ' +
        'the applied nameserver line is: 10.0.0.10 1.1.1.1 2.2.2.2',
    ]);
  });

  test('The hosts file has the pod by its name and subdomain, and its aliases', () => {
    const pod = podOf({ hostname: 'front', subdomain: 'sub' });
    const { hostname, domain } = hostNameOf(pod, 'cluster.local');
    const aliases = [{ ip: '10.9.9.9', hostnames: ['a', 'b'] }];
    const text = hostsFile({ podIPs: ['10.0.0.1'], hostname, domain, aliases, ofNode: undefined });
    expect(text).toContain('10.0.0.1\tfront.sub.shop.svc.cluster.local\tfront\n');
    expect(text.endsWith('\n# Entries added by HostAliases.\n10.9.9.9\ta\tb\n')).toBe(true);
  });
});

describe('What a container may use', () => {
  test.each([
    { milliCpu: 0n, shares: 2n, quota: 0n },
    { milliCpu: 1n, shares: 2n, quota: 1000n },
    { milliCpu: 100n, shares: 102n, quota: 10_000n },
    { milliCpu: 1_000_000n, shares: 262_144n, quota: 100_000_000n },
  ])('The CPU of $milliCpu thousandths becomes shares and a quota', ({ milliCpu, shares, quota }) => {
    expect({ shares: sharesOf(milliCpu), quota: quotaOf(milliCpu, 100_000) }).toEqual({ shares, quota });
  });

  test.each<{ name: string; resources: Container['resources']; priority?: number; score: number }>([
    { name: 'asks for nothing', resources: {}, score: 1000 },
    {
      name: 'has all that it asks for',
      resources: { limits: { cpu: '1', memory: '1Mi' }, requests: { cpu: '1', memory: '1Mi' } },
      score: -997,
    },
    { name: 'asks for half of the memory', resources: { requests: { memory: '512Mi' } }, score: 500 },
    { name: 'asks for all of the memory', resources: { requests: { memory: '1Gi' } }, score: 3 },
    { name: 'is critical for the node', resources: {}, priority: 2_000_001_000, score: -997 },
  ])('The kernel ends a container by its score: it $name', ({ resources, priority, score }) => {
    const container: Container = { name: 'main', resources };
    const { spec } = podOf({ containers: [container], ...(priority === undefined ? {} : { priority }) });
    expect(oomScoreAdj(container, spec, 1n << 30n)).toBe(score);
  });

  const rights = (spec: Partial<PodSpec>, image: ImageUser) => () =>
    containerSecurity({
      spec: podOf(spec).spec,
      container: podOf().spec.containers![0]!,
      image,
      podText: 'web_shop(u1)',
      seccompDirectory: '/seccomp',
      seccompDefault: false,
      volumeGroups: [],
    });
  const nonRoot = { securityContext: { runAsNonRoot: true } };
  test.each<{ name: string; spec: Partial<PodSpec>; image: ImageUser; message: string }>([
    {
      name: 'its image',
      spec: nonRoot,
      image: { uid: 0n },
      message: 'container has runAsNonRoot and image will run as root',
    },
    {
      name: 'its pod',
      spec: { securityContext: { runAsNonRoot: true, runAsUser: 0 } },
      image: {},
      message: "container's runAsUser breaks non-root policy",
    },
    {
      name: 'a name that may be that of root',
      spec: nonRoot,
      image: { username: 'nobody' },
      message: 'container has runAsNonRoot and image has non-numeric user (nobody), cannot verify user is non-root',
    },
  ])('A container that must not be root is not made as root by $name', ({ spec, image, message }) => {
    expect(rights(spec, image)).toThrow(`${message} (pod: "web_shop(u1)", container: main)`);
  });

  test('A container that must not be root runs as the user of its image', () => {
    expect(rights(nonRoot, { uid: 1001n })()).toMatchObject({ runAsUser: { value: 1001n }, privileged: false });
  });
});
