import { describe, expect, it } from 'vitest';
import { KindRules, testNow } from '../../../../test/support/kind-rules.ts';
import type { Pod } from '../../../api/gen/types/core-v1.ts';

const pods = new KindRules<Pod>('v1', 'pods');

type Json = Record<string, unknown>;

const app = { name: 'app', image: 'nginx' };
const pod = (spec: Json = {}, metadata: Json = {}): Json => ({
  metadata: { name: 'web', ...metadata },
  spec: { containers: [app], ...spec },
});
const withContainer = (container: Json, spec: Json = {}): Json =>
  pod({ containers: [{ ...app, ...container }], ...spec });
const withVolume = (volume: Json): Json => pod({ volumes: [{ name: 'v', ...volume }] });
const errorsOf = (json: Json): readonly string[] => pods.create(json).errors;

describe('defaults of a pod', () => {
  it('fill in how it is run', () => {
    expect(pods.create(pod()).object.spec).toEqual({
      containers: [
        {
          name: 'app',
          image: 'nginx',
          resources: {},
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'File',
          imagePullPolicy: 'Always',
        },
      ],
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      securityContext: {},
      schedulerName: 'default-scheduler',
      enableServiceLinks: true,
    });
  });

  it.each([
    { image: 'nginx', policy: 'Always' },
    { image: 'nginx:latest', policy: 'Always' },
    { image: 'nginx:1.27', policy: 'IfNotPresent' },
    { image: 'registry:5000/nginx', policy: 'Always' },
    { image: 'nginx@sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', policy: 'IfNotPresent' },
  ])('pull $image $policy', ({ image, policy }) => {
    expect(pods.create(withContainer({ image })).object.spec.containers![0]!.imagePullPolicy).toBe(policy);
  });

  it.each([
    {
      name: 'requests from limits',
      container: { resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '100m' } } },
      expected: { resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '100m', memory: '1Gi' } } },
    },
    {
      name: 'the rest of a probe',
      container: { livenessProbe: { httpGet: { port: 80 } } },
      expected: {
        livenessProbe: {
          httpGet: { path: '/', port: 80, scheme: 'HTTP' },
          timeoutSeconds: 1,
          periodSeconds: 10,
          successThreshold: 1,
          failureThreshold: 3,
        },
      },
    },
    {
      name: 'the protocol of ports',
      container: { ports: [{ containerPort: 80 }] },
      expected: { ports: [{ containerPort: 80, protocol: 'TCP' }] },
    },
    {
      name: 'the version of field references',
      container: { env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }] },
      expected: { env: [{ name: 'A', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } }] },
    },
  ])('fill in $name', ({ container, expected }) => {
    expect(pods.create(withContainer(container)).object.spec.containers![0]).toMatchObject(expected);
  });

  it.each([
    { name: 'nothing', volume: {}, expected: { emptyDir: {} } },
    {
      name: 'a secret',
      volume: { secret: { secretName: 's' } },
      expected: { secret: { secretName: 's', defaultMode: 420 } },
    },
    { name: 'a host path', volume: { hostPath: { path: '/a' } }, expected: { hostPath: { path: '/a', type: '' } } },
    {
      name: 'tokens',
      volume: { projected: { sources: [{ serviceAccountToken: { path: 't' } }] } },
      expected: {
        projected: { sources: [{ serviceAccountToken: { expirationSeconds: 3600, path: 't' } }], defaultMode: 420 },
      },
    },
    {
      name: 'an image',
      volume: { iscsi: { targetPortal: '10.0.0.1', iqn: 'iqn.2001-04.com.example:a', lun: 0 } },
      expected: {
        iscsi: { targetPortal: '10.0.0.1', iqn: 'iqn.2001-04.com.example:a', lun: 0, iscsiInterface: 'default' },
      },
    },
  ])('of a volume of $name', ({ volume, expected }) => {
    expect(pods.create(withVolume(volume)).object.spec.volumes).toEqual([{ name: 'v', ...expected }]);
  });

  it('open the ports of containers in the network of the host there', () => {
    expect(
      pods.create(withContainer({ ports: [{ containerPort: 80 }] }, { hostNetwork: true })).object.spec.containers![0]!
        .ports,
    ).toEqual([{ hostPort: 80, containerPort: 80, protocol: 'TCP' }]);
  });
});

