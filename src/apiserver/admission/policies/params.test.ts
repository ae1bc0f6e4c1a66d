import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ParamKind, ParamRef } from '../../../api/gen/types/admissionregistration-v1.ts';
import type { KubeObject } from '../../../machinery/object-meta.ts';
import type { MapValue } from '../../../cel/index.ts';
import { createDirectCatalog } from '../../../registry/testing/direct-catalog.ts';
import type { ResourceStore } from '../../../registry/generic/resource-store.ts';
import type { RegistryCatalog } from '../../../registry/catalog.ts';
import type { StoredObject } from '../../../storage/objects.ts';
import { openEmbeddedStore } from '../../../storage/embedded/open.ts';
import { type Param, ParamReader } from './params.ts';

const limits = (namespace: string, name: string, of: string): KubeObject =>
  ({ metadata: { namespace, name, labels: { of } }, data: { max: name } }) as KubeObject;

describe('parameters of policies', () => {
  let store: Awaited<ReturnType<typeof openEmbeddedStore>>;
  let registry: RegistryCatalog;
  let params: ParamReader;

  beforeAll(async () => {
    store = await openEmbeddedStore();
    registry = createDirectCatalog(store, ['v1', 'autoscaling/v1', 'autoscaling/v2']);
    params = new ParamReader(registry);
    const configMaps = registry.storeOf('', 'configmaps')!;
    for (const object of [limits('a', '1', 'x'), limits('a', '2', 'y'), limits('b', '3', 'x')]) {
      const { namespace, name } = object.metadata!;
      await configMaps.storage.create(configMaps.key(namespace!, name!), configMaps.encode(object));
    }
    const scalers = registry.storeOf('autoscaling', 'horizontalpodautoscalers')!;
    const metric = {
      type: 'Resource',
      resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 60 } },
    };
    const scaler = {
      metadata: { namespace: 'a', name: 'h' },
      spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'd' }, metrics: [metric] },
    };
    await scalers.storage.create(scalers.key('a', 'h'), scalers.encode(scaler as KubeObject));
  });
  afterAll(() => store[Symbol.asyncDispose]());

  const configMap = { apiVersion: 'v1', kind: 'ConfigMap' };
  const collect = async (
    ref: ParamRef | undefined,
    namespace = 'a',
    kind: ParamKind | undefined = configMap,
  ): Promise<readonly Param[]> => params.collect(await params.kindOf(kind), ref, namespace);
  const namesOf = (found: readonly Param[]): unknown[] =>
    found.map(({ value }) => ((value as MapValue).get('metadata') as MapValue).get('name'));

  test.each<[string, ParamRef, string, string[]]>([
    ['by name, of the namespace of the request', { name: '1' }, 'a', ['1']],
    ['by name, of a namespace of their own', { name: '3', namespace: 'b' }, 'a', ['3']],
    ['by label', { selector: { matchLabels: { of: 'x' } }, namespace: 'a' }, 'b', ['1']],
    ['that are all', { selector: {} }, 'a', ['1', '2']],
    ['that may be absent', { name: 'none', parameterNotFoundAction: 'Allow' }, 'a', []],
  ])('Parameters of a policy: %s', async (_, ref, namespace, names) =>
    expect(namesOf(await collect(ref, namespace))).toEqual(names),
  );

  test('Parameters of policies are null where a policy has none, or its binding names none', async () => {
    expect(await params.collect(await params.kindOf(undefined), { name: '1' }, 'a')).toEqual([
      { value: null, key: '' },
    ]);
    expect(await collect(undefined)).toEqual([{ value: null, key: '' }]);
  });

  test('Parameters of policies have the version that the policy names, with kind and apiVersion', async () => {
    const [param] = await collect({ name: 'h' }, 'a', {
      apiVersion: 'autoscaling/v1',
      kind: 'HorizontalPodAutoscaler',
    });
    const value = param!.value as MapValue;
    expect(value.get('apiVersion')).toBe('autoscaling/v1');
    expect((value.get('spec') as MapValue).get('targetCPUUtilizationPercentage')).toBe(60);
  });

  test('Parameters of policies are read once for all requests while they stay as they are', async () => {
    const { store: configMaps, servedVersion } = registry.kindOf('v1', 'ConfigMap')!;
    const stored = (await configMaps.find('a', '1', { match: 'any' }))!;
    let decoded = 0;
    const counting = {
      namespaced: true,
      find: () => Promise.resolve(stored),
      decode: (object: StoredObject) => {
        decoded++;
        return configMaps.decode(object);
      },
    };
    const kind = { servedVersion, store: counting as unknown as ResourceStore };
    for (let i = 0; i < 5; i++) await params.collect(kind, { name: '1' }, 'a');
    expect(decoded).toBe(1);
  });

  test.each<[string, ParamRef, string, ParamKind, string]>([
    ['that must not be absent', { name: 'none', parameterNotFoundAction: 'Deny' }, 'a', configMap, 'no params found'],
    ['of a namespace that is none', { name: '1' }, '', configMap, 'cannot use namespaced paramRef'],
    [
      'of a namespace though they lie in none',
      { name: 'n', namespace: 'a' },
      'a',
      { apiVersion: 'v1', kind: 'Node' },
      'paramRef.namespace must not be provided for a cluster-scoped `paramKind`',
    ],
    [
      'of a kind that is not served',
      { name: 'n' },
      'a',
      { apiVersion: 'v1', kind: 'Nothing' },
      "failed to find resource referenced by paramKind: '/v1, Kind=Nothing'",
    ],
  ])(
    '%s are a problem of the configuration',
    async (_, ref, namespace, kind, problem) => await expect(collect(ref, namespace, kind)).rejects.toThrow(problem),
  );
});
