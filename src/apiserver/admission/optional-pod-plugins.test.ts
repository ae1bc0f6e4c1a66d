import { describe, expect, it } from 'vitest';
import type { Namespace, Pod, PodSpec, Toleration } from '../../api/gen/types/core-v1.ts';
import { alwaysPullImages } from './always-pull-images.ts';
import type { PodTolerationConfiguration } from './configuration/plugin-configuration.ts';
import { extendedResourceToleration } from './extended-resource-toleration.ts';
import { limitPodHardAntiAffinityTopology } from './limit-anti-affinity-topology.ts';
import { createPodNodeSelector } from './pod-node-selector.ts';
import { createPodTolerationRestriction } from './pod-toleration-restriction.ts';
import { attributesFor, objectsOf } from './testing/attributes.ts';

const pod = (spec: Partial<PodSpec> = {}): Pod =>
  ({
    metadata: { name: 'p', namespace: 'team' },
    spec: { containers: [{ name: 'c', image: 'i', imagePullPolicy: 'IfNotPresent', resources: {} }], ...spec },
    status: {},
  }) as unknown as Pod;

const team = (annotations: Readonly<Record<string, string>> = {}): Namespace =>
  ({ metadata: { name: 'team', annotations }, spec: {}, status: {} }) as Namespace;

const inNamespace = (annotations?: Readonly<Record<string, string>>) => ({
  objects: objectsOf({ '/namespaces': [team(annotations)] }),
});

describe('AlwaysPullImages', () => {
  const update = { operation: 'UPDATE', oldObject: pod() } as const;

  it.each([
    { name: 'a new pod', attributes: attributesFor('pods', pod()), policy: 'Always' },
    {
      name: 'a pod with a new image',
      attributes: attributesFor('pods', pod({ containers: [{ name: 'c', image: 'j' }] as never }), update),
      policy: 'Always',
    },
    { name: 'a pod with the images it had', attributes: attributesFor('pods', pod(), update), policy: 'IfNotPresent' },
    {
      name: 'a subresource of a pod',
      attributes: attributesFor('pods', pod(), { subresource: 'ephemeralcontainers' }),
      policy: 'IfNotPresent',
    },
  ])('AlwaysPullImages: $name has pull policy $policy', ({ attributes, policy }) => {
    void alwaysPullImages.admit!(attributes);
    expect((attributes.object as Pod).spec.containers![0]!.imagePullPolicy).toBe(policy);
  });

  it('Pulls init containers, ephemeral containers and image volumes too', () => {
    const object = pod({
      initContainers: [{ name: 'i' }] as never,
      ephemeralContainers: [{ name: 'e' }] as never,
      volumes: [{ name: 'v', image: { reference: 'x', pullPolicy: 'Never' } }],
    });
    void alwaysPullImages.admit!(attributesFor('pods', object));
    expect(object.spec).toMatchObject({
      initContainers: [{ imagePullPolicy: 'Always' }],
      ephemeralContainers: [{ imagePullPolicy: 'Always' }],
      volumes: [{ image: { pullPolicy: 'Always' } }],
    });
  });

  it('Reports what a later plugin has undone as an error of the server', () => {
    const object = pod({ initContainers: [{ name: 'i' }] as never });
    const message = (path: string, value: string): string =>
      `pods "p" is forbidden: ${path}.imagePullPolicy: Unsupported value: "${value}": supported values: "Always"`;
    expect(() => alwaysPullImages.validate!(attributesFor('pods', object))).toThrow(
      expect.objectContaining({
        code: 500,
        reason: '',
        message: `[${message('spec.initContainers[0]', '')}, ${message('spec.containers[0]', 'IfNotPresent')}]`,
      }),
    );
  });
});

