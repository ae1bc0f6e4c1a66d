/**
 * What can be done with a resource, as types: `gen/api-groups.ts` says which resource has what. At run time all of them
 * are a `ResourceClient`.
 */
import type { KubeObject } from '../../machinery/object-meta.ts';
import type { PartialObjectMetadata, Table } from '../../api/gen/types/meta-v1.ts';
import type { ApplyOptions, DeleteOptions, GetOptions, ListOptions, Patch, WriteOptions } from './options.ts';
import type { ResourceClient } from './resource-client.ts';

/** The methods that a verb of the API stands for. */
interface MethodsOf {
  create: 'create';
  get: 'get';
  list: 'list' | 'listAll' | 'pages';
  watch: 'watch' | 'source';
  update: 'update';
  patch: 'patch' | 'apply';
  delete: 'delete';
  deletecollection: 'deleteCollection';
}

export type Verb = keyof MethodsOf;

type Methods<T extends KubeObject, V extends Verb> = Pick<ResourceClient<T, Input<T>>, MethodsOf[V]>;

/** Objects as callers write them: any part may be left to the server. */
export type Input<T> = T extends (infer Item)[]
  ? Input<Item>[]
  : T extends object
    ? string extends keyof T
      ? { [K in keyof T]: Input<T[K]> }
      : { [K in keyof T]?: Input<T[K]> }
    : T;

interface Representations {
  /** The metadata of the objects alone. */
  asMetadata(): Pick<
    ResourceClient<PartialObjectMetadata>,
    'get' | 'list' | 'listAll' | 'pages' | 'watch' | 'source' | 'patch' | 'delete' | 'deleteCollection' | 'target'
  >;
  /** The objects as rows, as `kubectl get` prints them. */
  asTable(): Pick<ResourceClient<Table>, 'get' | 'watch' | 'target'> & {
    list(options?: ListOptions): Promise<Table>;
  };
}

interface Target {
  readonly target: ResourceClient['target'];
}

export type ClusterResource<T extends KubeObject, V extends Verb, S = unknown> = Methods<T, V> &
  ('get' extends V ? Representations : unknown) &
  Target &
  S;

/**
 * In all namespaces. What names an object is done in its namespace; an object that is written says its own.
 */
export type NamespacedResource<T extends KubeObject, V extends Verb, S = unknown> = Methods<
  T,
  Extract<V, 'list' | 'watch' | 'create' | 'update'>
> &
  ('patch' extends V ? Pick<ResourceClient<T, Input<T>>, 'apply'> : unknown) &
  ('list' extends V ? Representations : unknown) &
  Target & {
    namespace(namespace: string): ClusterResource<T, V, S>;
  };

/** A subresource of objects. */
export type Subresource<T extends KubeObject, V extends Verb> = Pick<
  SubresourceMethods<T>,
  Extract<V, keyof SubresourceMethods<T>>
> &
  ('patch' extends V ? Pick<SubresourceMethods<T>, 'apply'> : unknown);

interface SubresourceMethods<T extends KubeObject> {
  get(name: string, options?: GetOptions): Promise<T>;
  create(name: string, object: Input<T>, options?: WriteOptions): Promise<T>;
  update(object: Input<T>, options?: WriteOptions): Promise<T>;
  patch(name: string, patch: Patch, options?: WriteOptions): Promise<T>;
  apply(object: Input<T>, options: ApplyOptions): Promise<T>;
  delete(name: string, options?: DeleteOptions): Promise<T | undefined>;
}

/** A resource of which nothing is known but its path. */
export type DynamicResource<T extends KubeObject = KubeObject> = ResourceClient<T>;
