import { describe, expect, test } from 'vitest';
import type { Service, ServiceSpec } from '../../gen/types/core-v1.ts';
import { fieldErrorText } from '../../../machinery/field-error.ts';
import type { ObjectMeta } from '../../gen/types/meta-v1.ts';
import { setServiceDefaults } from './defaults.ts';
import { validateServiceStatusUpdate } from './status-validation.ts';
import { validateServiceUpdate } from './update-validation.ts';
import { validateService } from './validation.ts';
import { serviceWarnings } from './warnings.ts';

/** A valid service as it is after allocation. */
function service(spec: Partial<ServiceSpec> = {}, metadata: ObjectMeta = {}): Service {
  const made: Service = {
    metadata: { name: 'web', namespace: 'default', uid: 'u', resourceVersion: '1', ...metadata },
    spec: {
      ports: [{ port: 80 }],
      clusterIP: '10.0.0.7',
      clusterIPs: ['10.0.0.7'],
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      ...spec,
    },
    status: { loadBalancer: {} },
  };
  setServiceDefaults(made);
  return made;
}

const externalName = {
  type: 'ExternalName',
  externalName: 'a.b',
  clusterIP: undefined,
  clusterIPs: undefined,
  ipFamilies: undefined,
  ipFamilyPolicy: undefined,
} as const;
const annotated = (annotations: Record<string, string>): ObjectMeta => ({ annotations });
const sourceRanges = 'service.beta.kubernetes.io/load-balancer-source-ranges';

