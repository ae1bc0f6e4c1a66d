import { describe, expect, it } from 'vitest';
import { KindRules } from '../../../test/support/kind-rules.ts';
import type {
  ControllerRevision,
  DaemonSet,
  Deployment,
  ReplicaSet,
  StatefulSet,
} from '../../api/gen/types/apps-v1.ts';
import type { ReplicationController } from '../../api/gen/types/core-v1.ts';
import { joined } from '../../../test/support/patterns.ts';

type Json = Record<string, unknown>;

const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'app', image: 'nginx' }] } };
const selector = { matchLabels: { app: 'web' } };
const workload = (spec: Json = {}, rest: Json = {}): Json => ({
  metadata: { name: 'web' },
  spec: { selector, template, ...spec },
  ...rest,
});

const deployments = new KindRules<Deployment>('apps/v1', 'deployments');
const replicaSets = new KindRules<ReplicaSet>('apps/v1', 'replicasets');
const statefulSets = new KindRules<StatefulSet>('apps/v1', 'statefulsets');
const daemonSets = new KindRules<DaemonSet>('apps/v1', 'daemonsets');
const revisions = new KindRules<ControllerRevision>('apps/v1', 'controllerrevisions');
const controllers = new KindRules<ReplicationController>('v1', 'replicationcontrollers');

describe('all workloads', () => {
  const kinds = [
    {
      kind: 'Deployment',
      rules: deployments as KindRules<{
        metadata: { generation?: unknown };
        spec: { template: unknown; minReadySeconds?: number };
        status: unknown;
      }>,
      named: 'deployment',
    },
    { kind: 'ReplicaSet', rules: replicaSets as never, named: 'deployment' },
    { kind: 'StatefulSet', rules: statefulSets as never, named: 'statefulset' },
    { kind: 'DaemonSet', rules: daemonSets as never, named: 'daemonset' },
  ] as const;

  it.each(kinds)('$kind: take a good object and drop its status', ({ rules }) => {
    const { object, errors, warnings } = rules.create({ ...workload(), status: { observedGeneration: 5 } });
    expect({ errors, warnings, generation: object.metadata.generation }).toEqual({
      errors: [],
      warnings: [],
      generation: 1,
    });
    expect((object.status as Json)['observedGeneration']).toBeUndefined();
  });

  it.each(kinds)('$kind: need a selector that is not empty', ({ rules, named }) => {
    expect(rules.create(workload({ selector: {} })).errors).toContainEqual(
      `spec.selector: Invalid value: v1.LabelSelector{}: empty selector is invalid for ${named}`,
    );
  });

  it.each(kinds)('$kind: need a selector that finds their pods', ({ rules }) => {
    expect(rules.create(workload({ selector: { matchLabels: { app: 'other' } } })).errors).toEqual([
      'spec.template.metadata.labels: Invalid value: map[string]string{"app":"web"}: `selector` does not ' +
        'match template `labels`',
    ]);
  });

  it.each(kinds)('$kind: run pods for ever', ({ rules }) => {
    const errors = rules.create(
      workload({
        template: { ...template, spec: { ...template.spec, restartPolicy: 'Never', activeDeadlineSeconds: 5 } },
      }),
    ).errors;
    expect(errors.filter((error) => error.startsWith('spec.template.spec'))).toEqual([
      'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
      expect.stringMatching(
        /^spec\.template\.spec\.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in \w+ is not Supported$/,
      ),
    ]);
  });

  it.each(kinds)('$kind: count changes of the spec', ({ rules }) => {
    expect(rules.edit(workload(), ({ spec }) => void (spec.minReadySeconds = 5)).object.metadata.generation).toBe(2);
    expect(
      rules.edit(workload(), ({ metadata }) => void Object.assign(metadata, { labels: { a: 'b' } })).object.metadata
        .generation,
    ).toBe(1);
  });

  it.each(kinds)('$kind: are warned about their pods, on an update only when it changes something', ({ rules }) => {
    const old = workload({
      template: { ...template, spec: { ...template.spec, nodeSelector: { 'beta.kubernetes.io/os': 'linux' } } },
    });
    const warning =
      'spec.template.spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead';
    expect(rules.create(old).warnings).toEqual([warning]);
    expect(rules.edit(old, () => undefined).warnings).toEqual([]);
    expect(rules.edit(old, ({ spec }) => void (spec.minReadySeconds = 5)).warnings).toEqual([warning]);
  });

  it.each(kinds)('$kind: have a status that only its own endpoint writes', ({ rules }) => {
    const edit = (read: { spec: { minReadySeconds?: number }; status: unknown }): void =>
      void Object.assign(read, { status: { observedGeneration: 3 }, spec: { ...read.spec, minReadySeconds: 9 } });
    const byMain = rules.edit(workload(), edit).object;
    expect((byMain.status as Json)['observedGeneration']).toBeUndefined();
    const byStatus = rules.edit(workload(), edit, 'status').object;
    expect((byStatus.status as Json)['observedGeneration']).toBe(3);
    expect(byStatus.spec.minReadySeconds).toBeUndefined();
  });
});

