/**
 * Pod Security admission.
 *
 * One file because standards, labels, metrics and configuration are judged by the same pods and namespaces.
 */
import { describe, expect, it } from 'vitest';
import type { Namespace, Pod } from '../../api/gen/types/core-v1.ts';
import { allMetrics, MetricRegistry } from '../../server/metrics/metric-registry.ts';
import { createPodSecurity } from './pod-security.ts';
import { createPodSecurityMetrics } from './pod-security/metrics.ts';
import { detailsText, evaluatePod } from './pod-security/evaluate.ts';
import { type Level, type LevelVersion, noDefaults, policyOf } from './pod-security/policy.ts';
import type { AdmissionAttributes } from '../../registry/admission.ts';
import { attributesFor, objectsOf } from './testing/attributes.ts';

const labels = (values: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [`pod-security.kubernetes.io/${key}`, value]));

const namespace = (values: Record<string, string>): Namespace =>
  ({ metadata: { name: 'team', labels: labels(values) } }) as Namespace;

const pod = (spec: object = {}, name = 'p'): Pod =>
  ({
    metadata: { name, namespace: 'team' },
    spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
    status: {},
  }) as unknown as Pod;

const strict = {
  securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  containers: [
    { name: 'c', image: 'i', securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } } },
  ],
};

describe('Pod Security Standards', () => {
  it.each([
    { name: 'a plain pod at baseline', level: 'baseline', spec: {}, details: '' },
    { name: 'a hardened pod at restricted', level: 'restricted', spec: strict, details: '' },
    {
      name: 'a plain pod at restricted',
      level: 'restricted',
      spec: {},
      details:
        'allowPrivilegeEscalation != false (container "c" must set ' +
        'securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "c" must set ' +
        'securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (pod or container "c" must set ' +
        'securityContext.runAsNonRoot=true), seccompProfile (pod or container "c" must set ' +
        'securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
    },
    {
      name: 'host namespaces',
      level: 'baseline',
      spec: { hostNetwork: true, hostIPC: true },
      details: 'host namespaces (hostNetwork=true, hostIPC=true)',
    },
    {
      name: 'host paths',
      level: 'baseline',
      spec: {
        volumes: [
          { name: 'a', hostPath: { path: '/' } },
          { name: 'b', hostPath: { path: '/' } },
        ],
      },
      details: 'hostPath volumes (volumes "a", "b")',
    },
    {
      name: 'host ports',
      level: 'baseline',
      spec: { containers: [{ name: 'a', ports: [{ hostPort: 80 }, { hostPort: 443 }] }] },
      details: 'hostPort (container "a" uses hostPorts 443, 80)',
    },
    {
      name: 'capabilities',
      level: 'baseline',
      spec: { containers: [{ name: 'a', securityContext: { capabilities: { add: ['SYS_ADMIN', 'CHOWN'] } } }] },
      details:
        'non-default capabilities (container "a" must not include "SYS_ADMIN" in securityContext.capabilities.add)',
    },
    {
      name: 'sysctls that are only allowed later',
      level: 'baseline',
      version: 'v1.26',
      spec: { securityContext: { sysctls: [{ name: 'net.ipv4.tcp_rmem' }] } },
      details: 'forbidden sysctls (net.ipv4.tcp_rmem)',
    },
    {
      name: 'sysctls that are allowed by now',
      level: 'baseline',
      spec: { securityContext: { sysctls: [{ name: 'net.ipv4.tcp_rmem' }] } },
      details: '',
    },
    {
      name: 'a restricted volume instead of a host path',
      level: 'restricted',
      spec: { ...strict, volumes: [{ name: 'v', hostPath: { path: '/' } }] },
      details: 'restricted volume types (volume "v" uses restricted volume type "hostPath")',
    },
    {
      name: 'SELinux options of pod and container',
      level: 'baseline',
      spec: {
        securityContext: { seLinuxOptions: { type: 'x' } },
        containers: [{ name: 'a', securityContext: { seLinuxOptions: { user: 'u' } } }],
      },
      details:
        'seLinuxOptions (pod and container "a" set forbidden securityContext.seLinuxOptions: type "x"; ' +
        'user may not be set)',
    },
    {
      name: 'Windows pods that need no Linux settings',
      level: 'restricted',
      spec: { os: { name: 'windows' }, securityContext: { runAsNonRoot: true } },
      details: '',
    },
  ])('Pod Security Standards evaluate $name', ({ level, version, spec, details }) => {
    const { enforce } = policyOf(
      labels({ enforce: level, ...(version === undefined ? {} : { 'enforce-version': version }) }),
    );
    expect(detailsText(evaluatePod(enforce, pod(spec)))).toBe(details);
  });
});

