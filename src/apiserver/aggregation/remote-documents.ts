/**
 * Documents of the servers behind APIServices, fetched in the background and cached for requests to this server:
 * discovery of their group versions, their OpenAPI 2.0 document, and the addresses of their documents of version 3.
 *
 * @NOTE differs from upstream: from OpenAPI 2.0 only what is about the group version is taken, not all that a server
 *   serves below
 * `/apis/`.
 */
import type { GroupVersionInfo } from '../../api/resources.ts';
import type { Controller, SyncResult } from '../../reconcile/controller.ts';
import type { WorkQueueObserver } from '../../reconcile/work-queue.ts';
import type { Logger } from '../../base/logger.ts';
import { memberOf } from '../../machinery/members.ts';
import type { UserInfo } from '../../machinery/user.ts';
import { isObject, type JsonObject, type JsonValue } from '../../machinery/value.ts';
import { type PartV2, partV2 } from '../openapi/merge-v2.ts';
import type { ServedApis } from '../served-apis.ts';
import { startApiServiceController } from './api-service-controller.ts';
import type { ApiServices } from './api-services.ts';
import { resourcesFromList, resourcesInGroups } from './remote-discovery.ts';
import type { Fetch, Fetched } from './fetch.ts';
import { type RemoteApi, remoteApiOf } from './remote-api.ts';

export interface RemoteDocumentsOptions {
  readonly services: ApiServices;
  readonly apis: ServedApis;
  readonly fetch: Fetch;
  readonly queue: WorkQueueObserver;
  readonly log: Logger;
}

interface Documents {
  /** Undefined when the server did not answer when it was asked last. */
  readonly resources: readonly JsonObject[] | undefined;
  /** `/openapi/v3/apis/example.com/v1?hash=…`; undefined where there is no such document. */
  readonly openApi: string | undefined;
  /** As the server said last. */
  readonly openApiV2: DocumentV2 | undefined;
}

interface DocumentV2 {
  readonly etag: string | undefined;
  readonly part: PartV2 | undefined;
}

