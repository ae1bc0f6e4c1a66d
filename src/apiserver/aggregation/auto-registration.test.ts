/** The APIServices that this server keeps for its own APIs, over a real store. */
import { describe, expect, onTestFinished, test } from 'vitest';
import type { APIService } from '../../api/gen/types/apiregistration-v1.ts';
import { findGroupVersion, type GroupVersionInfo } from '../../api/resources.ts';
import { schemas } from '../../api/schemas.ts';
import { silentLogger } from '../../base/logger.ts';
import { createFieldManager } from '../../machinery/managed-fields/field-manager.ts';
import type { KubeObject } from '../../machinery/object-meta.ts';
import { createDirectCatalog } from '../../registry/testing/direct-catalog.ts';
import { openEmbeddedStore } from '../../storage/embedded/open.ts';
import { LoopbackClient } from '../loopback/loopback-client.ts';
import { ServedApis } from '../served-apis.ts';
import { ApiServices, apiServicesResource } from './api-services.ts';
import { CustomRegistrations, registerBuiltIn } from './auto-registration.ts';

const label = 'kube-aggregator.kubernetes.io/automanaged';
const apps = findGroupVersion('apps/v1')!;
const specOf = ({ group, version, groupPriority, versionPriority }: GroupVersionInfo) => ({
  group,
  version,
  groupPriorityMinimum: groupPriority,
  versionPriority,
});
const definitionsResource = { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' };
/** Of a group version of custom resources. */
const customSpec = { group: 'a.example.com', version: 'v1', groupPriorityMinimum: 1000, versionPriority: 100 };
const customName = 'v1.a.example.com';

interface Given {
  readonly name: string;
  /** The value of the label; absent without one. */
  readonly managed?: string;
  readonly spec: object;
}

async function start(given: readonly Given[] = []) {
  const store = await openEmbeddedStore();
  onTestFinished(() => store[Symbol.asyncDispose]());
  const registry = createDirectCatalog(store, ['apiregistration.k8s.io/v1', 'apiextensions.k8s.io/v1']);
  const writer = new LoopbackClient({ registry, fieldManager: createFieldManager({ schemas }), enabled: () => false });
  const nameOf = (name: string) => ({ ...apiServicesResource, namespace: '', name });
  for (const { name, managed, spec } of given)
    await writer.create(nameOf(name), {
      metadata: { labels: managed === undefined ? {} : { [label]: managed } },
      spec,
      status: {},
    } as object);
  return {
    registry,
    writer,
    remove: (name: string) => writer.remove(nameOf(name)),
    /** What is stored: label and specification by name. */
    stored: async () =>
      Object.fromEntries(
        (await writer.list<APIService>(apiServicesResource, 'mostRecent')).map(({ metadata, spec }) => [
          metadata.name,
          [metadata.labels?.[label], { ...spec }],
        ]),
      ),
  };
}

describe('at the start, the APIService of a built-in API', () => {
  const old = { ...specOf(apps), versionPriority: 1 };
  test.each<{ name: string; given: readonly Given[]; apis?: readonly GroupVersionInfo[]; expected: object }>([
    { name: 'is made', given: [], expected: { 'v1.apps': ['onstart', specOf(apps)] } },
    {
      name: 'is brought up to date',
      given: [{ name: 'v1.apps', managed: 'onstart', spec: old }],
      expected: { 'v1.apps': ['onstart', specOf(apps)] },
    },
    {
      name: 'is left to its owner without the label',
      given: [{ name: 'v1.apps', spec: old }],
      expected: { 'v1.apps': [undefined, old] },
    },
    {
      name: 'is left to its owner with the label of custom resources',
      given: [{ name: 'v1.apps', managed: 'true', spec: old }],
      expected: { 'v1.apps': ['true', old] },
    },
    {
      name: 'is deleted where it is served no more, and nothing else is',
      apis: [],
      given: [
        { name: 'v1.apps', managed: 'onstart', spec: old },
        { name: 'v1.b', managed: 'true', spec: { ...old, group: 'b' } },
        { name: 'v1.c', spec: { ...old, group: 'c' } },
      ],
      expected: { 'v1.b': ['true', { ...old, group: 'b' }], 'v1.c': [undefined, { ...old, group: 'c' }] },
    },
    {
      name: 'is not made for APIServices themselves',
      apis: [findGroupVersion('apiregistration.k8s.io/v1')!],
      given: [],
      expected: {},
    },
  ])('The APIService of a built-in API at the start: $name', async ({ given, apis = [apps], expected }) => {
    const { writer, stored } = await start(given);
    await registerBuiltIn(writer, apis);
    expect(await stored()).toEqual(expected);
  });
});

/** One resource of a custom group version. */
const served = {
  info: { ...customSpec, apiVersion: 'a.example.com/v1', name: 'things', subresources: [] },
} as unknown as Parameters<ServedApis['replace']>[1][number];

const definition = (more: { established?: string; served?: boolean } = {}): object => ({
  metadata: {},
  spec: {
    group: 'a.example.com',
    scope: 'Namespaced',
    names: { plural: 'things', kind: 'Thing' },
    versions: [
      { name: 'v1', served: more.served ?? true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
    ],
  },
  status: {
    acceptedNames: { plural: 'things', kind: 'Thing' },
    storedVersions: ['v1'],
    conditions: [{ type: 'Established', status: more.established ?? 'True' }],
  },
});

async function startCustom(given: readonly Given[], isServed: boolean) {
  const parts = await start(given);
  const apis = new ServedApis({ groupVersions: [], resources: new Map() });
  if (isServed) apis.replace([], [served]);
  const services = new ApiServices(parts.registry.storeOf('apiregistration.k8s.io', 'apiservices'), silentLogger);
  const registrations = new CustomRegistrations({
    writer: parts.writer,
    services,
    apis,
    queue: { waits: () => () => () => undefined, retries: () => undefined },
    log: silentLogger,
  });
  onTestFinished(async () => {
    await registrations.stop();
    await services.stop();
  });
  services.start();
  return {
    ...parts,
    apis,
    registrations,
    /** Resolves at the next change of an APIService after which this one is there, or is not. */
    becomes: (isThere: boolean): Promise<void> =>
      new Promise((resolve) =>
        services.onChange((name, _, after) => {
          if (name === customName && (after !== undefined) === isThere) resolve();
        }),
      ),
  };
}

describe('the APIService of custom resources', () => {
  const ours: Given = { name: customName, managed: 'true', spec: customSpec };
  const old = { ...customSpec, versionPriority: 1 };
  test.each<{ name: string; given: readonly Given[]; isServed?: boolean; definition?: object; expected: object }>([
    { name: 'is made', given: [], expected: { [customName]: ['true', customSpec] } },
    {
      name: 'is brought up to date',
      given: [{ ...ours, spec: old }],
      expected: { [customName]: ['true', customSpec] },
    },
    {
      name: 'is left to its owner without the label',
      given: [{ name: customName, spec: old }],
      expected: { [customName]: [undefined, old] },
    },
    { name: 'is deleted without a definition', given: [ours], isServed: false, expected: {} },
    {
      name: 'without the label is not deleted',
      given: [{ name: customName, spec: old }],
      isServed: false,
      expected: { [customName]: [undefined, old] },
    },
    {
      name: 'stays where another server has heard of its definition first',
      given: [ours],
      isServed: false,
      definition: definition(),
      expected: { [customName]: ['true', customSpec] },
    },
    {
      name: 'is deleted where its definition is not established',
      given: [ours],
      isServed: false,
      definition: definition({ established: 'False' }),
      expected: {},
    },
    {
      name: 'is deleted where its definition does not serve the version',
      given: [ours],
      isServed: false,
      definition: definition({ served: false }),
      expected: {},
    },
  ])(
    'The APIService of custom resources at the start $name',
    async ({ given, isServed = true, definition: defined, expected }) => {
      const { registrations, stored, writer } = await startCustom(given, isServed);
      if (defined !== undefined) {
        const { status, ...rest } = defined as KubeObject & { status: object };
        const object = { ...definitionsResource, namespace: '', name: 'things.a.example.com' };
        await writer.create(object, rest);
        await writer.change<KubeObject & { status: object }>(object, (copy) => void (copy.status = status), 'status');
      }
      await registrations.start();
      expect(await stored()).toEqual(expected);
    },
  );

  test('The APIService of custom resources comes and goes with what is served', async () => {
    const { registrations, apis, becomes, stored } = await startCustom([], false);
    await registrations.start();
    const made = becomes(true);
    apis.replace([], [served]);
    await made;
    expect(await stored()).toEqual({ [customName]: ['true', customSpec] });
    const gone = becomes(false);
    apis.replace([served], []);
    await gone;
    expect(await stored()).toEqual({});
  });

  test('The APIService of custom resources is restored when it is deleted', async () => {
    const { registrations, becomes, remove, stored } = await startCustom([], true);
    const made = becomes(true);
    await registrations.start();
    await made;
    const restored = becomes(false).then(() => becomes(true));
    await remove(customName);
    await restored;
    expect(await stored()).toEqual({ [customName]: ['true', customSpec] });
  });
});
