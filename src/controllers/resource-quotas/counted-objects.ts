/** The objects that quotas count: informers of the resources that some quota names, and of no others. */
import { sleep } from '../../base/clock.ts';
import { discover } from '../../client/discovery/discover.ts';
import type { InformerHandler, InformerLease } from '../../client/index.ts';
import type { ResourceTarget } from '../../client/resources/resource-client.ts';
import type { DiscoveredResource } from '../../client/discovery/resources.ts';
import type { KubeObject } from '../../machinery/object-meta.ts';
import { Monitors, rediscoverMs } from '../shared/monitors.ts';
import type { ControllerContext } from '../manager/context.ts';
import { type CountedResource, countedBy } from './sync.ts';

/** How long the first list of a resource is waited for. */
const firstListMs = 5_000;

export interface ReplenishmentHandler {
  updated(counted: CountedResource, before: KubeObject, after: KubeObject): void;
  deleted(counted: CountedResource, object: KubeObject): void;
}

export class CountedObjects {
  readonly #context: ControllerContext;
  readonly #monitors: Monitors;
  #wanted: ReadonlySet<string> = new Set();
  #first: Promise<void> | undefined;

  constructor(
    context: ControllerContext,
    handler: ReplenishmentHandler,
    onAdded: (resources: readonly CountedResource[]) => void,
  ) {
    this.#context = context;
    this.#monitors = new Monitors({
      discover: (signal) => discover(context.client, signal),
      isWanted: (resource) => this.#isWanted(resource),
      lease: (target) => this.#lease(target),
      handlerOf: (resource) => handlerOf(handler, resource),
      onAdded,
      log: context.log,
      clock: context.clock,
    });
    context.onStop(() => this.#monitors.stop());
    // Where there are no quotas the server is not asked what it serves.
    context.every(rediscoverMs, async () => (this.#wanted.size === 0 ? undefined : this.#monitors.refresh()));
  }

  /** @param names of all quotas */
  want(names: readonly string[]): void {
    const wanted = new Set(countedBy(names).map(keyOf));
    if (wanted.size === this.#wanted.size && [...wanted].every((key) => this.#wanted.has(key))) return;
    this.#wanted = wanted;
    if (this.#monitors.discovery !== undefined) this.#monitors.apply(this.#monitors.discovery);
  }

  /**
   * Those of a namespace. Undefined for a resource that is not served. Throws while they are not known.
   */
  async in(
    namespace: string,
    counted: CountedResource,
    signal: AbortSignal,
  ): Promise<readonly KubeObject[] | undefined> {
    if (this.#monitors.discovery === undefined) await this.#discoverFirst();
    const informer = this.#monitors.informerOf(counted);
    if (informer === undefined) {
      if (this.#monitors.isUnknown(counted)) throw new Error(`it is unknown whether ${keyOf(counted)} is served`);
      return undefined;
    }
    if (!informer.hasSynced) {
      const over = new AbortController();
      const both = AbortSignal.any([signal, over.signal]);
      await Promise.race([
        informer.untilSynced(both).catch(() => undefined),
        sleep(this.#context.clock, firstListMs, both),
      ]);
      over.abort();
    }
    if (!informer.hasSynced) throw new Error(`the objects of ${keyOf(counted)} are not known yet`);
    return informer.lister.listIn(namespace);
  }

  /** Once for all who wait for it. */
  #discoverFirst(): Promise<void> {
    this.#first ??= this.#monitors.refresh().finally(() => (this.#first = undefined));
    return this.#first;
  }

  #isWanted(resource: DiscoveredResource): boolean {
    const { namespaced, verbs } = resource;
    return namespaced && verbs.has('list') && verbs.has('watch') && this.#wanted.has(keyOf(resource));
  }

  /** What is counted by more than number is read whole. */
  #lease(target: ResourceTarget): InformerLease {
    const { pods, services, persistentvolumeclaims } = this.#context.client.core.v1;
    const whole = [pods, services, persistentvolumeclaims].find(
      ({ target: each }) => target.group === each.group && target.resource === each.resource,
    );
    if (whole === undefined) return this.#context.lease(target);
    return { informer: this.#context.informer<KubeObject>(whole as never), release: () => undefined };
  }
}

const keyOf = ({ group, resource }: CountedResource): string => (group === '' ? resource : `${resource}.${group}`);

const handlerOf = (handler: ReplenishmentHandler, resource: DiscoveredResource): InformerHandler<KubeObject> => ({
  onUpdate: (before, after) => handler.updated(resource, before, after),
  onDelete: (last) => handler.deleted(resource, last),
});