describe('a new pod', () => {
  it('is pending, whatever its status says', () => {
    expect(pods.create({ ...pod(), status: { phase: 'Running', podIP: '10.0.0.1' } }).object.status).toEqual({
      phase: 'Pending',
      qosClass: 'BestEffort',
    });
  });

  it('as a whole asks for what its containers do, or for its limit', () => {
    const rules = new KindRules<Pod>('v1', 'pods', { gates: { PodLevelResources: true } });
    const { object } = rules.create(
      withContainer(
        { resources: { requests: { cpu: '100m' } } },
        { resources: { limits: { cpu: '1', memory: '1Gi' } } },
      ),
    );
    expect(object.spec.resources).toEqual({
      limits: { cpu: '1', memory: '1Gi' },
      requests: { cpu: '100m', memory: '1Gi' },
    });
  });

  it('waits at its gates', () => {
    const { status } = pods.create(pod({ schedulingGates: [{ name: 'a' }] })).object;
    expect(status.conditions).toEqual([
      {
        type: 'PodScheduled',
        status: 'False',
        reason: 'SchedulingGated',
        message: 'Scheduling is blocked due to non-empty scheduling gates',
        lastProbeTime: null,
        lastTransitionTime: '2026-01-02T03:04:05Z',
      },
    ]);
  });

  it('takes label keys over into the selectors of its affinity', () => {
    const term = {
      labelSelector: { matchLabels: { app: 'web' } },
      topologyKey: 'zone',
      matchLabelKeys: ['hash'],
      mismatchLabelKeys: ['tenant'],
    };
    const { object, errors } = pods.create(
      pod(
        { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } },
        { labels: { hash: 'h', tenant: 't' } },
      ),
    );
    expect(errors).toEqual([]);
    expect(
      object.spec.affinity!.podAffinity!.requiredDuringSchedulingIgnoredDuringExecution![0]!.labelSelector,
    ).toEqual({
      matchLabels: { app: 'web' },
      matchExpressions: [
        { key: 'hash', operator: 'In', values: ['h'] },
        { key: 'tenant', operator: 'NotIn', values: ['t'] },
      ],
    });
  });

  const refusals: readonly { name: string; json: Json; errors: readonly string[] }[] = [
    { name: 'without containers', json: pod({ containers: [] }), errors: ['spec.containers: Required value'] },
    {
      name: 'with two containers of one name',
      json: pod({ containers: [app, app] }),
      errors: ['spec.containers[1].name: Duplicate value: "app"'],
    },
    {
      name: 'with an image that has blanks',
      json: withContainer({ image: ' nginx' }),
      errors: ['spec.containers[0].image: Invalid value: " nginx": must not have leading or trailing whitespace'],
    },
    {
      name: 'with a port out of range',
      json: withContainer({ ports: [{ containerPort: 0 }, { containerPort: 70000 }] }),
      errors: [
        'spec.containers[0].ports[0].containerPort: Required value',
        'spec.containers[0].ports[1].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive',
      ],
    },
    {
      name: 'with two ports of one name',
      json: withContainer({
        ports: [
          { name: 'a', containerPort: 1 },
          { name: 'a', containerPort: 2 },
        ],
      }),
      errors: ['spec.containers[0].ports[1].name: Duplicate value: "a"'],
    },
    {
      name: 'with a port of the host twice',
      json: withContainer({
        ports: [
          { containerPort: 1, hostPort: 8 },
          { containerPort: 2, hostPort: 8 },
        ],
      }),
      errors: ['spec.containers[0].ports[1].hostPort: Duplicate value: "TCP//8"'],
    },
    {
      name: 'with a variable of no name',
      json: withContainer({ env: [{ value: 'a' }] }),
      errors: ['spec.containers[0].env[0].name: Required value'],
    },
    {
      name: 'with a variable of two sources',
      json: withContainer({ env: [{ name: 'A', value: 'a', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }] }),
      errors: [
        'spec.containers[0].env[0].valueFrom: Invalid value: "": may not be specified when `value` is not empty',
      ],
    },
    {
      name: 'with a field that variables cannot show',
      json: withContainer({ env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'spec.containers' } } }] }),
      errors: [
        'spec.containers[0].env[0].valueFrom.fieldRef.fieldPath: Invalid value: "spec.containers": error ' +
          'converting fieldPath: field label not supported: spec.containers',
      ],
    },
    {
      name: 'that requests more than its limit',
      json: withContainer({ resources: { limits: { cpu: '1' }, requests: { cpu: '2' } } }),
      errors: [
        'spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1',
      ],
    },
    {
      name: 'with an unknown resource',
      json: withContainer({ resources: { limits: { disk: '1' } } }),
      errors: [
        'spec.containers[0].resources.limits[disk]: Invalid value: disk: must be a standard resource type ' +
          'or fully qualified',
        'spec.containers[0].resources.limits[disk]: Invalid value: disk: must be a standard resource for containers',
        'spec.containers[0].resources.requests[disk]: Invalid value: disk: must be a standard resource type ' +
          'or fully qualified',
        'spec.containers[0].resources.requests[disk]: Invalid value: disk: must be a standard resource for containers',
      ],
    },
    {
      name: 'with half an extended resource',
      json: withContainer({ resources: { limits: { 'a.com/gpu': '1500m' }, requests: { 'a.com/gpu': '1500m' } } }),
      errors: [
        'spec.containers[0].resources.limits[a.com/gpu]: Invalid value: resource.Quantity{"1500m"}: must be an integer',
        'spec.containers[0].resources.requests[a.com/gpu]: Invalid value: resource.Quantity{"1500m"}: ' +
          'must be an integer',
      ],
    },
    {
      name: 'with huge pages alone',
      json: withContainer({ resources: { limits: { 'hugepages-2Mi': '2Mi' } } }),
      errors: ['spec.containers[0].resources: Forbidden: HugePages require cpu or memory'],
    },
    {
      name: 'that mounts what it does not have',
      json: withContainer({ volumeMounts: [{ name: 'x', mountPath: '/x' }] }),
      errors: ['spec.containers[0].volumeMounts[0].name: Not found: "x"'],
    },
    {
      name: 'that mounts twice in one place',
      json: withContainer(
        {
          volumeMounts: [
            { name: 'v', mountPath: '/x' },
            { name: 'v', mountPath: '/x' },
          ],
        },
        { volumes: [{ name: 'v' }] },
      ),
      errors: ['spec.containers[0].volumeMounts[1].mountPath: Invalid value: "/x": must be unique'],
    },
    {
      name: 'that leaves its volume',
      json: withContainer(
        { volumeMounts: [{ name: 'v', mountPath: '/x', subPath: '../y' }] },
        { volumes: [{ name: 'v' }] },
      ),
      errors: ['spec.containers[0].volumeMounts.subPath: Invalid value: "../y": must not contain \'..\''],
    },
    {
      name: 'with a probe of nothing',
      json: withContainer({ livenessProbe: {} }),
      errors: ['spec.containers[0].livenessProbe: Required value: must specify a handler type'],
    },
    {
      name: 'with a probe of two kinds',
      json: withContainer({ livenessProbe: { exec: { command: ['a'] }, tcpSocket: { port: 1 } } }),
      errors: ['spec.containers[0].livenessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type'],
    },
    {
      name: 'alive after two successes',
      json: withContainer({ livenessProbe: { exec: { command: ['a'] }, successThreshold: 2 } }),
      errors: ['spec.containers[0].livenessProbe.successThreshold: Invalid value: 2: must be 1'],
    },
    {
      name: 'that sleeps past its end',
      json: withContainer({ lifecycle: { preStop: { sleep: { seconds: 31 } } } }),
      errors: [
        'spec.containers[0].lifecycle.preStop.sleep: Invalid value: 31: must be greater than 0 and less than ' +
          'terminationGracePeriodSeconds (30). Enable AllowPodLifecycleSleepActionZeroValue feature gate for ' +
          'zero sleep.',
      ],
    },
    {
      name: 'privileged without being allowed to gain',
      json: withContainer({ securityContext: { privileged: true, allowPrivilegeEscalation: false } }),
      errors: [
        'spec.containers[0].securityContext: Invalid value: ' +
          'core.SecurityContext{"privileged":true,"allowPrivilegeEscalation":false}: cannot set ' +
          '`allowPrivilegeEscalation` to false and `privileged` to true',
      ],
    },
    {
      name: 'with an init container that has a probe',
      json: pod({ initContainers: [{ name: 'init', image: 'a', readinessProbe: { exec: { command: ['a'] } } }] }),
      errors: [
        'spec.initContainers[0].readinessProbe: Forbidden: may not be set for init containers without ' +
          'restartPolicy=Always',
      ],
    },
    {
      name: 'that names its place and has an unknown policy',
      json: pod({ restartPolicy: 'Sometimes', dnsPolicy: 'Maybe' }),
      errors: [
        'spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"',
        'spec.dnsPolicy: Unsupported value: "Maybe": supported values: "ClusterFirstWithHostNet", ' +
          '"ClusterFirst", "Default", "None"',
      ],
    },
    {
      name: 'with no DNS but its own',
      json: pod({ dnsPolicy: 'None' }),
      errors: ['spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None'],
    },
    {
      name: 'with too many DNS servers',
      json: pod({ dnsConfig: { nameservers: ['1.1.1.1', '1.1.1.2', '1.1.1.3', '1.1.1.x'] } }),
      errors: [
        'spec.dnsConfig.nameservers: Invalid value: []string{"1.1.1.1", "1.1.1.2", "1.1.1.3", "1.1.1.x"}: must ' +
          'not have more than 3 nameservers',
        'spec.dnsConfig.nameservers[3]: Invalid value: "1.1.1.x": must be a valid IP address, (e.g. 10.9.8.7 ' +
          'or 2001:db8::ffff)',
      ],
    },
    {
      name: 'with a deadline of nothing',
      json: pod({ activeDeadlineSeconds: 0 }),
      errors: ['spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive'],
    },
    {
      name: 'with a host name that is none',
      json: pod({ hostname: 'a.b', subdomain: '-' }),
      errors: [
        'spec.hostname: Invalid value: "a.b": must not contain dots',
        expect.stringMatching(/^spec\.subdomain: Invalid value: "-": a lowercase RFC 1123 label/) as unknown as string,
      ],
    },
    {
      name: 'whose tolerations contradict themselves',
      json: pod({
        tolerations: [
          { key: 'a', operator: 'Exists', value: 'b' },
          { operator: 'Equal', effect: 'NoSchedule' },
          { key: 'a', effect: 'NoSchedule', tolerationSeconds: 1 },
        ],
      }),
      errors: [
        'spec.tolerations[0].operator: Invalid value: ' +
          'core.Toleration{"key":"a","operator":"Exists","value":"b"}: value must be empty when `operator` is ' +
          "'Exists'",
        'spec.tolerations[1].operator: Invalid value: "Equal": operator must be Exists when `key` is empty, ' +
          'which means "match all values and all keys"',
        'spec.tolerations[2].effect: Invalid value: "NoSchedule": effect must be \'NoExecute\' when ' +
          '`tolerationSeconds` is set',
      ],
    },
    {
      name: 'spread over nothing',
      json: pod({ topologySpreadConstraints: [{ maxSkew: 0, whenUnsatisfiable: 'Never' }] }),
      errors: [
        'spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero',
        'spec.topologySpreadConstraints[0].topologyKey: Required value: can not be empty',
        'spec.topologySpreadConstraints[0].whenUnsatisfiable: Unsupported value: "Never": supported values: ' +
          '"DoNotSchedule", "ScheduleAnyway"',
      ],
    },
    {
      name: 'with node affinity to nothing',
      json: pod({
        affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } } },
      }),
      errors: [
        'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms: Required ' +
          'value: must have at least one node selector term',
      ],
    },
    {
      name: 'with affinity of no weight',
      json: pod({
        affinity: {
          podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 0, podAffinityTerm: {} }] },
        },
      }),
      errors: [
        'spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].weight: Invalid ' +
          'value: 0: must be in the range 1-100',
        'spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm' +
          '.topologyKey: Required value: can not be empty',
        expect.stringContaining(
          'podAffinityTerm.topologyKey: Invalid value: "": name part must be non-empty',
        ) as unknown as string,
        expect.stringContaining(
          'podAffinityTerm.topologyKey: Invalid value: "": name part must consist of',
        ) as unknown as string,
      ],
    },
    {
      name: 'that shares all processes and its own',
      json: pod({ hostPID: true, shareProcessNamespace: true }),
      errors: [
        'spec.securityContext.shareProcessNamespace: Invalid value: true: ShareProcessNamespace and HostPID ' +
          'cannot both be enabled',
      ],
    },
    {
      name: 'for Windows with what only Linux has',
      json: pod({ os: { name: 'windows' }, hostPID: true, securityContext: { fsGroup: 1 } }),
      errors: [
        'spec.hostPID: Forbidden: cannot be set for a windows pod',
        'spec.securityContext.fsGroup: Forbidden: cannot be set for a windows pod',
      ],
    },
    {
      name: 'bound at its gates',
      json: pod({ nodeName: 'n', schedulingGates: [{ name: 'a' }] }),
      errors: ['spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared'],
    },
    {
      name: 'with a container that was not there at first',
      json: pod({ ephemeralContainers: [{ name: 'debug', image: 'a' }] }),
      errors: ['spec.ephemeralContainers: Forbidden: cannot be set on create'],
    },
    {
      name: 'with a volume of two kinds',
      json: withVolume({ emptyDir: {}, hostPath: { path: '/a' } }),
      errors: ['spec.volumes[0].hostPath: Forbidden: may not specify more than 1 volume type'],
    },
    {
      name: 'with a volume outside its folder',
      json: withVolume({ configMap: { name: 'c', items: [{ key: 'a', path: '../b' }] } }),
      errors: ['spec.volumes[0].configMap.items[0].path: Invalid value: "../b": must not contain \'..\''],
    },
    {
      name: 'with a mode beyond bits',
      json: withVolume({ secret: { secretName: 's', defaultMode: 512 } }),
      errors: [
        'spec.volumes[0].secret.defaultMode: Invalid value: 512: must be a number between 0 and 0777 ' +
          '(octal), both inclusive',
      ],
    },
    {
      name: 'with a claim made for it that asks for nothing',
      json: withVolume({ ephemeral: { volumeClaimTemplate: { spec: {} } } }),
      errors: [
        'spec.volumes[0].ephemeral.volumeClaimTemplate.spec.accessModes: Required value: at least 1 ' +
          'access mode is required',
        'spec.volumes[0].ephemeral.volumeClaimTemplate.spec.resources[storage]: Required value',
      ],
    },
    {
      name: 'with secrets in one place',
      json: withVolume({
        projected: {
          sources: [
            { secret: { name: 'a', items: [{ key: 'k', path: 'p' }] } },
            { configMap: { name: 'b', items: [{ key: 'k', path: 'p' }] } },
          ],
        },
      }),
      errors: ['spec.volumes[0].projected: Invalid value: "b": conflicting duplicate paths'],
    },
  ];

  it.each(refusals)('is refused $name', ({ json, errors }) => {
    expect(errorsOf(json)).toEqual(errors);
  });

  it('may not be privileged where the server forbids it', () => {
    const strict = new KindRules<Pod>('v1', 'pods', { allowPrivileged: false });
    expect(strict.create(withContainer({ securityContext: { privileged: true } })).errors).toEqual([
      'spec.containers[0].securityContext.privileged: Forbidden: disallowed by cluster policy',
    ]);
  });

  it.each([
    {
      name: 'a variable defined twice',
      json: withContainer({
        env: [
          { name: 'A', value: '1' },
          { name: 'A', value: '2' },
        ],
      }),
      warnings: ['spec.containers[0].env[1]: hides previous definition of "A", which may be dropped when using apply'],
    },
    {
      name: 'a variable that adds to itself',
      json: withContainer({
        env: [
          { name: 'A', value: '1' },
          { name: 'A', value: '$(A):2' },
        ],
      }),
      warnings: [],
    },
    {
      name: 'a port defined twice',
      json: withContainer({ ports: [{ containerPort: 80 }, { containerPort: 80 }] }),
      warnings: ['spec.containers[0].ports[1]: duplicate port definition with spec.containers[0].ports[0]'],
    },
    {
      name: 'part of a byte',
      json: withContainer({ resources: { limits: { memory: '1500m' } } }),
      warnings: [
        'spec.containers[0].resources.limits[memory]: fractional byte value "1500m" is invalid, must be an integer',
        'spec.containers[0].resources.requests[memory]: fractional byte value "1500m" is invalid, must be an integer',
      ],
    },
    {
      name: 'a secret of no name',
      json: pod({ imagePullSecrets: [{ name: '' }, { name: 'a' }, { name: 'a' }] }),
      warnings: [
        'spec.imagePullSecrets[2].name: duplicate name "a"',
        'spec.imagePullSecrets[0].name: invalid empty name ""',
      ],
    },
    {
      name: 'a volume that nothing serves any more',
      json: withVolume({ gitRepo: { repository: 'r' } }),
      warnings: ['spec.volumes[0].gitRepo: deprecated in v1.11'],
    },
    {
      name: 'a name that is no host name',
      json: pod({}, { name: 'a.b' }),
      warnings: [
        "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS " +
          'label is recommended: [must not contain dots]',
      ],
    },
    {
      name: 'an annotation that was replaced',
      json: pod({}, { annotations: { 'container.apparmor.security.beta.kubernetes.io/app': 'runtime/default' } }),
      warnings: [
        'metadata.annotations[container.apparmor.security.beta.kubernetes.io/app]: deprecated since v1.30; use ' +
          'the "appArmorProfile" field instead',
      ],
    },
  ])('is warned about: $name', ({ json, warnings }) => {
    const written = pods.create(json);
    expect({ errors: written.errors, warnings: written.warnings }).toEqual({ errors: [], warnings });
  });
});