describe('a Deployment', () => {
  it('gets the defaults of apps/v1', () => {
    expect(deployments.create(workload()).object.spec).toMatchObject({
      replicas: 1,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
    });
  });

  it.each([
    {
      name: 'that recreates and rolls',
      spec: { strategy: { type: 'Recreate', rollingUpdate: {} } },
      errors: ["spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'"],
    },
    {
      name: 'that cannot go on',
      spec: { strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 0 } } },
      errors: [
        'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: intstr.IntOrString{0}: may not be 0 ' +
          'when `maxSurge` is 0',
      ],
    },
    {
      name: 'that takes away more than all',
      spec: { strategy: { rollingUpdate: { maxUnavailable: '101%' } } },
      errors: [
        'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: intstr.IntOrString{"101%"}: must not ' +
          'be greater than 100%',
      ],
    },
    {
      name: 'with a share that is none',
      spec: { strategy: { rollingUpdate: { maxSurge: 'a' } } },
      errors: [
        expect.stringMatching(
          joined(
            /^spec\.strategy\.rollingUpdate\.maxSurge: Invalid value: .*a valid percent string must be a numeric /,
            /string followed by an ending '%'/,
          ),
        ),
      ],
    },
    {
      name: 'that gives up before a pod is ready',
      spec: { minReadySeconds: 10, progressDeadlineSeconds: 10 },
      errors: ['spec.progressDeadlineSeconds: Invalid value: 10: must be greater than minReadySeconds'],
    },
  ])('is refused $name', ({ spec, errors }) => {
    expect(deployments.create(workload(spec)).errors).toEqual(errors);
  });

  it('refuses a change of its selector', () => {
    const { errors } = deployments.edit(
      workload({ template: { ...template, metadata: { labels: { app: 'web', tier: 'a' } } } }),
      ({ spec }) => void (spec.selector = { matchLabels: { tier: 'a' } }),
    );
    expect(errors).toEqual([
      'spec.selector: Invalid value: v1.LabelSelector{"matchLabels":{"tier":"a"}}: field is immutable',
    ]);
  });

  it('counts changes of annotations, which go on to its ReplicaSets', () => {
    expect(
      deployments.edit(workload(), ({ metadata }) => void (metadata.annotations = { a: 'b' })).object.metadata
        .generation,
    ).toBe(2);
  });

  it.each([
    {
      name: 'more ready than there are',
      status: { replicas: 1, readyReplicas: 2 },
      errors: ['status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas'],
    },
    {
      name: 'more available than ready',
      status: { replicas: 2, readyReplicas: 1, availableReplicas: 2 },
      errors: ['status.availableReplicas: Invalid value: 2: cannot be greater than readyReplicas'],
    },
    {
      name: 'fewer collisions than before',
      old: { collisionCount: 2 },
      status: { collisionCount: 1 },
      errors: ['status.collisionCount: Invalid value: 1: cannot be decremented'],
    },
    {
      name: 'less than nothing',
      status: { unavailableReplicas: -1 },
      errors: ['status.unavailableReplicas: Invalid value: -1: must be greater than or equal to 0'],
    },
  ])('cannot report $name', ({ old = {}, status, errors }) => {
    expect(
      deployments.edit(workload({}, { status: old }), (read) => void Object.assign(read, { status }), 'status').errors,
    ).toEqual(errors);
  });
});

describe('a ReplicaSet', () => {
  it('of unlimited pods is refused', () => {
    expect(replicaSets.create(workload({ replicas: -1, minReadySeconds: -1 })).errors).toEqual([
      'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
      'spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0',
    ]);
  });
});

