/** What is behind a resource path: its data, its store, and one of its API versions. */
import type { ResourceInfo, SubresourceInfo } from '../../api/resources.ts';
import type { ResourceStore } from '../../registry/generic/resource-store.ts';
import type { VersionForm } from '../../registry/generic/version-form.ts';
import type { ApiRequest, ApiResponse } from '../request.ts';

export interface ServedResource {
  readonly info: ResourceInfo;
  readonly form: VersionForm;
  /** Absent for virtual types, which are answered by `virtual`. */
  readonly store: ResourceStore | undefined;
  /** All forms in which the same objects are served, by apiVersion. */
  readonly forms: ReadonlyMap<string, VersionForm>;
  /** What a type that is never stored answers (reviews, bindings). */
  readonly virtual?: VirtualResource;
  /** Subresources with an endpoint of their own (scale, binding, eviction, …), by name. */
  readonly subresources: ReadonlyMap<string, SubresourceEndpoint>;
}

/** A type that represents an operation or a state: asked or POSTed, answered, never stored. Handlers by API verb. */
export type VirtualResource = SubresourceEndpoint['verbs'];

export interface SubresourceEndpoint {
  readonly info: SubresourceInfo;
  /** By API verb: get, update, patch, create. A verb without a handler is not allowed. */
  readonly verbs: Readonly<Partial<Record<string, (served: ServedResource, request: ApiRequest) => Promise<ApiResponse>>>>;
}