describe('labels of a namespace', () => {
  it.each([
    {
      name: 'enforced levels are warned about',
      given: { enforce: 'baseline', 'enforce-version': 'v1.20' },
      enforce: { level: 'baseline', version: 20 },
      warn: { level: 'baseline', version: 20 },
    },
    {
      name: 'a warn label stands for itself',
      given: { enforce: 'restricted', warn: 'baseline' },
      enforce: { level: 'restricted', version: 'latest' },
      warn: { level: 'baseline', version: 'latest' },
    },
    {
      name: 'an enforced level that cannot be read is the strictest',
      given: { enforce: 'loose' },
      enforce: { level: 'restricted', version: 'latest' },
      warn: { level: 'privileged', version: 'latest' },
    },
  ])('Labels of a namespace: $name', ({ given, enforce, warn }) => {
    expect(policyOf(labels(given as unknown as Record<string, string>))).toMatchObject({ enforce, warn });
  });
});

describe('PodSecurity admission', () => {
  it('PodSecurity admission refuses what the namespace enforces', async () => {
    const plugin = createPodSecurity({ objects: objectsOf({ '/namespaces': [namespace({ enforce: 'baseline' })] }) });
    await expect(plugin.validate!(attributesFor('pods', pod({ hostNetwork: true })))).rejects.toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message: 'pods "p" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostNetwork=true)',
    });
  });

  it('PodSecurity admission warns about what the namespace would like', async () => {
    const attributes = attributesFor('pods', pod({ hostNetwork: true }));
    await createPodSecurity({ objects: objectsOf({ '/namespaces': [namespace({ warn: 'baseline' })] }) }).validate!(
      attributes,
    );
    expect(attributes.warnings).toEqual([
      'would violate PodSecurity "baseline:latest": host namespaces (hostNetwork=true)',
    ]);
  });

  it('PodSecurity admission lets a pod that is there change what the standards are not about', async () => {
    const plugin = createPodSecurity({ objects: objectsOf({ '/namespaces': [namespace({ enforce: 'baseline' })] }) });
    const object = pod({ hostNetwork: true });
    await expect(
      plugin.validate!(attributesFor('pods', object, { operation: 'UPDATE', oldObject: object })),
    ).resolves.toBeUndefined();
  });

  it.each([
    {
      name: 'what is enforced',
      labelled: { enforce: 'baseline', 'enforce-version': 'v1.30' },
      annotations: { 'enforce-policy': 'baseline:v1.30' },
    },
    {
      name: 'what the namespace wants to know',
      labelled: { audit: 'restricted', 'audit-version': 'v1.0' },
      annotations: {
        'enforce-policy': 'privileged:latest',
        'audit-violations': expect.stringMatching(
          /^would violate PodSecurity "restricted:v1\.0": runAsNonRoot != true/,
        ) as string,
      },
    },
    { name: 'that nothing is asked for', labelled: {}, annotations: { 'enforce-policy': 'privileged:latest' } },
    {
      name: 'labels that cannot be read',
      labelled: { warn: 'loose' },
      annotations: {
        'enforce-policy': 'privileged:latest',
        error:
          'Failed to parse policy: metadata.labels[pod-security.kubernetes.io/warn]: Invalid value: "loose": ' +
          'must be one of privileged, baseline, restricted',
      },
    },
  ])('Notes $name for the audit log', async ({ labelled, annotations }) => {
    const attributes = attributesFor('pods', pod());
    await createPodSecurity({
      objects: objectsOf({ '/namespaces': [namespace(labelled as unknown as Record<string, string>)] }),
    }).validate!(attributes);
    expect(attributes.annotations).toEqual(labels(annotations as unknown as Record<string, string>));
  });

  it('PodSecurity admission notes what is refused as well, and of templates only the violations', async () => {
    const plugin = createPodSecurity({
      objects: objectsOf({ '/namespaces': [namespace({ enforce: 'baseline', audit: 'baseline' })] }),
    });
    const refused = attributesFor('pods', pod({ hostNetwork: true }));
    await expect(plugin.validate!(refused)).rejects.toMatchObject({ code: 403 });
    const violations = {
      'audit-violations': 'would violate PodSecurity "baseline:latest": host namespaces (hostNetwork=true)',
    };
    expect(refused.annotations).toEqual(labels({ 'enforce-policy': 'baseline:latest', ...violations }));
    const template = attributesFor(
      'pods',
      { metadata: { name: 'd' }, spec: { template: pod({ hostNetwork: true }) } } as unknown as Pod,
      { resource: { group: 'apps', version: 'v1', resource: 'deployments' } },
    );
    await plugin.validate!(template);
    expect(template.annotations).toEqual(labels(violations));
  });

  it('PodSecurity admission refuses labels that cannot be read', () => {
    const attributes = attributesFor('namespaces', namespace({ enforce: 'loose' }), { name: 'team' });
    expect(() => createPodSecurity({ objects: objectsOf({}) }).validate!(attributes)).toThrow(
      'Namespace "team" is invalid: metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: ' +
        '"loose": must be one of privileged, baseline, restricted',
    );
  });

  it('PodSecurity admission warns a client that makes a namespace stricter which pods would be refused', async () => {
    const pods = [pod({ hostNetwork: true }, 'b'), pod({ hostNetwork: true }, 'a'), pod({}, 'fine')];
    const attributes = attributesFor('namespaces', namespace({ enforce: 'baseline' }), {
      operation: 'UPDATE',
      name: 'team',
      oldObject: namespace({}),
    });
    await createPodSecurity({ objects: objectsOf({ '/pods': pods }) }).validate!(attributes);
    expect(attributes.warnings).toEqual([
      'existing pods in namespace "team" violate the new PodSecurity enforce level "baseline:latest"',
      'a (and 1 other pod): host namespaces',
    ]);
  });
});