describe('a StatefulSet', () => {
  it('has defaults, and claims that are whole objects', () => {
    const { spec } = statefulSets.create(
      workload({
        volumeClaimTemplates: [
          {
            metadata: { name: 'data' },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
          },
        ],
      }),
    ).object;
    expect(spec).toMatchObject({
      replicas: 1,
      podManagementPolicy: 'OrderedReady',
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
      revisionHistoryLimit: 10,
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
      volumeClaimTemplates: [
        {
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
          spec: { volumeMode: 'Filesystem' },
          status: { phase: 'Pending' },
        },
      ],
    });
  });

  it.each([
    {
      name: 'managed in another way',
      spec: { podManagementPolicy: 'X' },
      errors: ["spec.podManagementPolicy: Invalid value: \"X\": must be 'OrderedReady' or 'Parallel'"],
    },
    {
      name: 'that deletes and rolls',
      spec: { updateStrategy: { type: 'OnDelete', rollingUpdate: { partition: 1 } } },
      errors: [
        expect.stringMatching(
          /^spec\.updateStrategy\.rollingUpdate: Invalid value: .*only allowed for updateStrategy 'RollingUpdate'$/,
        ),
      ],
    },
    {
      name: 'that begins before its first',
      spec: { ordinals: { start: -1 } },
      errors: ['spec.ordinals.start: Invalid value: -1: must be greater than or equal to 0'],
    },
    {
      name: 'that keeps claims somehow',
      spec: { persistentVolumeClaimRetentionPolicy: { whenScaled: 'X' } },
      errors: [
        'spec.persistentVolumeClaimRetentionPolicy.whenScaled: Unsupported value: "X": supported values: ' +
          '"Retain", "Delete"',
      ],
    },
  ])('is refused $name', ({ spec, errors }) => {
    expect(statefulSets.create(workload(spec)).errors).toEqual(errors);
  });

  it('needs a name that fits into host names', () => {
    expect(statefulSets.create(workload({}, { metadata: { name: 'a.b' } })).errors).toEqual([
      'metadata.name: Invalid value: "a.b": must not contain dots',
    ]);
  });

  it('keeps what its pods and claims are bound to', () => {
    const { errors } = statefulSets.edit(workload(), ({ spec }) => void (spec.serviceName = 'other'));
    expect(errors).toEqual([
      expect.stringMatching(/^spec: Forbidden: updates to statefulset spec for fields other than .* are forbidden$/),
    ]);
  });

  it('loses maxUnavailable while its gate is off', () => {
    const spec = { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 2 } } };
    expect(statefulSets.create(workload(spec)).object.spec.updateStrategy.rollingUpdate).toEqual({ partition: 0 });
    const open = new KindRules<StatefulSet>('apps/v1', 'statefulsets', { gates: { MaxUnavailableStatefulSet: true } });
    expect(open.create(workload(spec)).object.spec.updateStrategy.rollingUpdate).toEqual({
      partition: 0,
      maxUnavailable: 2,
    });
  });
});

describe('a StatefulSet with claims', () => {
  const claims = [
    {
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    },
  ];
  const sent = (): Json => workload({ serviceName: 'web', volumeClaimTemplates: structuredClone(claims) });

  it('can be written back as it was read, and as it was sent', () => {
    expect(statefulSets.edit(sent(), () => undefined).errors).toEqual([]);
    expect(
      statefulSets.edit(
        sent(),
        ({ spec }) => void Object.assign(spec, { volumeClaimTemplates: structuredClone(claims) }),
      ).errors,
    ).toEqual([]);
  });
});

describe('a DaemonSet', () => {
  it('counts changes of its template in an annotation, whatever a client sends', () => {
    const annotation = 'deprecated.daemonset.template.generation';
    expect(
      daemonSets.create(workload({}, { metadata: { name: 'web', annotations: { [annotation]: '7' } } })).object.metadata
        .annotations,
    ).toEqual({ [annotation]: '1' });
    const changed = daemonSets.edit(workload(), ({ metadata, spec }) => {
      metadata.annotations = { [annotation]: '9' };
      spec.template.spec.containers![0]!.image = 'other';
    });
    expect(changed.object.metadata.annotations).toEqual({ [annotation]: '2' });
    expect(
      daemonSets.edit(workload(), ({ spec }) => void (spec.minReadySeconds = 5)).object.metadata.annotations,
    ).toEqual({ [annotation]: '1' });
  });

  it.each([
    { name: 'no number', count: 'many', why: 'invalid syntax' },
    { name: 'nothing', count: '', why: 'invalid syntax' },
    { name: 'a number that does not fit', count: '9223372036854775808', why: 'value out of range' },
  ])('is not read with $name for that count', ({ count, why }) => {
    const refused = expect.objectContaining({
      code: 400,
      message:
        'DaemonSet in version "v1" cannot be handled as a DaemonSet: strconv.ParseInt: parsing ' + `"${count}": ${why}`,
    }) as Error;
    const annotations = { 'deprecated.daemonset.template.generation': count };
    expect(() => daemonSets.create(workload({}, { metadata: { name: 'web', annotations } }))).toThrow(refused);
    expect(() => daemonSets.edit(workload(), ({ metadata }) => void (metadata.annotations = annotations))).toThrow(
      refused,
    );
  });

  it.each([
    {
      name: 'that both takes away and adds',
      rollingUpdate: { maxUnavailable: 1, maxSurge: 1 },
      errors: [
        'spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: intstr.IntOrString{1}: may not be set when ' +
          'maxUnavailable is non-zero',
      ],
    },
    {
      name: 'that does neither',
      rollingUpdate: { maxUnavailable: 0, maxSurge: 0 },
      errors: ['spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0'],
    },
    {
      name: 'that adds more than all',
      rollingUpdate: { maxUnavailable: 0, maxSurge: '200%' },
      errors: [
        'spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: intstr.IntOrString{"200%"}: must not ' +
          'be greater than 100%',
      ],
    },
  ])('is refused $name', ({ rollingUpdate, errors }) => {
    expect(daemonSets.create(workload({ updateStrategy: { rollingUpdate } })).errors).toEqual(errors);
  });
});

