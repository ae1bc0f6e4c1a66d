/** A store of config maps over one key, which tests can change between the read and the write of an update. */
import { codecs } from '../../../api/codecs.ts';
import { asJson, type KubeObject } from '../../../machinery/object-meta.ts';
import { testNow } from '../../../../test/support/kind-rules.ts';
import type { StoredObject } from '../../../storage/objects.ts';
import { definitionOf } from '../../resource-definitions.ts';
import type { ResourceStrategy } from '../../strategy.ts';
import { ResourceStore } from '../resource-store.ts';
import type { WriteHooks, WriteRequest } from '../write.ts';

export type Json = Record<string, unknown>;

const codec = codecs.of('core/v1.ConfigMap');
const key = '/registry/configmaps/default/a';

export interface ConfigMapStore {
  readonly store: ResourceStore;
  /** What the storage did, in order. */
  readonly did: string[];
  /** What is stored, as JSON; undefined when nothing is. */
  readonly current: () => Json | undefined;
}

export interface ConfigMapStoreOptions {
  /** What the cache has. */
  readonly cached?: KubeObject;
  readonly cachedRevision?: number;
  /** What is stored, where it is something else. */
  readonly newest?: KubeObject | undefined;
  readonly newestRevision?: number;
  readonly strategy?: Partial<ResourceStrategy>;
  readonly hooks?: WriteHooks;
  /** Whether the value has to be written anew although it is the same. */
  readonly isStale?: boolean;
  /** Thrown by the write. */
  readonly failure?: Error;
}

const stored = (object: KubeObject | undefined, revision: number): StoredObject | undefined =>
  object === undefined
    ? undefined
    : {
        key,
        revision,
        bytes: codec.encode(asJson(object)),
        attributes: { namespace: 'default', name: 'a', labels: new Map(), fields: new Map() },
      };

export function configMapStore(options: ConfigMapStoreOptions): ConfigMapStore {
  const { cached, cachedRevision = 5, strategy, hooks, isStale = false, failure } = options;
  const cache = stored(cached, cachedRevision);
  let current = 'newest' in options ? stored(options.newest, options.newestRevision ?? cachedRevision + 1) : cache;
  const did: string[] = [];
  const guarded = <T>(
    what: string,
    expected: number,
    apply: () => T,
  ): T | { applied: false; current: typeof current } => {
    if (failure !== undefined) throw failure;
    if ((current?.revision ?? 0) !== expected) {
      did.push(`${what} lost`);
      return { applied: false, current };
    }
    did.push(what);
    return apply();
  };
  const storage = {
    get: (_: string, { match }: { match: string }) => {
      did.push(`read ${match}`);
      return Promise.resolve(match === 'any' ? cache : current);
    },
    isStale: () => Promise.resolve(isStale),
    update: async (_: string, bytes: Buffer, expected: number) =>
      guarded('write', expected, () => {
        const object = { ...stored({ metadata: {} }, 100 + did.length)!, bytes };
        current = object;
        return { applied: true, object };
      }),
    delete: async (_: string, expected: number) =>
      guarded('delete', expected, () => {
        current = undefined;
        return { applied: true, revision: 200 };
      }),
  };
  const definition = definitionOf('', 'configmaps');
  const store = new ResourceStore({
    group: '',
    resource: 'configmaps',
    kind: 'ConfigMap',
    namespaced: true,
    storageVersion: 'v1',
    storedType: 'core/v1.ConfigMap',
    definition: { ...definition, strategy: { ...definition.strategy, ...strategy } },
    openStorage: () => storage as unknown as ReturnType<ResourceStoreOpen>,
    layout: { prefix: '/registry', resource: 'configmaps', namespaced: true } as never,
    codec,
    admission: {} as never,
    ...(hooks === undefined ? {} : { hooks }),
    garbageCollection: true,
  });
  store.key = () => key;
  return {
    store,
    did,
    current: () => (current === undefined ? undefined : (codec.decode(current.bytes) as Json)),
  };
}

type ResourceStoreOpen = ConstructorParameters<typeof ResourceStore>[0]['openStorage'];

export const configMap = (data: Record<string, string>, metadata: Json = {}): KubeObject =>
  codec.fromJson(
    Buffer.from(JSON.stringify({ metadata: { name: 'a', namespace: 'default', uid: 'u', ...metadata }, data })),
  ).value as unknown as KubeObject;

export const writeRequest = (more: Partial<WriteRequest> = {}): WriteRequest => ({
  namespace: 'default',
  name: 'a',
  subresource: '',
  context: {
    now: testNow,
    user: { name: 'tester', groups: [] },
    enabled: () => false,
    apiVersion: 'v1',
    allowPrivileged: true,
  },
  dryRun: false,
  options: {},
  warn: () => true,
  ...more,
});