describe('metrics of PodSecurity', () => {
  const hostNetwork = { hostNetwork: true };
  const about = 'request_operation="create",resource="pod",subresource=""';
  const evaluated = (decision: string, policy: string, mode: string): string => {
    const [level, version] = policy.split(':');
    return (
      `pod_security_evaluations_total{decision="${decision}",policy_level="${level}",policy_version="${version}",` +
      `mode="${mode}",${about}} 1`
    );
  };
  const template = {
    object: { metadata: { name: 'd' }, spec: { template: pod(hostNetwork) } },
    request: { resource: { group: 'apps', version: 'v1', resource: 'deployments' } },
  };

  interface Counted {
    readonly name: string;
    readonly labelled?: object;
    readonly spec?: object;
    readonly object?: object;
    readonly request?: Partial<AdmissionAttributes>;
    readonly exempt?: boolean;
    readonly lines: readonly string[];
  }

  it.each<Counted>([
    { name: 'A pod to which nothing applies', lines: [evaluated('allow', 'privileged:latest', 'enforce')] },
    {
      name: 'A pod that is refused and audited',
      labelled: { enforce: 'baseline', 'enforce-version': 'v1.20', audit: 'baseline', 'audit-version': 'v1.99' },
      spec: hostNetwork,
      lines: [evaluated('deny', 'baseline:v1.20', 'enforce'), evaluated('deny', 'baseline:future', 'audit')],
    },
    {
      name: 'A template that is warned about',
      labelled: { warn: 'baseline' },
      ...template,
      lines: [evaluated('deny', 'baseline:latest', 'warn').replace('"pod"', '"controller"')],
    },
    {
      name: 'A pod of a user that is exempt',
      exempt: true,
      spec: hostNetwork,
      lines: [`pod_security_exemptions_total{${about}} 1`],
    },
    {
      name: 'A pod in a namespace whose label cannot be read',
      labelled: { warn: 'loose' },
      lines: [
        evaluated('allow', 'privileged:latest', 'enforce'),
        `pod_security_errors_total{fatal="false",${about}} 1`,
      ],
    },
  ])('$name is counted', async ({ labelled = {}, spec, object, request, exempt, lines }) => {
    const registry = new MetricRegistry(allMetrics);
    const attributes = attributesFor('pods', (object as Pod | undefined) ?? pod(spec), request);
    const usernames = exempt === true ? [attributes.user.name] : [];
    const plugin = createPodSecurity({
      objects: objectsOf({ '/namespaces': [namespace(labelled as Record<string, string>)] }),
      configuration: { defaults: noDefaults, exemptions: { usernames, namespaces: [], runtimeClasses: [] } },
      observe: createPodSecurityMetrics(registry),
    });
    await Promise.resolve(plugin.validate!(attributes)).catch(() => undefined);
    const shown = (await registry.metrics()).split('\n').filter((line) => line.startsWith('pod_security_'));
    expect(shown).toEqual(lines);
  });
});

