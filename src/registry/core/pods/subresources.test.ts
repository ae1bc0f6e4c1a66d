import { describe, expect, it } from 'vitest';
import { KindRules, testNow } from '../../../../test/support/kind-rules.ts';
import { bindingConflict, bindPod, setPodCondition, validatePodBinding } from '../../../api/core/pods/binding.ts';
import type { Binding, EphemeralContainer, Pod } from '../../../api/gen/types/core-v1.ts';
import type { StrategyContext } from '../../strategy.ts';
import { ephemeralContainersStrategy, podStatusStrategy, resizeStrategy } from './strategy.ts';

type Json = Record<string, unknown>;

const pods = new KindRules<Pod>('v1', 'pods', { gates: { InPlacePodVerticalScaling: true } });
const app = { name: 'app', image: 'nginx' };
const pod = (spec: Json = {}, rest: Json = {}): Json => ({
  metadata: { name: 'web' },
  spec: { containers: [app], ...spec },
  ...rest,
});

describe('the status of a pod', () => {
  it('The status of a pod is all of the object that the write changes, but for labels and annotations', () => {
    const { object, errors } = pods.edit(
      pod(),
      (read) => {
        read.metadata.labels = { a: 'b' };
        read.spec.containers![0]!.image = 'other';
        read.status = { phase: 'Running', podIP: '10.0.0.1' };
      },
      'status',
    );
    expect(errors).toEqual([]);
    expect(object.metadata.labels).toEqual({ a: 'b' });
    expect(object.spec.containers![0]!.image).toBe('nginx');
    expect(object.status).toEqual({
      phase: 'Running',
      podIP: '10.0.0.1',
      podIPs: [{ ip: '10.0.0.1' }],
      qosClass: 'BestEffort',
    });
  });

  const report = (status: Json, before: Json = {}, spec: Json = {}): readonly string[] =>
    pods.edit(
      pod(spec, { status: { phase: 'Running', ...before } }),
      (read) => void Object.assign(read, { status: { phase: 'Running', ...status } }),
      'status',
    ).errors;
  const ended = (name: string, exitCode: number): Json => ({ name, state: { terminated: { exitCode } } });
  const running = (name: string): Json => ({ name, state: { running: {} } });

  it.each([
    { name: 'two families of addresses', status: { podIPs: [{ ip: '10.0.0.1' }, { ip: 'fd00::1' }] } },
    {
      name: 'a container that failed running again',
      spec: { restartPolicy: 'OnFailure' },
      before: { containerStatuses: [ended('app', 1)] },
      status: { containerStatuses: [running('app')] },
    },
    {
      name: 'a sidecar running again',
      spec: { restartPolicy: 'Never', initContainers: [{ ...app, name: 'side', restartPolicy: 'Always' }] },
      before: { initContainerStatuses: [ended('side', 0)] },
      status: { initContainerStatuses: [running('side')] },
    },
    { name: "conditions of one's own", status: { conditions: [{ type: 'example.com/ready', status: 'True' }] } },
  ])('The status of a pod may be $name', ({ status, before, spec }) => {
    expect(report(status, before, spec)).toEqual([]);
  });

  it.each([
    {
      name: 'an address twice',
      status: { podIPs: [{ ip: '10.0.0.1' }, { ip: '10.0.0.1' }] },
      errors: [
        'status.podIPs: Invalid value: ' +
          '[]core.PodIP{core.PodIP{IP:"10.0.0.1"}, core.PodIP{IP:"10.0.0.1"}}: may specify no more ' +
          'than one IP for each IP family',
        'status.podIPs[1]: Duplicate value: core.PodIP{IP:"10.0.0.1"}',
      ],
    },
    {
      name: 'a host of other addresses',
      status: { hostIP: '10.0.0.1', hostIPs: [{ ip: '10.0.0.2' }] },
      errors: ['status.hostIPs[0].ip: Invalid value: "10.0.0.2": must be equal to `hostIP`'],
    },
    {
      name: 'another class',
      status: { qosClass: 'Guaranteed' },
      errors: ['status.qosClass: Invalid value: "Guaranteed": field is immutable'],
    },
    {
      name: 'a container that succeeded running again',
      spec: { restartPolicy: 'OnFailure' },
      before: { containerStatuses: [ended('app', 0)] },
      status: { containerStatuses: [running('app')] },
      errors: ['status.containerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state'],
    },
    {
      name: 'an init container running again',
      spec: { restartPolicy: 'Never', initContainers: [{ ...app, name: 'init' }] },
      before: { initContainerStatuses: [ended('init', 1)] },
      status: { initContainerStatuses: [running('init')] },
      errors: ['status.initContainerStatuses[0].state: Forbidden: may not be transitioned to non-terminated state'],
    },
    {
      name: 'nominated for no node',
      status: { nominatedNodeName: 'A' },
      errors: [expect.stringMatching(/^status\.nominatedNodeName: Invalid value: "A": a lowercase RFC 1123 subdomain/)],
    },
    {
      name: 'a condition without a name',
      status: { conditions: [{ type: 'a b', status: 'True' }] },
      errors: [expect.stringMatching(/^metadata\.conditions\[0\]\.Type: Invalid value: "a b": name part must consist/)],
    },
  ])('The status of a pod may not be $name', ({ status, before, spec, errors }) => {
    expect(report(status, before, spec)).toEqual(errors);
  });
});

