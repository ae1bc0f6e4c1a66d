import { describe, expect, it } from 'vitest';
import type { LimitRange, Pod, PodSpec } from '../../api/gen/types/core-v1.ts';
import type { KubeObject } from '../../machinery/object-meta.ts';
import type { AdmissionPlugin } from '../../registry/admission.ts';
import { createDefaultTolerationSeconds } from './default-toleration-seconds.ts';
import { createLimitRanger } from './limit-ranger.ts';
import { createPriority } from './priority.ts';
import { mergeTolerations } from './merge-tolerations.ts';
import { attributesFor, objectsOf } from './testing/attributes.ts';

const pod = (spec: Partial<Pod['spec']> = {}): Pod =>
  ({
    metadata: { name: 'p', namespace: 'team' },
    spec: { containers: [{ name: 'a', resources: {} }], ...spec },
    status: {},
  }) as unknown as Pod;
const priorityClass = (name: string, more: object): KubeObject => ({ metadata: { name }, ...more });

describe('Priority', () => {
  const objects = objectsOf({
    'scheduling.k8s.io/priorityclasses': [
      priorityClass('high', { value: 100, preemptionPolicy: 'Never' }),
      priorityClass('usual', { value: 5, globalDefault: true }),
    ],
  });

  it.each([
    {
      name: 'of the class',
      given: { priorityClassName: 'high' },
      expected: { priorityClassName: 'high', priority: 100, preemptionPolicy: 'Never' },
    },
    {
      name: 'of the default class',
      given: {},
      expected: { priorityClassName: 'usual', priority: 5, preemptionPolicy: 'PreemptLowerPriority' },
    },
  ])('Priority gives a pod the priority $name', async ({ given, expected }) => {
    const object = pod(given);
    await createPriority({ objects }).admit!(attributesFor('pods', object));
    expect(object.spec).toMatchObject(expected);
  });

  it('The Priority admission plugin gives 0 where there is no class', async () => {
    const object = pod();
    await createPriority({ objects: objectsOf({}) }).admit!(attributesFor('pods', object));
    expect(object.spec).toMatchObject({ priority: 0, preemptionPolicy: 'PreemptLowerPriority' });
  });

  it.each([
    {
      name: 'a class that is not there',
      given: { priorityClassName: 'nope' },
      message: 'pods "p" is forbidden: no PriorityClass with name nope was found',
    },
    {
      name: 'another number than that of its class',
      given: { priority: 7 },
      message:
        'pods "p" is forbidden: the integer value of priority (7) must not be provided in pod spec; priority ' +
        'admission controller computed 5 from the given PriorityClass name',
    },
  ])('The Priority plugin refuses $name', async ({ given, message }) => {
    await expect(createPriority({ objects }).admit!(attributesFor('pods', pod(given)))).rejects.toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message,
    });
  });

  it('The Priority admission plugin allows one default class', async () => {
    const second = priorityClass('second', { globalDefault: true });
    const attributes = attributesFor('priorityclasses', second, {
      resource: { group: 'scheduling.k8s.io', version: 'v1', resource: 'priorityclasses' },
      namespace: '',
    });
    await expect(createPriority({ objects }).validate!(attributes)).rejects.toMatchObject({
      message:
        'priorityclasses.scheduling.k8s.io "second" is forbidden: PriorityClass usual is already marked as ' +
        'default. Only one default can exist',
    });
  });
});

describe('DefaultTolerationSeconds', () => {
  const plugin = createDefaultTolerationSeconds({ notReadySeconds: 300, unreachableSeconds: 60 });

  it.each([
    {
      name: 'both to a pod without tolerations',
      given: undefined,
      added: ['node.kubernetes.io/not-ready 300', 'node.kubernetes.io/unreachable 60'],
    },
    {
      name: 'the one that is missing',
      given: [{ key: 'node.kubernetes.io/not-ready', operator: 'Exists' as const }],
      added: ['node.kubernetes.io/unreachable 60'],
    },
    { name: 'none to a pod that tolerates everything', given: [{ operator: 'Exists' as const }], added: [] },
  ])('DefaultTolerationSeconds adds $name', ({ given, added }) => {
    const object = pod(given === undefined ? {} : { tolerations: given });
    void plugin.admit!(attributesFor('pods', object));
    expect(
      (object.spec.tolerations ?? [])
        .slice(given?.length ?? 0)
        .map(({ key, tolerationSeconds }) => `${key} ${tolerationSeconds}`),
    ).toEqual(added);
  });
});