describe('the configuration of PodSecurity', () => {
  const level = (name: Level): LevelVersion => ({ level: name, version: 'latest' });
  const configuration = {
    defaults: { enforce: level('baseline'), audit: level('privileged'), warn: level('restricted') },
    exemptions: { usernames: ['root'], namespaces: ['exempt'], runtimeClasses: ['kata'] },
  };
  const objects = objectsOf({
    '/namespaces': [namespace({}), { metadata: { name: 'exempt' } }],
    '/pods': [pod({ hostNetwork: true, runtimeClassName: 'kata' })],
  });
  const plugin = createPodSecurity({ objects, configuration });

  it.each([
    { name: 'labels that say nothing', given: {}, expected: configuration.defaults },
    {
      name: 'a label that enforces something stricter than the default of warnings',
      given: { enforce: 'restricted' },
      defaults: { ...configuration.defaults, warn: level('baseline') },
      expected: { enforce: level('restricted'), audit: level('privileged'), warn: level('restricted') },
    },
    {
      name: 'a label that enforces something no stricter than the default of warnings',
      given: { enforce: 'baseline' },
      expected: configuration.defaults,
    },
    {
      name: 'a version alone',
      given: { 'enforce-version': 'v1.30' },
      expected: { ...configuration.defaults, enforce: { level: 'baseline', version: 30 } },
    },
  ])('Defaults of levels count for $name', ({ given, defaults = configuration.defaults, expected }) => {
    expect(policyOf(labels(given as Record<string, string>), defaults)).toEqual({ ...expected, errors: [] });
    expect(policyOf(undefined, defaults)).toEqual({ ...defaults, errors: [] });
  });

  it.each([
    { name: 'a namespace', more: { namespace: 'exempt' }, by: 'namespace' },
    { name: 'a user', more: { user: { name: 'root', groups: [] } }, by: 'user' },
    { name: 'a runtime class', more: {}, spec: { runtimeClassName: 'kata' }, by: 'runtimeClass' },
  ])('Pods of $name that is exempt are not judged, and the audit log says so', async ({ more, spec = {}, by }) => {
    const attributes = attributesFor('pods', pod({ hostNetwork: true, ...spec }), more);
    await plugin.validate!(attributes);
    expect(attributes.annotations).toEqual(labels({ exempt: by }));
    expect(attributes.warnings).toEqual([]);
  });

  it('Pods of other namespaces are judged by the defaults', async () => {
    const attributes = attributesFor('pods', pod({ hostNetwork: true }));
    await expect(plugin.validate!(attributes)).rejects.toThrow(
      'violates PodSecurity "baseline:latest": host namespaces',
    );
  });

  const exempt = (values: Record<string, string>): Namespace =>
    ({ metadata: { name: 'exempt', labels: labels(values) } }) as Namespace;

  it.each([
    { name: 'a new one', oldObject: undefined },
    { name: 'one that gets stricter', oldObject: exempt({}) },
  ])('Labels of an exempt namespace lead to a warning: $name', async ({ oldObject }) => {
    const attributes = attributesFor('namespaces', exempt({ enforce: 'restricted', warn: 'baseline' }), {
      name: 'exempt',
      ...(oldObject === undefined ? {} : { operation: 'UPDATE' as const, oldObject }),
    });
    await plugin.validate!(attributes);
    expect(attributes.warnings).toEqual([
      'namespace "exempt" is exempt from Pod Security, and the policy (enforce=restricted:latest, ' +
        'warn=baseline:latest) will be ignored',
    ]);
  });

  it.each([
    { name: 'asks for nothing', object: exempt({ enforce: 'privileged', warn: 'privileged' }) },
    { name: 'has the defaults', object: exempt({}) },
  ])('An exempt namespace that $name leads to no warning', async ({ object }) => {
    const attributes = attributesFor('namespaces', object, { name: 'exempt' });
    await plugin.validate!(attributes);
    expect(attributes.warnings).toEqual([]);
  });

  it('Existing pods of an exempt runtime class are not counted when a namespace gets stricter', async () => {
    const attributes = attributesFor('namespaces', namespace({ enforce: 'restricted' }), {
      operation: 'UPDATE',
      name: 'team',
      oldObject: namespace({}),
    });
    await plugin.validate!(attributes);
    expect(attributes.warnings).toEqual([]);
  });
});
