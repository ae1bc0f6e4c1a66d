import { describe, expect, test } from 'vitest';
import type {
  Ingress,
  IngressClass,
  IngressSpec,
  NetworkPolicy,
  NetworkPolicySpec,
} from '../gen/types/networking-v1.ts';
import type {
  Ingress as OldIngress,
  IPAddress,
  ParentReference,
  ServiceCIDR,
} from '../gen/types/networking-v1beta1.ts';
import { fieldErrorText } from '../../machinery/field-error.ts';
import { ingressCells } from './ingresses/table.ts';
import { fromOldIngress, setOldIngressDefaults, toOldIngress } from './ingresses/v1beta1.ts';
import { validateIngress, validateIngressUpdate } from './ingresses/validation.ts';
import { validateIngressClass } from './ingress-classes/validation.ts';
import { ipAddressCells, validateIpAddress, validateIpAddressUpdate } from './ip-addresses/validation.ts';
import { validateNetworkPolicy, validateNetworkPolicyUpdate } from './network-policies/validation.ts';
import { serviceCidrCells, validateServiceCidr, validateServiceCidrUpdate } from './service-cidrs/validation.ts';

const metadata = { name: 'n', namespace: 'default', resourceVersion: '1' };
const backend = { service: { name: 'web', port: { number: 80 } } };
const path = (
  text: string,
  pathType: 'Exact' | 'Prefix' | 'ImplementationSpecific' = 'Prefix',
): NonNullable<IngressSpec['rules']>[number] => ({
  host: '*.a.com',
  http: { paths: [{ path: text, pathType, backend }] },
});
const ingress = (spec: Partial<IngressSpec>): Ingress => ({
  metadata,
  spec: { defaultBackend: backend, ...spec },
  status: { loadBalancer: {} },
});