describe('LimitPodHardAntiAffinityTopology', () => {
  const antiAffinity = (...keys: string[]): Partial<PodSpec> => ({
    affinity: {
      podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: keys.map((topologyKey) => ({ topologyKey })) },
    },
  });

  it('Refuses another topology than the host name', () => {
    const attributes = attributesFor('pods', pod(antiAffinity('kubernetes.io/hostname', 'zone')));
    expect(() => limitPodHardAntiAffinityTopology.validate!(attributes)).toThrow(
      'pods "p" is forbidden: affinity.PodAntiAffinity.RequiredDuringScheduling has TopologyKey zone but only key ' +
        'kubernetes.io/hostname is allowed',
    );
  });

  it.each([
    { name: 'pods without affinity', attributes: attributesFor('pods', pod()) },
    { name: 'the host name', attributes: attributesFor('pods', pod(antiAffinity('kubernetes.io/hostname'))) },
    {
      name: 'writes of subresources',
      attributes: attributesFor('pods', pod(antiAffinity('zone')), { subresource: 'status' }),
    },
  ])('LimitPodHardAntiAffinityTopology admits $name', ({ attributes }) => {
    expect(limitPodHardAntiAffinityTopology.validate!(attributes)).toBeUndefined();
  });
});

describe('ExtendedResourceToleration', () => {
  const requesting = (...names: string[]): Partial<PodSpec> => ({
    containers: [{ name: 'c', resources: { requests: Object.fromEntries(names.map((name) => [name, '1'])) } }] as never,
  });
  const exists = (key: string): Toleration => ({ key, operator: 'Exists', effect: 'NoSchedule' });

  it.each([
    {
      name: 'sorted, without resources of the system',
      spec: requesting('example.com/b', 'cpu', 'example.com/a', 'hugepages-2Mi'),
      expected: [exists('example.com/a'), exists('example.com/b')],
    },
    {
      name: 'none that is there',
      spec: { ...requesting('example.com/a'), tolerations: [exists('example.com/a')] },
      expected: [exists('example.com/a')],
    },
    {
      name: 'one beside a toleration of another effect',
      spec: { ...requesting('example.com/a'), tolerations: [{ key: 'example.com/a', operator: 'Exists' as const }] },
      expected: [{ key: 'example.com/a', operator: 'Exists' }, exists('example.com/a')],
    },
    { name: 'none without extended resources', spec: requesting('cpu'), expected: undefined },
  ])('ExtendedResourceToleration adds tolerations: $name', ({ spec, expected }) => {
    const object = pod(spec);
    void extendedResourceToleration.admit!(attributesFor('pods', object));
    expect(object.spec.tolerations).toEqual(expected);
  });
});

describe('PodNodeSelector', () => {
  const annotation = 'scheduler.alpha.kubernetes.io/node-selector';
  const configuration = { clusterDefault: 'zone=default', allowed: { team: 'env=a,zone=default' } };

  it.each<{
    readonly name: string;
    readonly annotations: Readonly<Record<string, string>>;
    readonly expected?: object;
  }>([
    {
      name: 'of the annotation',
      annotations: { [annotation]: 'env=a, disk = ssd' },
      expected: { env: 'a', disk: 'ssd' },
    },
    { name: 'of the cluster without annotation', annotations: {}, expected: { zone: 'default' } },
    { name: 'and no other with an empty annotation', annotations: { [annotation]: '' } },
  ])('PodNodeSelector gives a pod the selector $name', async ({ annotations, expected }) => {
    const object = pod();
    const options = { configuration: { ...configuration, allowed: {} } };
    await createPodNodeSelector({ ...inNamespace(annotations), ...options }).admit!(attributesFor('pods', object));
    expect(object.spec.nodeSelector).toEqual(expected === undefined ? undefined : expect.objectContaining(expected));
  });

  it.each<{ readonly name: string; readonly nodeSelector: Record<string, string>; readonly message: string }>([
    {
      name: 'that selects other nodes',
      nodeSelector: { zone: 'other' },
      message: 'pods "p" is forbidden: pod node label selector conflicts with its namespace node label selector',
    },
    {
      name: 'with a label that is not allowed',
      nodeSelector: { gpu: 'yes' },
      message: 'pods "p" is forbidden: pod node label selector labels conflict with its namespace whitelist',
    },
  ])('PodNodeSelector refuses a pod $name', async ({ nodeSelector, message }) => {
    const plugin = createPodNodeSelector({ ...inNamespace(), configuration });
    await expect(plugin.admit!(attributesFor('pods', pod({ nodeSelector })))).rejects.toThrow(message);
    await expect(plugin.validate!(attributesFor('pods', pod({ nodeSelector })))).rejects.toThrow(message);
  });

  it.each([
    { text: 'env in (a,b)', message: 'invalid selector: [env in (a]' },
    { text: 'a=b=c', message: 'invalid selector: [a b c]' },
    { text: 'bad key!=x', message: /^<nil>: Invalid value: "bad key!": name part must consist of/ },
    { text: 'key=bad value', message: /^\[key\]: Invalid value: "bad value": a valid label must be/ },
  ])('PodNodeSelector answers a pod under annotation $text with an error of the server', async ({ text, message }) => {
    const plugin = createPodNodeSelector({ ...inNamespace({ [annotation]: text }), configuration: undefined });
    const refusal = plugin.admit!(attributesFor('pods', pod())) as Promise<void>;
    await expect(refusal).rejects.toMatchObject({ code: 500, reason: '' });
    await expect(refusal).rejects.toThrow(message);
  });
});