describe('fields behind feature gates', () => {
  it.each([
    {
      gate: 'UserNamespacesSupport',
      json: pod({ hostUsers: false }),
      read: ({ spec }: Pod) => spec.hostUsers,
      value: false,
    },
    {
      gate: 'PodLevelResources',
      json: pod({ resources: { limits: { cpu: '1' } } }),
      read: ({ spec }: Pod) => spec.resources,
      value: { limits: { cpu: '1' }, requests: { cpu: '1' } },
    },
    {
      gate: 'SupplementalGroupsPolicy',
      json: pod({ securityContext: { supplementalGroupsPolicy: 'Strict' } }),
      read: ({ spec }: Pod) => spec.securityContext?.supplementalGroupsPolicy,
      value: 'Strict',
    },
    {
      gate: 'InPlacePodVerticalScaling',
      json: withContainer({ resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }] }),
      read: ({ spec }: Pod) => spec.containers![0]!.resizePolicy,
      value: [{ resourceName: 'cpu', restartPolicy: 'NotRequired' }],
    },
    {
      gate: 'DynamicResourceAllocation',
      json: pod({ resourceClaims: [{ name: 'a', resourceClaimName: 'b' }] }),
      read: ({ spec }: Pod) => spec.resourceClaims,
      value: [{ name: 'a', resourceClaimName: 'b' }],
    },
    {
      gate: 'PodLifecycleSleepAction',
      json: withContainer({ lifecycle: { preStop: { sleep: { seconds: 5 } } } }),
      read: ({ spec }: Pod) => spec.containers![0]!.lifecycle?.preStop?.sleep,
      value: { seconds: 5 },
    },
    {
      gate: 'RecursiveReadOnlyMounts',
      json: withContainer(
        { volumeMounts: [{ name: 'v', mountPath: '/v', readOnly: true, recursiveReadOnly: 'IfPossible' }] },
        { volumes: [{ name: 'v' }] },
      ),
      read: ({ spec }: Pod) => spec.containers![0]!.volumeMounts![0]!.recursiveReadOnly,
      value: 'IfPossible',
    },
  ])('$gate: kept while it is on, dropped while it is off', ({ gate, json, read, value }) => {
    const on = new KindRules<Pod>('v1', 'pods', { gates: { [gate]: true } }).create(json);
    expect({ errors: on.errors, value: read(on.object) }).toEqual({ errors: [], value });
    const off = new KindRules<Pod>('v1', 'pods', { gates: { [gate]: false } }).create(json);
    expect({ errors: off.errors, value: read(off.object) }).toEqual({ errors: [], value: undefined });
  });
});