describe('ephemeral containers of a pod', () => {
  const debug: EphemeralContainer = { name: 'debug', image: 'busybox', resources: {} };
  const add =
    (...containers: EphemeralContainer[]) =>
    ({ spec }: Pod): void =>
      void (spec.ephemeralContainers = [...(spec.ephemeralContainers ?? []), ...containers]);

  it('Ephemeral containers of a pod can be added, and nothing else with them', () => {
    const { object, errors } = pods.edit(
      pod(),
      (read) => {
        add(debug)(read);
        read.spec.containers![0]!.image = 'other';
        read.metadata.labels = { a: 'b' };
      },
      'ephemeralcontainers',
    );
    expect(errors).toEqual([]);
    expect(object.spec.ephemeralContainers).toEqual([
      {
        ...debug,
        terminationMessagePath: '/dev/termination-log',
        terminationMessagePolicy: 'File',
        imagePullPolicy: 'Always',
      },
    ]);
    expect(object.spec.containers![0]!.image).toBe('nginx');
    expect(object.metadata.labels).toBeUndefined();
  });

  it.each([
    {
      name: 'the name of a container',
      container: { ...debug, name: 'app' },
      errors: ['spec.ephemeralContainers[0].name: Duplicate value: "app"'],
    },
    {
      name: 'an unknown target',
      container: { ...debug, targetContainerName: 'x' },
      errors: ['spec.ephemeralContainers[0].targetContainerName: Not found: "x"'],
    },
    {
      name: 'ports',
      container: { ...debug, ports: [{ containerPort: 80 }] },
      errors: ['spec.ephemeralContainers[0].ports: Forbidden: cannot be set for an Ephemeral Container'],
    },
    {
      name: 'resources',
      container: { ...debug, resources: { limits: { cpu: '1' } } },
      errors: ['spec.ephemeralContainers[0].resources: Forbidden: cannot be set for an Ephemeral Container'],
    },
  ])('Ephemeral containers of a pod may not have $name', ({ container, errors }) => {
    expect(pods.edit(pod(), add(container), 'ephemeralcontainers').errors).toEqual(errors);
  });

  it('Ephemeral containers cannot be added to a pod that the node itself runs', () => {
    const { errors } = pods.edit(
      {
        ...pod(),
        metadata: { name: 'web', annotations: { 'kubernetes.io/config.mirror': 'x' } },
        spec: { containers: [app], nodeName: 'n' },
      },
      add(debug),
      'ephemeralcontainers',
    );
    expect(errors).toEqual([': Forbidden: static pods do not support ephemeral containers']);
  });
});

describe('the size of a pod', () => {
  const sized = pod({
    containers: [
      { ...app, resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { cpu: '1', memory: '64Mi' } } },
    ],
  });
  const requests =
    (amounts: Record<string, string>) =>
    ({ spec }: Pod): void =>
      void Object.assign(spec.containers![0]!.resources.requests!, amounts);

  it('The size of a pod can change, and nothing else with it', () => {
    const { object, errors } = pods.edit(
      sized,
      (read) => {
        requests({ cpu: '200m' })(read);
        read.spec.containers![0]!.image = 'other';
      },
      'resize',
    );
    expect(errors).toEqual([]);
    expect(object.spec.containers![0]!.resources.requests).toEqual({ cpu: '200m', memory: '64Mi' });
    expect(object.spec.containers![0]!.image).toBe('nginx');
    expect(object.metadata.generation).toBeUndefined();
  });

  it.each([
    {
      name: 'its class',
      edit: requests({ cpu: '1' }),
      errors: ['spec: Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing'],
    },
    {
      name: 'more than the limit',
      edit: requests({ cpu: '2' }),
      errors: [
        'spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1',
      ],
    },
    {
      name: 'other resources',
      edit: requests({ 'ephemeral-storage': '1Gi' }),
      errors: [expect.stringMatching(/^spec: Forbidden: only cpu and memory resources are mutable\n/)],
    },
    {
      name: 'the number of containers',
      edit: ({ spec }: Pod) => void spec.containers!.push({ ...spec.containers![0]!, name: 'b' }),
      errors: [expect.stringMatching(/^spec: Forbidden: only cpu and memory resources are mutable\n/)],
    },
  ])('The size of a pod may not change $name', ({ edit, errors }) => {
    expect(pods.edit(sized, edit, 'resize').errors).toEqual(errors);
  });

  it('The size of a pod on Windows stays', () => {
    expect(pods.edit(pod({ os: { name: 'windows' } }), () => undefined, 'resize').errors).toEqual([
      ': Forbidden: windows pods cannot be resized',
    ]);
  });
});

