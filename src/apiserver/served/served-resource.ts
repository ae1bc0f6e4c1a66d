/** What is behind a resource path: its data, its store, and one of its API versions. */
import type { ResourceInfo, SubresourceInfo } from '../../api/resources.ts';
import type { KubeObject } from '../../machinery/object-meta.ts';
import type { ResourceStore } from '../../registry/generic/resource-store.ts';
import type { ServedVersion } from '../../registry/generic/served-version.ts';
import type { ApiResponse } from '../../server/exchange.ts';
import type { ApiRequest } from '../request/request.ts';
import type { Deprecation } from './deprecation.ts';

export interface ServedResource {
  readonly info: ResourceInfo;
  readonly servedVersion: ServedVersion;
  /** Absent for virtual types, which are answered by `virtual`. */
  readonly store: ResourceStore | undefined;
  /** All versions in which the same objects are served, by apiVersion. */
  readonly servedVersions: ReadonlyMap<string, ServedVersion>;
  /** Absent for an API that stays. */
  readonly deprecation: Deprecation | undefined;
  /** What a type that is never stored answers (reviews, bindings). */
  readonly virtual?: VirtualResource;
  /** Of resources that can change or go while the server runs. */
  readonly lifetime?: Lifetime;
  /** Subresources with an endpoint of their own (scale, binding, eviction, …), by name. */
  readonly subresources: ReadonlyMap<string, SubresourceEndpoint>;
}

/** What is served for as long as its definition stays as it is. */
export interface Lifetime {
  /** Keeps the resource open until the returned function is called. */
  enter(): () => void;
  /** Its definition was deleted: what is there can be read, changed and deleted, but nothing new comes. */
  readonly isTerminating: boolean;
}

/** A type that represents an operation or a state: asked or POSTed, answered, never stored. Handlers by API verb. */
export type VirtualResource = SubresourceEndpoint['verbs'];

/** Whether the resource comes from a definition. Also true for its Scale. */
export const isCustom = ({ servedVersions, info }: Pick<ServedResource, 'servedVersions' | 'info'>): boolean =>
  servedVersions.get(info.apiVersion)?.custom !== undefined;

/** Whether an object may have to be converted by a webhook before it can be returned. */
export const mayWait = ({ servedVersions, info }: Pick<ServedResource, 'servedVersions' | 'info'>): boolean =>
  servedVersions.get(info.apiVersion)?.custom?.mayWait === true;

/**
 * Answers a request that leads to another server.
 * @param options what the client asks for, as admission leaves it; empty where there is nothing to admit
 */
export type ConnectHandler = (served: ServedResource, request: ApiRequest, options: KubeObject) => Promise<ApiResponse>;

export interface SubresourceEndpoint {
  readonly info: SubresourceInfo;
  /** By API verb: get, update, patch, create. A verb without a handler is not allowed. */
  readonly verbs: Readonly<
    Partial<Record<string, (served: ServedResource, request: ApiRequest) => Promise<ApiResponse>>>
  >;
}