describe('an update of a pod', () => {
  it.each([
    { name: 'an image', edit: ({ spec }: Pod) => void (spec.containers![0]!.image = 'other') },
    { name: 'labels', edit: ({ metadata }: Pod) => void (metadata.labels = { a: 'b' }) },
    { name: 'a shorter deadline', edit: ({ spec }: Pod) => void (spec.activeDeadlineSeconds = 50) },
    {
      name: 'one more toleration',
      edit: ({ spec }: Pod) =>
        void (spec.tolerations = [...(spec.tolerations ?? []), { key: 'a', operator: 'Exists' }]),
    },
  ])('may change $name', ({ edit }) => {
    expect(pods.edit(pod({ activeDeadlineSeconds: 100 }), edit).errors).toEqual([]);
  });

  const fixed = /^spec: Forbidden: pod updates may not change fields other than `spec\.containers\[\*\]\.image`/;
  it.each([
    {
      name: 'commands',
      edit: ({ spec }: Pod) => void (spec.containers![0]!.command = ['a']),
      errors: [expect.stringMatching(fixed)],
    },
    {
      name: 'the number of containers',
      edit: ({ spec }: Pod) => void spec.containers!.push({ ...spec.containers![0]!, name: 'b' }),
      errors: ['spec.containers: Forbidden: pod updates may not add or remove containers'],
    },
    {
      name: 'a longer deadline',
      edit: ({ spec }: Pod) => void (spec.activeDeadlineSeconds = 200),
      errors: ['spec.activeDeadlineSeconds: Invalid value: 200: must be less than or equal to previous value'],
    },
    {
      name: 'fewer tolerations',
      edit: ({ spec }: Pod) => void (spec.tolerations = []),
      errors: [
        expect.stringMatching(
          /^spec\.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds/,
        ),
      ],
    },
    {
      name: 'gates',
      edit: ({ spec }: Pod) => void (spec.schedulingGates = [{ name: 'a' }]),
      errors: ["spec.schedulingGates[0].name: Forbidden: only deletion is allowed, but found new scheduling gate 'a'"],
    },
    {
      name: 'the uid',
      edit: ({ metadata }: Pod) => void (metadata.uid = 'other'),
      errors: Array<string>(2).fill('metadata.uid: Invalid value: "other": field is immutable'),
    },
  ])('may not change $name', ({ edit, errors }) => {
    expect(
      pods.edit(pod({ activeDeadlineSeconds: 100, tolerations: [{ key: 'x', operator: 'Exists' }] }), edit).errors,
    ).toEqual(errors);
  });

  const gated = pod({ schedulingGates: [{ name: 'a' }], nodeSelector: { a: 'b' } });
  it.each([
    { name: 'open its gates', edit: ({ spec }: Pod) => void (spec.schedulingGates = undefined), errors: [] },
    {
      name: 'narrow where it may run',
      edit: ({ spec }: Pod) => void (spec.nodeSelector = { a: 'b', c: 'd' }),
      errors: [],
    },
    {
      name: 'run elsewhere',
      edit: ({ spec }: Pod) => void (spec.nodeSelector = { a: 'c' }),
      errors: [
        expect.stringMatching(/^spec\.nodeSelector: Invalid value: .*only additions to spec\.nodeSelector are allowed/),
      ],
    },
  ])('of one at its gates: $name', ({ edit, errors }) => {
    expect(pods.edit(gated, edit).errors).toEqual(errors);
  });
});