describe('PodTolerationRestriction', () => {
  const defaults = 'scheduler.alpha.kubernetes.io/defaultTolerations';
  const listed = 'scheduler.alpha.kubernetes.io/tolerationsWhitelist';
  const ofCluster: PodTolerationConfiguration = { default: [{ key: 'cluster', operator: 'Exists' }], whitelist: [] };
  const plugin = (annotations: Readonly<Record<string, string>>, configuration = ofCluster) =>
    createPodTolerationRestriction({ ...inNamespace(annotations), configuration, featureEnabled: () => false });

  it.each<{
    readonly name: string;
    readonly annotations: Readonly<Record<string, string>>;
    readonly keys: readonly string[];
  }>([
    { name: 'those of the cluster without annotation', annotations: {}, keys: ['own', 'cluster'] },
    {
      name: 'those of the annotation',
      annotations: { [defaults]: '[{"key": "team", "operator": "Exists"}]' },
      keys: ['own', 'team'],
    },
    { name: 'none with an empty annotation', annotations: { [defaults]: '' }, keys: ['own'] },
    { name: 'none with the annotation null', annotations: { [defaults]: 'null' }, keys: ['own'] },
  ])('PodTolerationRestriction adds default tolerations: $name', async ({ annotations, keys }) => {
    const object = pod({ tolerations: [{ key: 'own', operator: 'Exists' }] });
    await plugin(annotations).admit!(attributesFor('pods', object));
    expect(object.spec.tolerations?.map(({ key }) => key)).toEqual(keys);
  });

  it('Lets pods that ask for something onto nodes short of memory, also on update', async () => {
    const containers = [{ name: 'c', resources: { requests: { cpu: '1' } } }] as never;
    const object = pod({ containers });
    await plugin({}).admit!(attributesFor('pods', object, { operation: 'UPDATE', oldObject: pod({ containers }) }));
    expect(object.spec.tolerations).toEqual([
      { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' },
    ]);
  });

  const conflict = (scope: string): string =>
    `pod tolerations (possibly merged with namespace default tolerations) conflict with its ${scope} whitelist`;

  it.each<{ readonly name: string; readonly annotations: Readonly<Record<string, string>>; readonly message: string }>([
    {
      name: 'what its namespace does not allow',
      annotations: { [listed]: '[{"key": "a", "operator": "Equal", "value": "b"}]' },
      message: conflict('namespace'),
    },
    { name: 'what the cluster does not allow', annotations: {}, message: conflict('cluster') },
    {
      name: 'anything under an annotation that is no JSON',
      annotations: { [listed]: 'nonsense' },
      message: "invalid character 'o' in literal null (expecting 'u')",
    },
    {
      name: 'anything under an annotation that is no list',
      annotations: { [listed]: '{}' },
      message: 'json: cannot unmarshal object into Go value of type []v1.Toleration',
    },
  ])('PodTolerationRestriction answers a pod that tolerates $name with 500', async ({ annotations, message }) => {
    const configuration = { default: [], whitelist: [{ key: 'c', operator: 'Exists' as const }] };
    const object = pod({ tolerations: [{ key: 'z', operator: 'Exists' }] });
    const refusal = plugin(annotations, configuration).validate!(attributesFor('pods', object)) as Promise<void>;
    await expect(refusal).rejects.toMatchObject({ code: 500, reason: '', message });
  });
});