describe('giving a pod to a node', () => {
  const binding = (target: Json, metadata: Json = {}): Binding => ({ metadata, target }) as Binding;
  const stored = (spec: Json = {}, rest: Json = {}): Pod => pods.stored(pod(spec, rest)) as Pod;

  it.each([
    { name: 'a node', target: { kind: 'Node', name: 'n' }, errors: [] },
    { name: 'a node of no kind', target: { name: 'n' }, errors: [] },
    {
      name: 'something else',
      target: { kind: 'Pod', name: 'n' },
      errors: ['target.kind: Unsupported value: "Pod": supported values: "Node", "<empty>"'],
    },
    { name: 'nothing', target: {}, errors: ['target.name: Required value'] },
  ])('Binding a pod to a node: $name: $errors', ({ target, errors }) => {
    expect(validatePodBinding(binding(target)).map(({ field, body }) => `${field}: ${body}`)).toEqual(errors);
  });

  it.each([
    { name: 'one that is free', object: stored(), conflict: undefined },
    {
      name: 'one that has a node',
      object: stored({ nodeName: 'n' }),
      conflict: 'pod web is already assigned to node "n"',
    },
    {
      name: 'one at its gates',
      object: stored({ schedulingGates: [{ name: 'a' }] }),
      conflict: 'pod web has non-empty .spec.schedulingGates',
    },
    {
      name: 'one that is going',
      object: Object.assign(stored(), { metadata: { name: 'web', deletionTimestamp: '2026-01-01T00:00:00Z' } }) as Pod,
      conflict: 'pod web is being deleted, cannot be assigned to a host',
    },
  ])('Binding a pod to a node: $name: $conflict', ({ object, conflict }) => {
    expect(bindingConflict(object)).toBe(conflict);
  });

  it('The binding of a pod to a node sets the node, the annotations of the binding and the condition', () => {
    const object = stored();
    bindPod(object, binding({ name: 'n' }, { annotations: { a: 'b' } }), testNow);
    expect(object.spec.nodeName).toBe('n');
    expect({ ...object.metadata.annotations }).toEqual({ a: 'b' });
    expect(object.status.conditions).toEqual([
      { type: 'PodScheduled', status: 'True', lastTransitionTime: '2026-01-02T03:04:05Z' },
    ]);
  });

  it('The binding of a pod to a node keeps the time of a condition until its status changes', () => {
    const object = stored();
    const later = new Date(testNow.getTime() + 60_000);
    setPodCondition(object, { type: 'Ready', status: 'False', reason: 'A' }, testNow);
    setPodCondition(object, { type: 'Ready', status: 'False', reason: 'B' }, later);
    expect(object.status.conditions).toEqual([
      { type: 'Ready', status: 'False', reason: 'B', lastTransitionTime: '2026-01-02T03:04:05Z' },
    ]);
    setPodCondition(object, { type: 'Ready', status: 'True' }, later);
    expect(object.status.conditions).toEqual([
      { type: 'Ready', status: 'True', lastTransitionTime: '2026-01-02T03:05:05Z' },
    ]);
  });
});

const context: StrategyContext = {
  now: new Date(),
  user: { name: 'u', groups: [] },
  enabled: () => true,
  apiVersion: 'v1',
  allowPrivileged: true,
};
const entry = (manager: string) => ({ manager, operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1' });
const managedPod = (...managers: string[]): Pod => ({
  metadata: { name: 'p', managedFields: managers.map(entry) },
  spec: { containers: [{ name: 'c', image: 'i', resources: {} }] },
  status: { phase: 'Pending' },
});

describe('managed fields', () => {
  it.each([
    { name: 'stay as they were with ephemeral containers', strategy: ephemeralContainersStrategy, managers: ['first'] },
    { name: 'stay as they were with a resize', strategy: resizeStrategy, managers: ['first'] },
    { name: 'change with the status', strategy: podStatusStrategy, managers: ['first', 'second'] },
  ])('Managed fields of pod subresources: $name', ({ strategy, managers }) => {
    const changed = managedPod('first', 'second');
    strategy.prepareForUpdate!(changed, managedPod('first'), context);
    expect(changed.metadata.managedFields!.map(({ manager }) => manager)).toEqual(managers);
  });
});