// What the recorded answers do not show; they are replayed by test/conformance.
describe('rules of services', () => {
  test.each([
    { name: 'default', made: service() },
    { name: 'external name with a dot at the end', made: service({ ...externalName, externalName: 'a.b.' }) },
    {
      name: 'source ranges with spaces',
      made: service({ type: 'LoadBalancer', loadBalancerSourceRanges: [' 10.0.0.0/8 '] }),
    },
    {
      name: 'source ranges in the old annotation',
      made: service({ type: 'LoadBalancer' }, annotated({ [sourceRanges]: ' 10.0.0.0/8, 192.168.0.0/16 ' })),
    },
    { name: 'an empty old annotation', made: service({ type: 'LoadBalancer' }, annotated({ [sourceRanges]: ' ' })) },
    {
      name: 'health check port',
      made: service({ type: 'LoadBalancer', externalTrafficPolicy: 'Local', healthCheckNodePort: 30_000 }),
    },
  ])('Valid: $name', ({ made }) => expect(validateService(made).map(fieldErrorText)).toEqual([]));

  test.each([
    {
      name: 'annotations that disagree',
      made: service(
        {},
        annotated({ 'service.kubernetes.io/topology-aware-hints': 'a', 'service.kubernetes.io/topology-mode': 'b' }),
      ),
      problem:
        'metadata.annotations[service.kubernetes.io/topology-mode]: Invalid value: "b": must match ' +
        'annotations[service.kubernetes.io/topology-aware-hints] when both are specified',
    },
    {
      name: 'source ranges in the old annotation',
      made: service({}, annotated({ [sourceRanges]: '10.0.0.0/8' })),
      problem: `metadata.annotations[${sourceRanges}]: Forbidden: may only be used when \`type\` is 'LoadBalancer'`,
    },
    {
      name: 'a bad range in the old annotation',
      made: service({ type: 'LoadBalancer' }, annotated({ [sourceRanges]: 'x' })),
      problem:
        `metadata.annotations[${sourceRanges}]: Invalid value: "x": must be a valid CIDR value, (e.g. ` +
        '10.9.8.0/24 or 2001:db8::/64)',
    },
    {
      name: 'families of an external name',
      made: service({ ...externalName, ipFamilies: ['IPv4'] }),
      problem: 'spec.ipFamilies: Forbidden: may not be set for ExternalName services',
    },
    {
      name: 'policy of an external name',
      made: service({ ...externalName, ipFamilyPolicy: 'SingleStack' }),
      problem: 'spec.ipFamilyPolicy: Forbidden: may not be set for ExternalName services',
    },
    {
      name: 'node ports on a cluster IP',
      made: service({ ports: [{ port: 80, nodePort: 30_000 }] }),
      problem: "spec.ports[0].nodePort: Forbidden: may not be used when `type` is 'ClusterIP'",
    },
    {
      name: 'a node port twice',
      made: service({
        type: 'NodePort',
        ports: [
          { name: 'a', port: 1, nodePort: 30_000 },
          { name: 'b', port: 2, nodePort: 30_000 },
        ],
      }),
      problem: 'spec.ports[1].nodePort: Duplicate value: 30000',
    },
    {
      name: 'a port twice, in Go syntax',
      made: service({
        ports: [
          { name: 'a', port: 1, protocol: 'TCP' },
          { name: 'b', port: 1, protocol: 'TCP' },
        ],
      }),
      problem:
        'spec.ports[1]: Duplicate value: core.ServicePort{Name:"", Protocol:"TCP", AppProtocol:(*string)(nil), ' +
        'Port:1, TargetPort:intstr.IntOrString{Type:0, IntVal:0, StrVal:""}, NodePort:0}',
    },
    {
      name: 'node port control on another type',
      made: service({ allocateLoadBalancerNodePorts: true }),
      problem: "spec.allocateLoadBalancerNodePorts: Forbidden: may only be used when `type` is 'LoadBalancer'",
    },
    {
      name: 'health check port without its policy',
      made: service({ type: 'LoadBalancer', healthCheckNodePort: 30_000 }),
      problem:
        "spec.healthCheckNodePort: Invalid value: 30000: may only be set when `type` is 'LoadBalancer' and " +
        "`externalTrafficPolicy` is 'Local'",
    },
    {
      name: 'no health check port',
      made: service({ type: 'LoadBalancer', externalTrafficPolicy: 'Local' }),
      problem: 'spec.healthCheckNodePort: Required value',
    },
    {
      name: 'external traffic policy',
      made: service({ type: 'NodePort', externalTrafficPolicy: 'X' as never }),
      problem: 'spec.externalTrafficPolicy: Unsupported value: "X": supported values: "Cluster", "Local"',
    },
    {
      name: 'affinity without time',
      made: { ...service(), spec: { ...service().spec, sessionAffinity: 'ClientIP' } } as Service,
      problem: 'spec.sessionAffinityConfig: Required value: when session affinity type is ClientIP',
    },
    {
      name: 'link-local external address',
      made: service({ externalIPs: ['169.254.1.1'] }),
      problem:
        'spec.externalIPs[0]: Invalid value: "169.254.1.1": may not be in the link-local range ' +
        '(169.254.0.0/16, fe80::/10)',
    },
    {
      name: 'application protocol',
      made: service({ ports: [{ port: 80, appProtocol: 'a b' }] }),
      problem:
        'spec.ports[0].appProtocol: Invalid value: "a b": name part must consist of alphanumeric characters, ' +
        "'-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name', " +
        " or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    },
    {
      name: 'clusterIPs without clusterIP',
      made: service({ clusterIP: undefined }),
      problem: 'spec.clusterIPs: Invalid value: []string{"10.0.0.7"}: must be empty when `clusterIP` is not specified',
    },
    {
      name: 'clusterIP without clusterIPs',
      made: service({ clusterIPs: undefined }),
      problem: 'spec.clusterIPs: Required value',
    },
    {
      name: 'a bad cluster IP',
      made: service({ clusterIP: 'x', clusterIPs: ['x'] }),
      problem: 'spec.clusterIPs[0]: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    },
  ])('A service is refused: $name', ({ made, problem }) =>
    expect(validateService(made).map(fieldErrorText)).toEqual([problem]),
  );
});

describe('changes of services', () => {
  const local = { type: 'LoadBalancer', externalTrafficPolicy: 'Local', healthCheckNodePort: 30_000 } as const;
  const dual = {
    clusterIPs: ['10.0.0.7', 'fd00::7'],
    ipFamilies: ['IPv4', 'IPv6'],
    ipFamilyPolicy: 'RequireDualStack',
  } satisfies Partial<ServiceSpec>;
  test.each([
    { name: 'nothing', from: service(), to: service(), problems: [] },
    {
      name: 'from an external name',
      from: service(externalName),
      to: service({ clusterIP: '10.0.0.9', clusterIPs: ['10.0.0.9'] }),
      problems: [],
    },
    {
      name: 'another address',
      from: service(),
      to: service({ clusterIP: '10.0.0.9', clusterIPs: ['10.0.0.9'] }),
      problems: ['spec.clusterIPs[0]: Invalid value: []string{"10.0.0.9"}: may not change once set'],
    },
    { name: 'a second address', from: service(), to: service(dual), problems: [] },
    { name: 'the second address goes', from: service(dual), to: service(), problems: [] },
    {
      name: 'the second address goes without the policy',
      from: service(dual),
      to: service({ ipFamilyPolicy: 'PreferDualStack' }),
      problems: [
        'spec.ipFamilyPolicy: Invalid value: "PreferDualStack": must be set to \'SingleStack\' when releasing ' +
          'the secondary clusterIP',
        'spec.ipFamilyPolicy: Invalid value: "PreferDualStack": must be set to \'SingleStack\' when releasing ' +
          'the secondary ipFamily',
      ],
    },
    {
      name: 'no address',
      from: service(),
      to: service({ clusterIP: undefined, clusterIPs: undefined, ipFamilies: undefined }),
      problems: [
        'spec.clusterIPs[0]: Invalid value: []string(nil): primary clusterIP can not be unset',
        'spec.ipFamilies[0]: Invalid value: []core.IPFamily(nil): primary ipFamily can not be unset',
      ],
    },
    {
      name: 'health check port',
      from: service(local),
      to: service({ ...local, healthCheckNodePort: 30_001 }),
      problems: ['spec.healthCheckNodePort: Forbidden: field is immutable'],
    },
    {
      name: 'load balancer class',
      from: service({ type: 'LoadBalancer', loadBalancerClass: 'a.b/c' }),
      to: service({ type: 'LoadBalancer' }),
      problems: ['spec.loadBalancerClass: Invalid value: "null": may not change once set'],
    },
    {
      name: 'load balancer class with the type',
      from: service(),
      to: service({ type: 'LoadBalancer', loadBalancerClass: 'a.b/c' }),
      problems: [],
    },
  ] satisfies { name: string; from: Service; to: Service; problems: string[] }[])(
    'A change of a service: $name',
    ({ from, to, problems }) => expect(validateServiceUpdate(to, from).map(fieldErrorText)).toEqual(problems),
  );
});

describe('status of services', () => {
  const withIngress = (ingress: NonNullable<Service['status']['loadBalancer']['ingress']>): Service => ({
    ...service({ type: 'LoadBalancer' }),
    status: { loadBalancer: { ingress } },
  });
  test.each([
    {
      name: 'an address without its mode',
      ingress: [{ ip: '1.2.3.4' }],
      problem: 'status.loadBalancer.ingress[0].ipMode: Required value: must be specified when `ip` is set',
    },
    {
      name: 'a bad address',
      ingress: [{ ip: 'x', ipMode: 'VIP' }],
      problem:
        'status.loadBalancer.ingress[0].ip: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 ' +
        'or 2001:db8::ffff)',
    },
    {
      name: 'an address as host name',
      ingress: [{ hostname: '1.2.3.4' }],
      problem:
        'status.loadBalancer.ingress[0].hostname: Invalid value: "1.2.3.4": must be a DNS name, not an IP address',
    },
  ])('The status of a service is refused: $name', ({ ingress, problem }) =>
    expect(
      validateServiceStatusUpdate(withIngress(ingress), service({ type: 'LoadBalancer' })).map(fieldErrorText),
    ).toEqual([problem]),
  );
});

describe('warnings about services', () => {
  test.each([
    { name: 'none', made: service(), warnings: [] },
    {
      name: 'the old annotation',
      made: service({}, annotated({ 'service.kubernetes.io/topology-aware-hints': 'auto' })),
      warnings: [
        'annotation service.kubernetes.io/topology-aware-hints is deprecated, please use ' +
          'service.kubernetes.io/topology-mode instead',
      ],
    },
    {
      name: 'addresses of external names',
      made: service({ ...externalName, externalIPs: ['1.2.3.4'] }),
      warnings: ['spec.externalIPs is ignored when spec.type is "ExternalName"'],
    },
    {
      name: 'a name of another type',
      made: service({ externalName: 'a.b' }),
      warnings: ['spec.externalName is ignored when spec.type is not "ExternalName"'],
    },
    {
      name: 'leading zeros',
      made: service({ clusterIP: '10.0.0.07', clusterIPs: ['10.0.0.07'] }),
      warnings: [
        'spec.clusterIPs[0]: IP address was accepted, but will be invalid in a future Kubernetes release: ' +
          'ParseAddr("10.0.0.07"): IPv4 field has octet with leading zero',
      ],
    },
  ])('Warnings about services: $name', ({ made, warnings }) => expect([...serviceWarnings(made)]).toEqual(warnings));
});