describe('how long a deleted pod may take', () => {
  it.each([
    { name: 'one without a node', json: pod(), requested: undefined, seconds: 0 },
    { name: 'one with a node', json: pod({ nodeName: 'n' }), requested: undefined, seconds: 30 },
    { name: 'one with a node, asked for less', json: pod({ nodeName: 'n' }), requested: 5, seconds: 5 },
    { name: 'one with a node, asked for less than nothing', json: pod({ nodeName: 'n' }), requested: -5, seconds: 1 },
    {
      name: 'one that has failed',
      json: { ...pod({ nodeName: 'n' }), status: { phase: 'Failed' } },
      requested: undefined,
      seconds: 0,
    },
  ])('$name: $seconds s', ({ json, requested, seconds }) => {
    expect(pods.gracePeriodSeconds(json, requested)).toBe(seconds);
  });
});

describe('columns of a pod', () => {
  const running = {
    phase: 'Running',
    podIP: '10.0.0.1',
    podIPs: [{ ip: '10.0.0.1' }],
    startTime: testNow.toISOString().replace('.000', ''),
  };
  const status = (containerStatuses: Json[], rest: Json = {}): Json => ({
    ...pod({ nodeName: 'n' }),
    status: { ...running, containerStatuses, ...rest },
  });
  it.each([
    {
      name: 'new',
      json: { ...pod(), status: { phase: 'Pending' } },
      cells: ['web', '0/1', 'Pending', '0', '<unknown>', '<none>', '<none>', '<none>', '<none>'],
    },
    {
      name: 'running',
      json: status([{ name: 'app', ready: true, restartCount: 0, state: { running: {} } }]),
      cells: ['web', '1/1', 'Running', '0', '<unknown>', '10.0.0.1', 'n', '<none>', '<none>'],
    },
    {
      name: 'restarting',
      json: status([
        {
          name: 'app',
          ready: false,
          restartCount: 2,
          state: { waiting: { reason: 'CrashLoopBackOff' } },
          lastState: { terminated: { exitCode: 1, finishedAt: '2026-01-02T03:03:05Z' } },
        },
      ]),
      cells: ['web', '0/1', 'CrashLoopBackOff', '2 (60s ago)', '<unknown>', '10.0.0.1', 'n', '<none>', '<none>'],
    },
    {
      name: 'ended by a signal',
      json: status([
        { name: 'app', ready: false, restartCount: 0, state: { terminated: { exitCode: 137, signal: 9 } } },
      ]),
      cells: ['web', '0/1', 'Signal:9', '0', '<unknown>', '10.0.0.1', 'n', '<none>', '<none>'],
    },
    {
      name: 'evicted',
      json: status([], { phase: 'Failed', reason: 'Evicted' }),
      cells: ['web', '0/1', 'Evicted', '0', '<unknown>', '10.0.0.1', 'n', '<none>', '<none>'],
    },
    {
      name: 'going',
      json: { ...pod({}, { deletionTimestamp: '2026-01-02T03:04:05Z' }), status: { phase: 'Running' } },
      cells: ['web', '0/1', 'Terminating', '0', '<unknown>', '<none>', '<none>', '<none>', '<none>'],
    },
    {
      name: 'on a node that is lost',
      json: {
        ...pod({}, { deletionTimestamp: '2026-01-02T03:04:05Z' }),
        status: { phase: 'Running', reason: 'NodeLost' },
      },
      cells: ['web', '0/1', 'Unknown', '0', '<unknown>', '<none>', '<none>', '<none>', '<none>'],
    },
    {
      name: 'starting up',
      json: {
        ...pod({
          initContainers: [
            { name: 'a', image: 'i' },
            { name: 'b', image: 'i' },
          ],
        }),
        status: {
          phase: 'Pending',
          initContainerStatuses: [
            { name: 'a', state: { terminated: { exitCode: 0 } } },
            { name: 'b', state: { running: {} } },
          ],
        },
      },
      cells: ['web', '0/1', 'Init:1/2', '0', '<unknown>', '<none>', '<none>', '<none>', '<none>'],
    },
  ])('when $name', ({ json, cells }) => {
    expect(pods.cells(json)).toEqual(cells);
  });
});