describe('a ControllerRevision', () => {
  it('needs data and a number', () => {
    expect(revisions.create({ metadata: { name: 'a' }, revision: -1 }).errors).toEqual([
      'data: Required value: data is mandatory',
      'revision: Invalid value: -1: must be greater than or equal to 0',
    ]);
  });

  it('refuses a change of its data', () => {
    const { errors } = revisions.edit(
      { metadata: { name: 'a' }, data: { a: 1 }, revision: 1 },
      (read) => void Object.assign(read, { data: { a: 2 }, revision: 2 }),
    );
    expect(errors).toEqual([
      expect.stringMatching(/^data: Invalid value: runtime\.RawExtension\{.*: field is immutable$/),
    ]);
  });
});

describe('a ReplicationController', () => {
  const controller = (spec: Json = {}): Json => ({ metadata: { name: 'web' }, spec: { template, ...spec } });

  it('takes selector and labels from its template', () => {
    const { object, errors } = controllers.create(controller());
    expect(errors).toEqual([]);
    expect(object.spec.selector).toEqual({ app: 'web' });
    expect(object.metadata.labels).toEqual({ app: 'web' });
  });

  it.each([
    {
      name: 'without a template',
      spec: { template: undefined, selector: { a: 'b' } },
      errors: ['spec.template: Required value'],
    },
    {
      name: 'that would not find its pods',
      spec: { selector: { app: 'other' } },
      errors: [
        'spec.template.metadata.labels: Invalid value: map[string]string{"app":"web"}: `selector` does not ' +
          'match template `labels`',
      ],
    },
  ])('is refused $name', ({ spec, errors }) => {
    expect(controllers.create(controller(spec)).errors).toEqual(errors);
  });

  it('is told twice what is wrong with an update', () => {
    const { errors } = controllers.edit(controller(), ({ spec }) => void (spec.replicas = -1));
    expect(errors).toEqual(
      Array<string>(2).fill('spec.replicas: Invalid value: -1: must be greater than or equal to 0'),
    );
  });
});

describe('columns', () => {
  const created = { name: 'web', creationTimestamp: '2026-01-01T03:04:05Z' };
  const object = (status: Json, spec: Json = {}): Json => workload(spec, { metadata: created, status });
  it.each([
    {
      kind: 'Deployment',
      rules: deployments,
      json: object({ replicas: 3, readyReplicas: 2, updatedReplicas: 3, availableReplicas: 1 }, { replicas: 3 }),
      cells: ['web', '2/3', 3, 1, '24h', 'app', 'nginx', 'app=web'],
    },
    {
      kind: 'ReplicaSet',
      rules: replicaSets,
      json: object({ replicas: 2, readyReplicas: 1 }, { replicas: 3 }),
      cells: ['web', 3, 2, 1, '24h', 'app', 'nginx', 'app=web'],
    },
    {
      kind: 'StatefulSet',
      rules: statefulSets,
      json: object({ replicas: 2, readyReplicas: 1 }, { replicas: 2 }),
      cells: ['web', '1/2', '24h', 'app', 'nginx'],
    },
    {
      kind: 'DaemonSet',
      rules: daemonSets,
      json: object({
        desiredNumberScheduled: 5,
        currentNumberScheduled: 4,
        numberReady: 3,
        updatedNumberScheduled: 2,
        numberAvailable: 1,
      }),
      cells: ['web', 5, 4, 3, 2, 1, '<none>', '24h', 'app', 'nginx', 'app=web'],
    },
    {
      kind: 'ReplicationController',
      rules: controllers,
      json: { metadata: created, spec: { replicas: 2, template }, status: { replicas: 1 } },
      cells: ['web', 2, 1, 0, '24h', 'app', 'nginx', 'app=web'],
    },
    {
      kind: 'ControllerRevision',
      rules: revisions,
      cells: ['r', 'daemonset.apps/web', 3, '24h'],
      json: {
        metadata: {
          ...created,
          name: 'r',
          ownerReferences: [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'web', uid: 'u', controller: true }],
        },
        revision: 3,
      },
    },
  ])('of a $kind', ({ rules, json, cells }) => {
    expect(rules.cells(json)).toEqual(cells);
  });
});