const refreshMs = 60_000;
const discoveryTimeoutMs = 5000;
const openApiTimeoutMs = 60_000;
const workers = 8;
const discoveryTypes = ['v2', 'v2beta1']
  .map((version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`)
  .join(',');
/** The user of the first request, with every right; the others are made with the rights of every user. */
const discoverer: UserInfo = { name: 'system:kube-aggregator', groups: ['system:masters'] };
const reader: UserInfo = { name: 'system:aggregator', groups: [] };

export class RemoteDocuments {
  readonly #options: RemoteDocumentsOptions;
  readonly #controller: Controller;
  readonly #documents = new Map<string, Documents>();
  #parts: readonly PartV2[] = [];

  constructor(options: RemoteDocumentsOptions) {
    this.#options = options;
    this.#controller = startApiServiceController({
      sync: (name, signal) => this.#update(name, signal),
      failure: 'what the server of an API says of itself could not be fetched',
      workers,
      firstRetryMs: 1000,
      maxRetryMs: refreshMs,
      queue: options.queue,
      log: options.log,
    });
    options.services.onChange((name, before, after) => {
      const wasRemote = before !== undefined && remoteApiOf(before) !== undefined;
      const isRemote = after !== undefined && remoteApiOf(after) !== undefined;
      if (!wasRemote && !isRemote) return;
      this.#publish();
      this.#controller.add(name);
    });
  }

  /** What they say in OpenAPI 2.0, APIs of higher priority first; another list when that changes. */
  parts(): readonly PartV2[] {
    return this.#parts;
  }

  /** Where OpenAPI documents of others lie, by their keys in the index. */
  openApiPaths(): ReadonlyMap<string, string> {
    const paths = new Map<string, string>();
    for (const { name, apiVersion } of this.#options.services.remotes) {
      const path = this.#documents.get(name)?.openApi;
      if (path !== undefined) paths.set(`apis/${apiVersion}`, path);
    }
    return paths;
  }

  stop(): Promise<void> {
    return this.#controller.stop();
  }

  async #update(name: string, signal: AbortSignal): Promise<SyncResult> {
    const { services, fetch, log } = this.#options;
    const object = services.get(name);
    const api = object === undefined ? undefined : remoteApiOf(object);
    if (api === undefined) {
      this.#documents.delete(name);
      return undefined;
    }
    const before = this.#documents.get(name);
    const [resources, openApi, openApiV2] = await Promise.all([
      discover(api, fetch, signal).catch(
        (error: unknown) =>
          void log.debug({ err: error, apiService: name }, 'the server of an API did not say what it has'),
      ),
      findOpenApi(api, fetch, signal).catch((error: unknown) => {
        log.debug({ err: error, apiService: name }, 'the address of the OpenAPI document of an API could not be read');
        return before?.openApi;
      }),
      readOpenApiV2(api, before?.openApiV2, fetch, signal).catch((error: unknown) => {
        log.debug({ err: error, apiService: name }, 'the OpenAPI document of an API could not be read');
        return before?.openApiV2;
      }),
    ]);
    this.#documents.set(name, { resources, openApi, openApiV2 });
    this.#publish();
    return { requeueAfterMs: refreshMs };
  }

  #publish(): void {
    const { services, apis } = this.#options;
    const parts = [...services.remotes]
      .sort(byPriority)
      .flatMap((api) => this.#documents.get(api.name)?.openApiV2?.part ?? []);
    if (parts.length !== this.#parts.length || parts.some((part, i) => part !== this.#parts[i])) this.#parts = parts;
    apis.setRemote([...services.remotes].map((api) => groupVersionOf(api, this.#documents.get(api.name)?.resources)));
  }
}

const groupVersionOf = (
  { group, version, apiVersion, groupPriority, versionPriority }: RemoteApi,
  resources: readonly JsonObject[] | undefined,
): GroupVersionInfo => ({
  group,
  version,
  apiVersion,
  types: '',
  groupPriority,
  versionPriority,
  enabledByDefault: true,
  resources: [],
  remote: {
    freshness: resources === undefined ? 'Stale' : 'Current',
    ...(resources === undefined || resources.length === 0 ? {} : { resources }),
  },
});

async function discover(api: RemoteApi, fetch: Fetch, signal: AbortSignal): Promise<readonly JsonObject[]> {
  const all = await fetch(api, {
    path: '/apis',
    user: discoverer,
    accept: discoveryTypes,
    timeoutMs: discoveryTimeoutMs,
    signal,
  });
  if (all.status === 503) throw new Error('the server answered with status 503');
  if (all.status === 200 && all.contentType.includes('as=APIGroupDiscoveryList'))
    return resourcesInGroups(parsed(all), api) ?? [];
  const one = await fetch(api, {
    path: `/apis/${api.apiVersion}`,
    user: { ...discoverer, groups: [] },
    accept: 'application/json',
    timeoutMs: discoveryTimeoutMs,
    signal,
  });
  if (one.status !== 200) throw new Error(`the server answered with status ${one.status}`);
  return resourcesFromList(parsed(one), api);
}

/** A server can speak for its own group version only. */
async function findOpenApi(api: RemoteApi, fetch: Fetch, signal: AbortSignal): Promise<string | undefined> {
  const index = await fetch(api, {
    path: '/openapi/v3',
    user: reader,
    accept: 'application/json',
    timeoutMs: openApiTimeoutMs,
    signal,
  });
  const paths = index.status === 200 ? parsed(index) : undefined;
  const key = `apis/${api.apiVersion}`;
  const entry = memberIn(memberIn(paths, 'paths'), key);
  const url = memberIn(entry, 'serverRelativeURL');
  return typeof url === 'string' && url.split('?', 1)[0] === `/openapi/v3/${key}` ? url : undefined;
}

async function readOpenApiV2(
  api: RemoteApi,
  before: DocumentV2 | undefined,
  fetch: Fetch,
  signal: AbortSignal,
): Promise<DocumentV2 | undefined> {
  const answer = await fetch(api, {
    path: '/openapi/v2',
    user: reader,
    accept: 'application/json',
    ifNoneMatch: before?.etag,
    timeoutMs: openApiTimeoutMs,
    signal,
  });
  if (answer.status === 304) return before;
  if (answer.status === 404) return undefined;
  if (answer.status !== 200) throw new Error(`the server answered with status ${answer.status}`);
  return { etag: answer.etag, part: partV2(parsed(answer), api.apiVersion) };
}

const byPriority = (a: RemoteApi, b: RemoteApi): number =>
  b.groupPriority - a.groupPriority || b.versionPriority - a.versionPriority || (a.name < b.name ? -1 : 1);

const memberIn = (value: JsonValue | undefined, name: string): JsonValue | undefined =>
  isObject(value) ? memberOf(value, name) : undefined;

const parsed = ({ body }: Fetched): JsonValue => JSON.parse(body) as JsonValue;
