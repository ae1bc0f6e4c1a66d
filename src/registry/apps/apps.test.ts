import { describe, expect, it } from 'vitest';
import type { KindRules } from '../../../test/support/kind-rules.ts';
import {
  template,
  workload,
  statefulSets,
  type Json,
  deployments,
  replicaSets,
  daemonSets,
  revisions,
  controllers,
} from './testing/workloads.ts';

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

  it.each(kinds)('Workloads of kind $kind take a good object and drop its status', ({ rules }) => {
    const { object, errors, warnings } = rules.create({ ...workload(), status: { observedGeneration: 5 } });
    expect({ errors, warnings, generation: object.metadata.generation }).toEqual({
      errors: [],
      warnings: [],
      generation: 1,
    });
    expect((object.status as Json)['observedGeneration']).toBeUndefined();
  });

  it.each(kinds)('Workloads of kind $kind need a selector that is not empty', ({ rules, named }) => {
    expect(rules.create(workload({ selector: {} })).errors).toContainEqual(
      `spec.selector: Invalid value: v1.LabelSelector{MatchLabels:map[string]string(nil), ` +
        `MatchExpressions:[]v1.LabelSelectorRequirement(nil)}: empty selector is invalid for ${named}`,
    );
  });

  it.each(kinds)('Workloads of kind $kind need a selector that finds their pods', ({ rules }) => {
    expect(rules.create(workload({ selector: { matchLabels: { app: 'other' } } })).errors).toEqual([
      'spec.template.metadata.labels: Invalid value: map[string]string{"app":"web"}: `selector` does not ' +
        'match template `labels`',
    ]);
  });

  it.each(kinds)('Workloads of kind $kind run pods for ever', ({ rules }) => {
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

  it.each(kinds)('Workloads of kind $kind count changes of the spec', ({ rules }) => {
    expect(rules.edit(workload(), ({ spec }) => void (spec.minReadySeconds = 5)).object.metadata.generation).toBe(2);
    expect(
      rules.edit(workload(), ({ metadata }) => void Object.assign(metadata, { labels: { a: 'b' } })).object.metadata
        .generation,
    ).toBe(1);
  });

  it.each(kinds)('Workloads of kind $kind are warned about their pods, on an update only for a change', ({ rules }) => {
    const old = workload({
      template: { ...template, spec: { ...template.spec, nodeSelector: { 'beta.kubernetes.io/os': 'linux' } } },
    });
    const warning =
      'spec.template.spec.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead';
    expect(rules.create(old).warnings).toEqual([warning]);
    expect(rules.edit(old, () => undefined).warnings).toEqual([]);
    expect(rules.edit(old, ({ spec }) => void (spec.minReadySeconds = 5)).warnings).toEqual([warning]);
  });

  it.each(kinds)('Workloads of kind $kind have a status that only its own endpoint writes', ({ rules }) => {
    const edit = (read: { spec: { minReadySeconds?: number }; status: unknown }): void =>
      void Object.assign(read, { status: { observedGeneration: 3 }, spec: { ...read.spec, minReadySeconds: 9 } });
    const byMain = rules.edit(workload(), edit).object;
    expect((byMain.status as Json)['observedGeneration']).toBeUndefined();
    const byStatus = rules.edit(workload(), edit, 'status').object;
    expect((byStatus.status as Json)['observedGeneration']).toBe(3);
    expect(byStatus.spec.minReadySeconds).toBeUndefined();
  });
});

describe('a ReplicaSet', () => {
  it('A ReplicaSet of unlimited pods is refused', () => {
    expect(replicaSets.create(workload({ replicas: -1, minReadySeconds: -1 })).errors).toEqual([
      'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
      'spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0',
    ]);
  });
});

describe('a DaemonSet', () => {
  it('A DaemonSet counts changes of its template in an annotation, whatever a client sends', () => {
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
  ])('A DaemonSet is not read with $name for that count', ({ count, why }) => {
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
        'spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: ' +
          'intstr.IntOrString{Type:0, IntVal:1, StrVal:""}: may not be set when ' +
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
        'spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: ' +
          'intstr.IntOrString{Type:1, IntVal:0, StrVal:"200%"}: must not ' +
          'be greater than 100%',
      ],
    },
  ])('A DaemonSet is refused $name', ({ rollingUpdate, errors }) => {
    expect(daemonSets.create(workload({ updateStrategy: { rollingUpdate } })).errors).toEqual(errors);
  });
});

describe('a ControllerRevision', () => {
  it('A ControllerRevision needs data and a number', () => {
    expect(revisions.create({ metadata: { name: 'a' }, revision: -1 }).errors).toEqual([
      'data: Required value: data is mandatory',
      'revision: Invalid value: -1: must be greater than or equal to 0',
    ]);
  });

  it('A ControllerRevision refuses a change of its data', () => {
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

  it('A ReplicationController takes selector and labels from its template', () => {
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
  ])('A ReplicationController is refused $name', ({ spec, errors }) => {
    expect(controllers.create(controller(spec)).errors).toEqual(errors);
  });

  it('A ReplicationController is told twice what is wrong with an update', () => {
    const { errors } = controllers.edit(controller(), ({ spec }) => void (spec.replicas = -1));
    expect(errors).toEqual(
      Array<string>(2).fill('spec.replicas: Invalid value: -1: must be greater than or equal to 0'),
    );
  });
});