// What the recorded answers do not show; they are replayed by test/conformance.
describe('rules of ingresses', () => {
  test.each([
    {
      name: 'a path that ends above itself',
      spec: { rules: [path('/a/..')] },
      problem: 'spec.rules[0].http.paths[0].path: Invalid value: "/a/..": cannot end with \'/..\'',
    },
    {
      name: 'a relative path of another class',
      spec: { rules: [path('a', 'ImplementationSpecific')] },
      problem: 'spec.rules[0].http.paths[0].path: Invalid value: "a": must be an absolute path',
    },
    {
      name: 'path type',
      spec: { rules: [path('/', 'X' as never)] },
      problem:
        'spec.rules[0].http.paths[0].pathType: Unsupported value: "X": supported values: "Exact", ' +
        '"ImplementationSpecific", "Prefix"',
    },
    {
      name: 'secret name',
      spec: { tls: [{ secretName: 'A' }] },
      problem:
        'spec.tls[0].secretName: Invalid value: "A": a lowercase RFC 1123 subdomain must consist of lower ' +
        "case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. " +
        "'example.com', regex used for validation is " +
        "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    },
    {
      name: 'resource without kind',
      spec: { defaultBackend: { resource: { name: 'x' } } },
      problem: 'spec.defaultBackend.resource.kind: Required value: kind is required',
    },
    {
      name: 'service without name',
      spec: { defaultBackend: { service: { port: { number: 1 } } } },
      problem: 'spec.defaultBackend.service.name: Required value',
    },
    {
      name: 'port number',
      spec: { defaultBackend: { service: { name: 'a', port: { number: 70_000 } } } },
      problem: 'spec.defaultBackend.service.port.number: Invalid value: 70000: must be between 1 and 65535, inclusive',
    },
    {
      name: 'an empty list of rules',
      spec: { defaultBackend: undefined as never, rules: [] },
      problem: 'spec: Invalid value: []networking.IngressRule{}: either `defaultBackend` or `rules` must be specified',
    },
  ])('An ingress is refused: $name', ({ spec, problem }) =>
    expect(validateIngress(ingress(spec)).map(fieldErrorText)).toEqual([problem]),
  );

  test('What was stored before there was a rule may stay', () => {
    const bad = { tls: [{ secretName: 'A' }], rules: [path('a')] };
    expect(validateIngressUpdate(ingress(bad), ingress(bad))).toEqual([]);
    expect(validateIngressUpdate(ingress(bad), ingress({}))).toHaveLength(2);
  });

  test('The HOSTS column of an Ingress counts the rules after the third host', () => {
    const rules = ['a', 'b', 'c', '', 'd'].map((host) => ({ host }));
    expect(ingressCells(ingress({ rules }), new Date())[2]).toBe('a,b,c + 2 more...');
  });
});

describe('ingresses of v1beta1', () => {
  const old: OldIngress = {
    metadata,
    status: { loadBalancer: {} },
    spec: {
      backend: { serviceName: 'web', servicePort: 80 },
      rules: [
        {
          host: 'a.com',
          http: {
            paths: [
              { backend: { serviceName: 'web', servicePort: 'http' }, pathType: 'Prefix' },
              { backend: { resource: { kind: 'B', name: 'b' } }, pathType: 'Exact' },
            ],
          },
        },
        { host: 'b.com' },
      ],
    },
  };
  const current: Ingress = {
    metadata,
    status: { loadBalancer: {} },
    spec: {
      defaultBackend: { service: { name: 'web', port: { number: 80 } } },
      rules: [
        {
          host: 'a.com',
          http: {
            paths: [
              { backend: { service: { name: 'web', port: { name: 'http' } } }, pathType: 'Prefix' },
              { backend: { resource: { kind: 'B', name: 'b' } }, pathType: 'Exact' },
            ],
          },
        },
        { host: 'b.com' },
      ],
    },
  };
  test('Ingresses are converted from v1beta1 to v1', () => expect(fromOldIngress(old)).toEqual(current));
  test('Ingresses are converted from v1 to v1beta1', () => expect(toOldIngress(current)).toEqual(old));
  test('Ingresses of v1beta1 have a path type of their own', () => {
    const made: OldIngress = {
      metadata,
      status: { loadBalancer: {} },
      spec: { rules: [{ http: { paths: [{ backend: {} }] } }] },
    };
    setOldIngressDefaults(made);
    expect(made.spec.rules![0]!.http!.paths![0]!.pathType).toBe('ImplementationSpecific');
  });
});

describe('rules of ingress classes', () => {
  const ingressClass = (parameters: IngressClass['spec']['parameters']): IngressClass => ({
    metadata: { name: 'n' },
    spec: { controller: 'a.b/c', ...(parameters === undefined ? {} : { parameters }) },
  });
  test.each([
    {
      name: 'a namespace is missing',
      parameters: { kind: 'P', name: 'p', scope: 'Namespace' },
      problem: "spec.parameters.namespace: Required value: `parameters.scope` is set to 'Namespace'",
    },
    {
      name: 'name',
      parameters: { kind: 'P', name: 'a/b', scope: 'Cluster' },
      problem: 'spec.parameters.name: Invalid value: "a/b": may not contain \'/\'',
    },
  ])('An ingress class is refused: $name', ({ parameters, problem }) =>
    expect(validateIngressClass(ingressClass(parameters)).map(fieldErrorText)).toEqual([problem]),
  );
});

describe('rules of network policies', () => {
  const policy = (spec: Partial<NetworkPolicySpec>): NetworkPolicy => ({
    metadata,
    spec: { podSelector: {}, ...spec },
  });
  test.each([
    {
      name: 'the end of a range',
      spec: { ingress: [{ ports: [{ port: 20, endPort: 10 }] }] },
      problem: 'spec.ingress[0].ports[0].endPort: Invalid value: 20: must be greater than or equal to `port`',
    },
    {
      name: 'an exception as large as the block',
      spec: { egress: [{ to: [{ ipBlock: { cidr: '10.0.0.0/16', except: ['10.0.0.0/16'] } }] }] },
      problem:
        'spec.egress[0].to[0].ipBlock.except[0]: Invalid value: "10.0.0.0/16": must be a strict subset of `cidr`',
    },
    {
      name: 'an exception of the other family',
      spec: { egress: [{ to: [{ ipBlock: { cidr: '10.0.0.0/16', except: ['fd00::/64'] } }] }] },
      problem: 'spec.egress[0].to[0].ipBlock.except[0]: Invalid value: "fd00::/64": must be a strict subset of `cidr`',
    },
    {
      name: 'block',
      spec: { egress: [{ to: [{ ipBlock: { cidr: 'x' } }] }] },
      problem:
        'spec.egress[0].to[0].ipBlock.cidr: Invalid value: "x": must be a valid CIDR value, (e.g. ' +
        '10.9.8.0/24 or 2001:db8::/64)',
    },
  ])('A network policy is refused: $name', ({ spec, problem }) =>
    expect(validateNetworkPolicy(policy(spec)).map(fieldErrorText)).toEqual([problem]),
  );

  test('Values of selectors that were stored before they were judged may stay', () => {
    const bad = (): NetworkPolicy =>
      policy({ podSelector: { matchExpressions: [{ key: 'a', operator: 'In', values: ['-'] }] } });
    expect([
      validateNetworkPolicyUpdate(bad(), bad()).length,
      validateNetworkPolicyUpdate(bad(), policy({})).length,
    ]).toEqual([0, 2]);
  });
});

describe('rules of IP addresses (KEP-1880)', () => {
  const address = (
    name: string,
    parentRef: ParentReference | undefined = { resource: 'services', name: 's', namespace: 'default' },
  ): IPAddress => ({
    metadata: { name, resourceVersion: '1' },
    spec: { ...(parentRef === undefined ? {} : { parentRef }) },
  });
  test.each([
    { name: 'IPv4', made: address('10.0.0.1'), problems: [] },
    { name: 'IPv6', made: address('fd00::1'), problems: [] },
    {
      name: 'no address',
      made: address('x'),
      problems: ['metadata.name: Invalid value: "x": ParseAddr("x"): unable to parse IP'],
    },
    {
      name: 'an address that is not in canonical notation',
      made: address('fd00::0001'),
      problems: ['metadata.name: Invalid value: "fd00::0001": must be a canonical format IP address'],
    },
    {
      name: 'no parent',
      made: { metadata: { name: '10.0.0.1' }, spec: {} },
      problems: ['spec.parentRef: Required value'],
    },
    {
      name: 'an empty parent',
      made: address('10.0.0.1', {}),
      problems: ['spec.parentRef.resource: Required value', 'spec.parentRef.name: Required value'],
    },
  ])('Validation of IP addresses (KEP-1880): $name', ({ made, problems }) =>
    expect(validateIpAddress(made).map(fieldErrorText)).toEqual(problems),
  );

  test('The parent reference of an IPAddress is immutable', () => {
    const [error, ...others] = validateIpAddressUpdate(
      address('10.0.0.1', { resource: 'services', name: 't' }),
      address('10.0.0.1'),
    ).map(fieldErrorText);
    expect([error, others]).toEqual([
      expect.stringMatching(/^spec\.parentRef: Invalid value: networking\.ParentReference\{.*\}: field is immutable$/),
      [],
    ]);
  });

  test('The row names the parent', () =>
    expect(
      ipAddressCells(
        address('10.0.0.1', { group: 'X.io', resource: 'Things', namespace: 'n', name: 'a' }),
        new Date(),
      ).slice(0, 2),
    ).toEqual(['10.0.0.1', 'things.x.io/n/a']));
});

describe('rules of ranges for cluster IPs (KEP-1880)', () => {
  const range = (...cidrs: string[]): ServiceCIDR => ({
    metadata: { name: 'r', resourceVersion: '1' },
    spec: { cidrs },
    status: {},
  });
  test.each([
    { name: 'one', made: range('10.0.0.0/24'), problems: [] },
    { name: 'two families', made: range('10.0.0.0/24', 'fd00::/108'), problems: [] },
    { name: 'none', made: range(), problems: ['spec.cidrs: Required value: at least one CIDR required'] },
    {
      name: 'three',
      made: range('a', 'b', 'c'),
      problems: [
        'spec.cidrs: Invalid value: networking.ServiceCIDRSpec{CIDRs:[]string{"a", "b", "c"}}: may only ' +
          'hold up to 2 values',
      ],
    },
    {
      name: 'one family twice',
      made: range('10.0.0.0/24', '10.1.0.0/24'),
      problems: [
        'spec.cidrs: Invalid value: networking.ServiceCIDRSpec{CIDRs:[]string{"10.0.0.0/24", "10.1.0.0/24"}}: ' +
          'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64',
      ],
    },
    {
      name: 'an address of a host',
      made: range('10.0.0.1/24'),
      problems: [
        'spec.cidrs[0]: Invalid value: "10.0.0.1/24": wrong CIDR format, IP doesn\'t match network IP address',
      ],
    },
    {
      name: 'a range that is not in canonical notation',
      made: range('FD00::/64'),
      problems: ['spec.cidrs[0]: Invalid value: "FD00::/64": CIDR not in RFC 5952 canonical format'],
    },
    {
      name: 'no network',
      made: range('10.0.0.0'),
      problems: ['spec.cidrs[0]: Invalid value: "10.0.0.0": netip.ParsePrefix("10.0.0.0"): no \'/\''],
    },
  ])('Validation of service CIDRs (KEP-1880): $name', ({ made, problems }) =>
    expect(validateServiceCidr(made).map(fieldErrorText)).toEqual(problems),
  );

  test('The ranges of a ServiceCIDR are immutable', () =>
    expect(validateServiceCidrUpdate(range('10.1.0.0/24'), range('10.0.0.0/24')).map(fieldErrorText)).toEqual([
      'spec.cidrs: Invalid value: []string{"10.1.0.0/24"}: field is immutable',
    ]));
  test('The row lists them', () =>
    expect(serviceCidrCells(range('10.0.0.0/24', 'fd00::/108'), new Date())[1]).toBe('10.0.0.0/24,fd00::/108'));
});
