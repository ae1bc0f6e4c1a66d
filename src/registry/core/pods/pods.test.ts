import { describe, expect, it, test } from 'vitest';
import { KindRules } from '../../../../test/support/kind-rules.ts';
import type { Pod } from '../../../api/gen/types/core-v1.ts';
import { refusals } from './testing/refused-pods.ts';
import { pods, pod, withContainer, type Json, withVolume } from './testing/pods.ts';

const errorsOf = (json: Json): readonly string[] => pods.create(json).errors;

describe('a new pod', () => {
  it('A new pod is pending, whatever its status says', () => {
    expect(pods.create({ ...pod(), status: { phase: 'Running', podIP: '10.0.0.1' } }).object.status).toEqual({
      phase: 'Pending',
      qosClass: 'BestEffort',
    });
  });

  it('A new pod as a whole asks for what its containers do, or for its limit', () => {
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

  it('A new pod waits at its gates', () => {
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

  it('A new pod takes label keys over into the selectors of its affinity', () => {
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

  it.each(refusals)('A new pod is refused $name', ({ json, errors }) => {
    expect(errorsOf(json)).toEqual(errors);
  });

  it('A new pod may not be privileged where the server forbids it', () => {
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
  ])('A new pod is warned about: $name', ({ json, warnings }) => {
    const written = pods.create(json);
    expect({ errors: written.errors, warnings: written.warnings }).toEqual({ errors: [], warnings });
  });
});

describe('AppArmor of a new pod', () => {
  const key = 'container.apparmor.security.beta.kubernetes.io/';
  const container = (name: string, appArmorProfile?: Json): Json => ({
    name,
    image: 'i',
    ...(appArmorProfile === undefined ? {} : { securityContext: { appArmorProfile } }),
  });

  test.each<{ name: string; spec: Json; annotations: Json | undefined }>([
    {
      name: 'of a container',
      spec: {
        containers: [
          container('a', { type: 'RuntimeDefault' }),
          container('b', { type: 'Localhost', localhostProfile: 'p' }),
          container('c'),
        ],
      },
      annotations: { [`${key}a`]: 'runtime/default', [`${key}b`]: 'localhost/p' },
    },
    {
      name: 'of the pod, where a container has none',
      spec: {
        securityContext: { appArmorProfile: { type: 'Unconfined' } },
        initContainers: [container('i')],
        containers: [container('a', { type: 'RuntimeDefault' })],
      },
      annotations: { [`${key}a`]: 'runtime/default', [`${key}i`]: 'unconfined' },
    },
    { name: 'nowhere', spec: { containers: [container('a')] }, annotations: undefined },
  ])('The field becomes the annotation that older nodes know: $name', ({ spec, annotations }) => {
    const written = pods.create({ metadata: { name: 'p', namespace: 'x' }, spec });
    expect({ errors: written.errors, warnings: written.warnings }).toEqual({ errors: [], warnings: [] });
    expect(written.object.metadata.annotations).toEqual(annotations);
  });
});
