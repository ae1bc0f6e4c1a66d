/** Deletes what is in a namespace: all objects of every resource that the server knows and lets be deleted. */
import { isMethodNotSupported, isNotFound } from '../../client/api-error.ts';
import type { ResourceClient } from '../../client/index.ts';
import type { DiscoveredResource, Discovery } from '../../client/discovery/resources.ts';
import type { KubeObject } from '../../machinery/object-meta.ts';
import type { ControllerContext } from '../manager/context.ts';
import { inParallel } from '../shared/parallel.ts';
import { discoveryFailureOf, finalizerEstimateSeconds, type Findings, graceSeconds, type Remaining } from './sync.ts';

/** Resources of one namespace at a time. */
const width = 8;

export interface DeletedContent extends Findings {
  /** Seconds until what remains may be gone; 0 when nothing remains. */
  readonly estimateSeconds: number;
}

interface DeletedResource {
  readonly remaining: Remaining;
  readonly estimateSeconds: number;
}

/** @param deletedForMs how long the namespace has been deleted */
export async function deleteContent(
  context: ControllerContext,
  discovery: Discovery,
  namespace: string,
  deletedForMs: number,
): Promise<DeletedContent> {
  const resources = discovery.preferred.filter(({ namespaced, verbs }) => namespaced && verbs.has('delete'));
  const results = await inParallel(resources, width, (resource) =>
    new ResourceContent(context, resource, namespace).delete(deletedForMs),
  );
  const deleted = results.filter((result) => result.status === 'fulfilled').map(({ value }) => value);
  const failures = results.filter((result) => result.status === 'rejected').map(({ reason }) => messageOf(reason));
  return {
    discoveryFailure: discoveryFailureOf(discovery.failures),
    deletionFailures: failures,
    remaining: deleted.map(({ remaining }) => remaining),
    estimateSeconds: Math.max(0, ...deleted.map(({ estimateSeconds }) => estimateSeconds)),
  };
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

class ResourceContent {
  readonly #context: ControllerContext;
  readonly #resource: DiscoveredResource;
  readonly #namespace: string;
  readonly #objects: ResourceClient<KubeObject>;

  constructor(context: ControllerContext, resource: DiscoveredResource, namespace: string) {
    this.#context = context;
    this.#resource = resource;
    this.#namespace = namespace;
    const { group, version, resource: name } = resource;
    this.#objects = context.client
      .resourceFor({ group, version, resource: name, hasProtobuf: true, namespace })
      .asMetadata();
  }

  /** Throws when objects could not be deleted, or when some are left and nothing says why. */
  async delete(deletedForMs: number): Promise<DeletedResource> {
    const { group, resource, version } = this.#resource;
    const none: DeletedResource = {
      remaining: { group, resource, count: 0, finalizers: new Map() },
      estimateSeconds: 0,
    };
    if (await this.#isEmpty()) return none;
    const estimate = await this.#estimate(deletedForMs);
    await this.#deleteAll();
    const remaining = await this.#remaining();
    if (remaining.count === 0) return none;
    if (estimate > 0) return { remaining, estimateSeconds: estimate };
    if (remaining.finalizers.size > 0) return { remaining, estimateSeconds: finalizerEstimateSeconds };
    throw new Error(
      `unexpected items still remain in namespace: ${this.#namespace} for gvr: ` +
        `${group}/${version}, Resource=${resource}`,
    );
  }

  /** Most resources have nothing in a namespace, and one request says so. */
  async #isEmpty(): Promise<boolean> {
    if (!this.#resource.verbs.has('list')) return false;
    const page = await this.#objects.list({ limit: 1 }).catch(undefinedWhenNotServed);
    return page === undefined || page.items.length === 0;
  }

  /** Only pods end in good order. */
  async #estimate(deletedForMs: number): Promise<number> {
    if (this.#resource.group !== '' || this.#resource.resource !== 'pods') return 0;
    const { items } = await this.#context.client.core.v1.pods.namespace(this.#namespace).listAll();
    return graceSeconds(items, deletedForMs);
  }

  async #deleteAll(): Promise<void> {
    const options = { propagationPolicy: 'Background', timeoutMs: deletionTimeoutMs } as const;
    if (this.#resource.verbs.has('deletecollection')) {
      try {
        return await this.#objects.deleteCollection({}, options);
      } catch (error) {
        if (!isNotFound(error) && !isMethodNotSupported(error)) throw error;
      }
    }
    await this.#deleteEach();
  }

  async #deleteEach(): Promise<void> {
    for await (const { items } of this.#objects.pages()) {
      const results = await inParallel(items, width, ({ metadata }) =>
        this.#objects.delete(metadata!.name!, { propagationPolicy: 'Background' }),
      );
      for (const result of results)
        if (result.status === 'rejected' && !isNotFound(result.reason) && !isMethodNotSupported(result.reason))
          throw result.reason;
    }
  }

  async #remaining(): Promise<Remaining> {
    const { group, resource, verbs } = this.#resource;
    const finalizers = new Map<string, number>();
    let count = 0;
    const left = verbs.has('list') ? await this.#objects.listAll().catch(undefinedWhenNotServed) : undefined;
    for (const { metadata } of left?.items ?? []) {
      count++;
      for (const name of metadata?.finalizers ?? []) finalizers.set(name, (finalizers.get(name) ?? 0) + 1);
    }
    return { group, resource, count, finalizers };
  }
}

/** The server deletes one object after the other before it answers. */
const deletionTimeoutMs = 60_000;

/** A resource that was discovered and is not served any more has no objects: its definition went with them. */
function undefinedWhenNotServed(error: unknown): undefined {
  if (!isNotFound(error) && !isMethodNotSupported(error)) throw error;
}