describe('LimitRanger', () => {
  const range = {
    metadata: { name: 'l', namespace: 'team' },
    spec: {
      limits: [
        {
          type: 'Container',
          default: { cpu: '500m' },
          defaultRequest: { cpu: '200m' },
          min: { cpu: '100m' },
          maxLimitRequestRatio: { cpu: '4' },
        },
      ],
    },
  } as unknown as LimitRange;
  const limiting = (limits: LimitRange, ...gates: string[]): AdmissionPlugin =>
    createLimitRanger({
      objects: objectsOf({ '/limitranges': [limits] }),
      featureEnabled: (gate) => gates.includes(gate),
    });
  const plugin = limiting(range);

  it('LimitRanger fills in what a container leaves open, and notes it', async () => {
    const object = pod();
    await plugin.admit!(attributesFor('pods', object));
    expect(object.spec.containers![0]!.resources).toEqual({ requests: { cpu: '200m' }, limits: { cpu: '500m' } });
    expect(object.metadata.annotations).toEqual({
      'kubernetes.io/limit-ranger': 'LimitRanger plugin set: cpu request for container a; cpu limit for container a',
    });
  });

  it('LimitRanger refuses with every violation', async () => {
    const object = pod({
      containers: [{ name: 'a', resources: { requests: { cpu: '10m' }, limits: { cpu: '1' } } }] as never,
    });
    await expect(plugin.validate!(attributesFor('pods', object))).rejects.toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message:
        'pods "p" is forbidden: [minimum cpu usage per Container is 100m, but request is 10m, cpu max limit to ' +
        'request ratio per Container is 4, but provided ratio is 100.000000]',
    });
  });

  describe('limits of a pod as a whole', () => {
    const limits = {
      metadata: { name: 'l', namespace: 'team' },
      spec: { limits: [{ type: 'Pod', max: { cpu: '1' } }] },
    } as unknown as LimitRange;
    const sized = (cpu: string, more: Partial<PodSpec> = {}): Pod =>
      pod({ containers: [{ name: 'a', resources: { requests: { cpu }, limits: { cpu } } }], ...more } as never);
    it.each([
      { name: 'let its containers use the maximum', object: sized('1'), gates: [], refusal: undefined },
      {
        name: 'are not about its overhead',
        object: sized('1', { overhead: { cpu: '1' } }),
        gates: [],
        refusal: undefined,
      },
      { name: 'count all containers', object: sized('2'), gates: [], refusal: '2' },
      {
        name: 'count what the pod has as a whole',
        object: sized('1', { resources: { requests: { cpu: '3' }, limits: { cpu: '3' } } }),
        gates: ['PodLevelResources'],
        refusal: '3',
      },
      {
        name: 'count containers alone while pods have no resources of their own',
        object: sized('1', { resources: { requests: { cpu: '3' }, limits: { cpu: '3' } } }),
        gates: [],
        refusal: undefined,
      },
    ])('Limits of a pod as a whole: $name', async ({ object, gates, refusal }) => {
      const answer = limiting(limits, ...gates).validate!(attributesFor('pods', object));
      if (refusal === undefined) await expect(answer).resolves.toBeUndefined();
      else
        await expect(answer).rejects.toMatchObject({
          message: `pods "p" is forbidden: maximum cpu usage per Pod is 1, but limit is ${refusal}`,
        });
    });
  });

  it('LimitRanger does not look at the sizes of a pod that is there', () => {
    expect(plugin.validate!(attributesFor('pods', pod(), { operation: 'UPDATE', oldObject: pod() }))).toBeUndefined();
  });
});

describe('tolerations of a runtime class', () => {
  it.each([
    {
      name: 'keeps those that differ',
      first: [{ key: 'a', operator: 'Exists' as const }],
      second: [{ key: 'b', operator: 'Exists' as const }],
      keys: ['a', 'b'],
    },
    {
      name: 'drops one that another covers',
      first: [{ key: 'a', operator: 'Equal' as const, value: 'x' }],
      second: [{ operator: 'Exists' as const }],
      keys: [undefined],
    },
    {
      name: 'keeps the first of equal ones',
      first: [{ key: 'a', operator: 'Exists' as const }],
      second: [{ key: 'a', operator: 'Exists' as const }],
      keys: ['a'],
    },
  ])('Tolerations of a runtime class: $name', ({ first, second, keys }) => {
    expect(mergeTolerations(first, second).map(({ key }) => key)).toEqual(keys);
  });
});
