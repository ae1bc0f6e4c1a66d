import { describe, expect, it } from 'vitest';
import type { Namespace, Pod } from '../../api/gen/types/core-v1.ts';
import { createPodSecurity } from './pod-security.ts';
import { detailsText, evaluatePod } from './pod-security/evaluate.ts';
import { policyOf } from './pod-security/policy.ts';
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
