/** Pods that are refused, and the errors. */
import { expect } from 'vitest';
import { app, pod, withContainer, withVolume, type Json } from './pods.ts';

export const refusals: readonly { name: string; json: Json; errors: readonly string[] }[] = [
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
    errors: ['spec.containers[0].env[0].valueFrom: Invalid value: "": may not be specified when `value` is not empty'],
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
    errors: ['spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1'],
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
      'spec.containers[0].resources.limits[a.com/gpu]: Invalid value: ' +
        'resource.Quantity{i:resource.int64Amount{value:1500, scale:-3}, ' +
        'd:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, s:"1500m", Format:"DecimalSI"}: must be an integer',
      'spec.containers[0].resources.requests[a.com/gpu]: Invalid value: ' +
        'resource.Quantity{i:resource.int64Amount{value:1500, scale:-3}, ' +
        'd:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, s:"1500m", Format:"DecimalSI"}: ' +
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
        'core.SecurityContext{Capabilities:(*core.Capabilities)(nil), Privileged:(*bool)(0xc000000000), ' +
        'SELinuxOptions:(*core.SELinuxOptions)(nil), WindowsOptions:(*core.WindowsSecurityContextOptions)(nil), ' +
        'RunAsUser:(*int64)(nil), RunAsGroup:(*int64)(nil), RunAsNonRoot:(*bool)(nil), ' +
        'ReadOnlyRootFilesystem:(*bool)(nil), AllowPrivilegeEscalation:(*bool)(0xc000000000), ' +
        'ProcMount:(*core.ProcMountType)(nil), SeccompProfile:(*core.SeccompProfile)(nil), ' +
        'AppArmorProfile:(*core.AppArmorProfile)(nil)}: cannot set ' +
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
        'core.Toleration{Key:"a", Operator:"Exists", Value:"b", Effect:"", TolerationSeconds:(*int64)(nil)}: ' +
        "value must be empty when `operator` is 'Exists'",
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
