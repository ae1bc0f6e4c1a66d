/**
 * The operations on one resource, in one namespace, in all of them, or cluster-wide.
 *
 * One class serves every resource: which of its methods the server has for a resource is in the types
 * (`typed-resources.ts`).
 */
import type { KubeObject } from '../../machinery/object-meta.ts';
import type { JsonValue } from '../../machinery/value.ts';
import { encodeJson } from '../../machinery/json/writer.ts';
import { HttpSource, type HttpSourceOptions } from '../http-source.ts';
import { listAll, type Page, pagesOf } from './list-all.ts';
import { type MediaTypes, mediaTypes, type Projection } from './media-types.ts';
import { type EncodedObject, encodeObject, json } from './object-codec.ts';
import { itemsOf, type ObjectList } from './object-list.ts';
import type {
  ApplyOptions,
  DeleteOptions,
  GetOptions,
  ListAllOptions,
  ListOptions,
  Patch,
  RequestOptions,
  WatchOptions,
  WriteOptions,
} from './options.ts';
import { pathOf, type QueryParameters, withQuery } from './paths.ts';
import type { Requests } from './requests.ts';
import { watchEvents, type WatchEvent } from './watch.ts';

/** A resource as its path names it, and what is known of its objects. */
export interface ResourceTarget {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** Sent where an object does not say its own. */
  readonly kind?: string;
  /** Of the kind, where it is not that of the path. */
  readonly apiVersion?: string;
  readonly hasProtobuf: boolean;
  readonly namespace?: string;
  readonly subresource?: string;
  readonly projection?: Projection;
}

export type SourceOptions = Pick<
  HttpSourceOptions,
  'labelSelector' | 'fieldSelector' | 'pageSize' | 'minWatchSeconds' | 'streamLists' | 'dropManagedFields' | 'partial'
>;

/** @typeParam W objects as they are written, where that is another type */
export class ResourceClient<T extends KubeObject = KubeObject, W extends KubeObject = T> {
  readonly target: ResourceTarget;
  readonly #requests: Requests;
  readonly #media: MediaTypes;

  constructor(target: ResourceTarget, requests: Requests) {
    this.target = target;
    this.#requests = requests;
    this.#media = mediaTypes(requests.encodings.acceptsProtobuf && target.hasProtobuf, target.projection);
  }

  /** The same in one namespace. */
  namespace(namespace: string): ResourceClient<T, W> {
    return new ResourceClient({ ...this.target, namespace }, this.#requests);
  }

  /** A subresource, such as `status`. */
  subresource<S extends KubeObject = T>(name: string, kind = this.target.kind): ResourceClient<S> {
    return this.#with({ subresource: name, ...(kind === undefined ? {} : { kind }) });
  }

  /** The metadata of the objects alone. What is written with it are patches and deletions. */
  asMetadata(): ResourceClient<KubeObject> {
    return this.#with({ projection: 'PartialObjectMetadata' });
  }

  /** The objects as rows, as `kubectl get` prints them. */
  asTable<Row extends KubeObject = KubeObject>(): ResourceClient<Row> {
    return this.#with({ projection: 'Table' });
  }

  get(name: string, { resourceVersion, ...options }: GetOptions = {}): Promise<T> {
    return this.#call('GET', { name }, { resourceVersion }, options);
  }

  /**
   * Creates the object in the client's namespace, or in its own.
   * @param name of the object whose subresource is created (`binding`, `eviction`, `token`)
   */
  create(object: W, options?: WriteOptions): Promise<T>;
  create(name: string, object: W, options?: WriteOptions): Promise<T>;
  create(...all: [W, WriteOptions?] | [string, W, WriteOptions?]): Promise<T> {
    const [name, object, options = {}] =
      typeof all[0] === 'string' ? (all as [string, W, WriteOptions?]) : [undefined, ...(all as [W, WriteOptions?])];
    return this.#call('POST', { name, ...this.#home(object) }, writeParameters(options), options, this.#encode(object));
  }

