/** Reads and writes objects of any resource by their metadata. */
import { isConflict, isNotFound, isUnsupportedMediaType } from '../../client/api-error.ts';
import { undefinedWhenGone } from '../../client/undefined-when-gone.ts';
import type { DiscoveredResource } from '../../client/discovery/resources.ts';
import type { Client, Patch, ResourceClient } from '../../client/index.ts';
import type { KubeObject, OwnerReference } from '../../machinery/object-meta.ts';
import type { GraphNode } from './graph.ts';
import { type PropagationPolicy, releasedReferences, releasePatch, unblockedReferences, unblockPatch } from './sync.ts';

/** How often a change of an object that others change too is begun anew. */
const maxTries = 5;

export class Objects {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /** The object of the name as the server has it; undefined when there is none. */
  find(resource: DiscoveredResource, namespace: string, name: string): Promise<KubeObject | undefined> {
    return this.#of(resource, namespace).get(name).catch(undefinedWhenGone);
  }

  /** Undefined when it is gone, also when there is another one of its name. */
  async latest(node: GraphNode): Promise<KubeObject | undefined> {
    const found = await this.find(node.resource!, node.namespace, node.name);
    return found?.metadata?.uid === node.uid ? found : undefined;
  }

  /** Rejects with a conflict when the object was changed since it was read: it may have another owner now. */
  async delete({ resource, namespace }: GraphNode, { metadata }: KubeObject, policy: PropagationPolicy): Promise<void> {
    const { name, uid, resourceVersion } = metadata!;
    await this.#of(resource!, namespace).delete(name!, {
      preconditions: { uid: uid!, resourceVersion: resourceVersion! },
      propagationPolicy: policy,
    });
  }

  /** Takes references of the object to these owners out. An object that is gone has none. */
  release(node: GraphNode, owners: readonly string[]): Promise<void> {
    return this.#patchReferences(node, releasePatch(node.uid, owners), (latest) => releasedReferences(latest, owners));
  }

  /** References of the object block none of its owners any more. */
  unblock(node: GraphNode, latest: KubeObject): Promise<void> {
    return this.#patchReferences(node, unblockPatch(latest), unblockedReferences);
  }

  async removeFinalizer(node: GraphNode, finalizer: string): Promise<void> {
    await this.#change(node, async (latest) => {
      const { name, resourceVersion, finalizers = [] } = latest.metadata!;
      if (!finalizers.includes(finalizer)) return;
      const left = finalizers.filter((each) => each !== finalizer);
      await this.#patch(node, name!, { merge: { metadata: { resourceVersion, finalizers: left } } });
    });
  }

  async #patchReferences(
    node: GraphNode,
    strategic: object,
    referencesOf: (latest: KubeObject) => readonly OwnerReference[],
  ): Promise<void> {
    try {
      await this.#patch(node, node.name, { strategic });
    } catch (error) {
      if (isNotFound(error)) return;
      if (!isUnsupportedMediaType(error)) throw error;
      await this.#change(node, async (latest) => {
        const { name, resourceVersion } = latest.metadata!;
        const ownerReferences = referencesOf(latest);
        await this.#patch(node, name!, { merge: { metadata: { resourceVersion, ownerReferences } } });
      });
    }
  }

  /** Repeats the change on the object as it is now. */
  async #change(node: GraphNode, change: (latest: KubeObject) => Promise<void>): Promise<void> {
    for (let tries = 1; ; tries++) {
      const latest = await this.latest(node);
      if (latest === undefined) return;
      try {
        return await change(latest);
      } catch (error) {
        if (isNotFound(error)) return;
        if (!isConflict(error) || tries === maxTries) throw error;
      }
    }
  }

  async #patch({ resource, namespace }: GraphNode, name: string, patch: Patch): Promise<void> {
    await this.#of(resource!, namespace).patch(name, patch);
  }

  #of({ group, version, resource, namespaced }: DiscoveredResource, namespace: string): ResourceClient {
    const target = { group, version, resource, hasProtobuf: true, ...(namespaced ? { namespace } : {}) };
    return this.#client.resourceFor(target).asMetadata();
  }
}
