/**
 * Shows static pods in the API server: each has a mirror there, which carries its status. A mirror that was deleted or
 * changed is made anew; one whose pod is gone is deleted. What becomes of a mirror does not touch the pod.
 */
import type { Node, Pod } from '../../../api/gen/types/core-v1.ts';
import type { Logger } from '../../../base/logger.ts';
import type { Client } from '../../../client/client.ts';
import { undefinedWhenGone } from '../../../client/undefined-when-gone.ts';
import { configHash, configMirror } from './static-pod.ts';

export interface MirrorPodsOptions {
  readonly client: Client;
  readonly log: Logger;
  readonly node: () => Node | undefined;
  /** Told when a static pod has another mirror. */
  readonly onChange: (staticUid: string) => void;
}

const nameOf = ({ metadata }: Pick<Pod, 'metadata'>): string => `${metadata.namespace}/${metadata.name}`;

export class MirrorPods {
  readonly #options: MirrorPodsOptions;
  /** As the API server has them, by namespace and name. */
  readonly #mirrors = new Map<string, Pod>();
  #syncing: Promise<void> | undefined;

  constructor(options: MirrorPodsOptions) {
    this.#options = options;
  }

  /** The mirror of a static pod; undefined while there is none. */
  of(pod: Pod): Pod | undefined {
    const mirror = this.#mirrors.get(nameOf(pod));
    return mirror !== undefined && isMirrorOf(mirror, pod) ? mirror : undefined;
  }

  has(uid: string): boolean {
    return [...this.#mirrors.values()].some(({ metadata }) => metadata.uid === uid);
  }

  set(mirror: Pod): void {
    const before = this.#mirrors.get(nameOf(mirror));
    this.#mirrors.set(nameOf(mirror), mirror);
    if (before?.metadata.uid !== mirror.metadata.uid) this.#options.onChange(hashOf(mirror));
  }

  remove(uid: string): void {
    for (const [name, mirror] of this.#mirrors) if (mirror.metadata.uid === uid) this.#mirrors.delete(name);
  }

  /** @param pods static pods that live, or end */
  sync(pods: readonly Pod[]): Promise<void> {
    this.#syncing ??= this.#sync(pods).finally(() => (this.#syncing = undefined));
    return this.#syncing;
  }

  async #sync(pods: readonly Pod[]): Promise<void> {
    const wanted = new Map(pods.map((pod): [string, Pod] => [nameOf(pod), pod]));
    for (const [name, mirror] of [...this.#mirrors]) {
      const pod = wanted.get(name);
      if (pod === undefined || !isMirrorOf(mirror, pod)) await this.#try(mirror, () => this.#delete(mirror));
    }
    for (const [name, pod] of wanted) if (!this.#mirrors.has(name)) await this.#try(pod, () => this.#create(pod));
  }

  async #delete(mirror: Pod): Promise<void> {
    const { name = '', namespace = '', uid = '' } = mirror.metadata;
    const pods = this.#options.client.core.v1.pods.namespace(namespace);
    await pods.delete(name, { gracePeriodSeconds: 0, preconditions: { uid } }).catch(undefinedWhenGone);
    this.#mirrors.delete(nameOf(mirror));
  }

  async #create(pod: Pod): Promise<void> {
    const node = this.#options.node();
    if (node === undefined) return;
    const { name, namespace = '', labels, annotations } = pod.metadata;
    const made = await this.#options.client.core.v1.pods.namespace(namespace).create({
      metadata: {
        name: name ?? '',
        ...(labels === undefined ? {} : { labels }),
        annotations: { ...annotations, [configMirror]: pod.metadata.annotations?.[configHash] ?? '' },
        ownerReferences: [
          { apiVersion: 'v1', kind: 'Node', name: node.metadata.name!, uid: node.metadata.uid!, controller: true },
        ],
      },
      spec: pod.spec,
    });
    this.set(made);
  }

  /** The API server may refuse a mirror: the pod runs all the same. */
  async #try(pod: Pod, change: () => Promise<void>): Promise<void> {
    try {
      await change();
    } catch (error) {
      const reason = (error as Error).message;
      this.#options.log.info({ pod: nameOf(pod), reason }, 'the mirror of a static pod could not be changed');
    }
  }
}

const hashOf = ({ metadata }: Pod): string => metadata.annotations?.[configMirror] ?? '';

const isMirrorOf = (mirror: Pod, pod: Pod): boolean =>
  hashOf(mirror) === (pod.metadata.annotations?.[configHash] ?? '') && mirror.metadata.deletionTimestamp === undefined;