  /** Replaces the object. With its resourceVersion: fails with a conflict when the object was changed since. */
  update(object: W, options: WriteOptions = {}): Promise<T> {
    const at = { name: object.metadata?.name ?? '', ...this.#home(object) };
    return this.#call('PUT', at, writeParameters(options), options, this.#encode(object));
  }

  patch(name: string, patch: Patch, options: WriteOptions & { readonly force?: boolean } = {}): Promise<T> {
    return this.#call('PATCH', { name }, writeParameters(options), options, encodePatch(patch));
  }

  /** Server-side apply: the object has the fields that the manager wants, and only these. */
  apply(object: W, { force, ...options }: ApplyOptions): Promise<T> {
    const at = { name: object.metadata?.name ?? '', ...this.#home(object) };
    const body = encoded('application/apply-patch+yaml', this.#typed(object));
    return this.#call('PATCH', at, { ...writeParameters(options), force }, options, body);
  }

  /** Resolves with the object when it is still there: with finalizers, or until it has ended in good order. */
  async delete(name: string, options: DeleteOptions = {}): Promise<T | undefined> {
    const answer = await this.#call('DELETE', { name }, {}, options, deleteBody(options));
    return answer.kind === 'Status' && answer.apiVersion === 'v1' ? undefined : answer;
  }

  /** Deletes all objects that are selected, one after the other on the server. */
  async deleteCollection(selection: ListOptions = {}, options: DeleteOptions = {}): Promise<void> {
    const { signal, timeoutMs, ...parameters } = selection;
    // The answer is a list of what was deleted.
    await this.#requests.call({
      method: 'DELETE',
      path: withQuery(this.#path({}), parameters),
      accept: this.#media.list,
      body: deleteBody(options),
      signal: options.signal ?? signal,
      timeoutMs: options.timeoutMs ?? timeoutMs,
    });
  }

  /** One answer: with `limit` a page, else all. Items have kind and apiVersion. */
  async list({ signal, timeoutMs, ...parameters }: ListOptions = {}): Promise<ObjectList<T> & { items: T[] }> {
    const path = withQuery(this.#path({}), parameters);
    const request = { method: 'GET', path, accept: this.#media.list, signal, timeoutMs };
    const list = await this.#requests.call<ObjectList<T>>(request);
    // Rows are no items.
    return this.target.projection === 'Table'
      ? (list as typeof list & { items: T[] })
      : Object.assign(list, { items: itemsOf(list) });
  }

  /** Page by page, as they are read. Throws `ApiError` 410 when the list expires in between. */
  pages(options: ListAllOptions = {}): AsyncGenerator<Page<T>, void, void> {
    return pagesOf(this, options);
  }

  /** All objects at one version, read in pages or by a stream. */
  listAll(options: ListAllOptions = {}): Promise<Page<T>> {
    return listAll(this, options);
  }

  /** Changes as they happen, over as many connections as it takes. Ends when the caller leaves the loop. */
  watch(options: WatchOptions = {}): AsyncGenerator<WatchEvent<T>, void, void> {
    const { sender } = this.#requests;
    const isTable = this.target.projection === 'Table';
    return watchEvents<T>(
      {
        open: (parameters, signal) =>
          this.#requests.open({
            method: 'GET',
            // Rows have no place for a bookmark: servers refuse to send both.
            path: withQuery(this.#path({}), { ...parameters, ...(isTable ? { allowWatchBookmarks: undefined } : {}) }),
            accept: this.#media.watch,
            signal,
          }),
        clock: sender.clock,
        random: Math.random,
      },
      options,
    );
  }

  /** What an informer reads. */
  source(options: SourceOptions = {}): HttpSource<T> {
    const { sender } = this.#requests;
    return new HttpSource<T>({
      ...options,
      path: this.#path({}),
      clock: sender.clock,
      accept: this.#media.list,
      acceptOfWatch: this.#media.watch,
      async fetch(path, { headers, signal }) {
        const answer = await sender.send({ method: 'GET', path, headers, signal });
        // The source has time limits of its own.
        answer.release();
        return answer;
      },
    });
  }

  async #call(
    method: string,
    at: { readonly name?: string | undefined; readonly namespace?: string | undefined },
    parameters: QueryParameters,
    { signal, timeoutMs }: RequestOptions,
    body?: EncodedObject,
  ): Promise<T> {
    const path = withQuery(this.#path(at), parameters);
    return this.#requests.call<T>({ method, path, accept: this.#media.object, body, signal, timeoutMs });
  }

  #path(at: { readonly name?: string | undefined; readonly namespace?: string | undefined }): string {
    return pathOf({ ...this.target, ...at });
  }

  /** An object goes where the client is, else where it says that it is. */
  #home({ metadata }: W): { readonly namespace?: string } {
    const { namespace = metadata?.namespace } = this.target;
    return namespace === undefined ? {} : { namespace };
  }

  #encode(object: W): EncodedObject {
    return encodeObject(this.#typed(object), this.#requests.encodings.sendsProtobuf && this.target.hasProtobuf);
  }

  #typed(object: W): W {
    const { group, version, kind, apiVersion = group === '' ? version : `${group}/${version}` } = this.target;
    if (object.kind !== undefined && object.apiVersion !== undefined) return object;
    if (kind === undefined) throw new TypeError('an object of a custom resource needs apiVersion and kind');
    return { ...object, apiVersion, kind };
  }

  #with<S extends KubeObject>(more: Partial<ResourceTarget>): ResourceClient<S> {
    return new ResourceClient<S>({ ...this.target, ...more }, this.#requests);
  }
}

const writeParameters = ({ dryRun, fieldManager, fieldValidation }: WriteOptions): QueryParameters => ({
  dryRun: dryRun === true ? 'All' : undefined,
  fieldManager,
  fieldValidation,
});

function encodePatch(patch: Patch): EncodedObject {
  if ('merge' in patch) return encoded('application/merge-patch+json', patch.merge);
  if ('json' in patch) return encoded('application/json-patch+json', patch.json);
  return encoded('application/strategic-merge-patch+json', patch.strategic);
}

function deleteBody({ gracePeriodSeconds, propagationPolicy, preconditions, dryRun }: DeleteOptions): EncodedObject {
  const dry = dryRun === true ? ['All'] : undefined;
  const options = { gracePeriodSeconds, propagationPolicy, preconditions, dryRun: dry };
  return encoded(json, { apiVersion: 'v1', kind: 'DeleteOptions', ...options });
}

const encoded = (contentType: string, value: object): EncodedObject => ({
  contentType,
  body: encodeJson(value as JsonValue),
});
