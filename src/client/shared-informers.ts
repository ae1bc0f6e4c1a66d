/**
 * One informer for each resource, whichever parts of a process read it: the objects are there once, and are watched
 * once.
 */
import { type Clock, systemClock } from '../base/clock.ts';
import { type Logger, silentLogger } from '../base/logger.ts';
import type { KubeObject, ObjectMeta } from '../machinery/object-meta.ts';
import { Informer } from '../reconcile/informer.ts';
import { namespaceIndexer } from '../reconcile/lister.ts';
import { objectView } from './object-view.ts';
import type { Client } from './client.ts';
import type { WatchEvent } from './resources/watch.ts';
import type { ResourceTarget } from './resources/resource-client.ts';

/** A resource of a client, in all namespaces: `client.apps.v1.deployments`. */
export interface WatchedResource<T extends KubeObject> {
  readonly target: ResourceTarget;
  /** Says the type of the objects; not called. */
  watch(): AsyncIterable<WatchEvent<T>>;
}

export interface SharedInformersOptions {
  readonly log?: Logger;
  /** Nothing older is read: the resource version since when this process leads. */
  readonly notBefore?: string | undefined;
  /** How often handlers are told of all objects again, in milliseconds; never when absent. */
  readonly resyncMs?: number;
  /** What is kept of an object of any resource; managed fields never are. */
  readonly transform?: (object: KubeObject) => KubeObject;
  readonly clock?: Clock;
}

/** Some objects of a resource: an informer of these alone. */
export interface InformerSelection {
  readonly fieldSelector?: string;
}

/** An informer that is there as long as it is wanted. */
export interface InformerLease {
  readonly informer: Informer<KubeObject>;
  /** The informer ends when all leases of it are released. */
  release(): void;
}

export interface SharedInformers extends AsyncDisposable {
  /**
   * The informer of the resource. It starts with the first caller, and lists one namespace without looking at others.
   * @param resource of any client
   */
  for<T extends KubeObject>(resource: WatchedResource<T>, selection?: InformerSelection): Informer<T>;
  /**
   * Who owns the objects of a resource, and what they wait for: for those who look at all resources there are. The
   * informer of whole objects where there is one already, else one whose objects have nothing but that part of their
   * metadata.
   */
  lease(target: ResourceTarget): InformerLease;
  /** Ends all watches. The state stays. */
  stop(): Promise<void>;
}

/** @param client whose credentials all informers read with */
export function createSharedInformers(client: Client, options: SharedInformersOptions = {}): SharedInformers {
  const { log = silentLogger, notBefore, resyncMs, transform, clock = systemClock } = options;
  const informers = new Map<string, Informer<KubeObject>>();
  const leases = new Map<string, { readonly informer: Informer<KubeObject>; count: number }>();
  const start = (
    target: ResourceTarget,
    selection: InformerSelection,
    kept: ((object: KubeObject) => KubeObject) | undefined,
  ): Informer<KubeObject> => {
    const informer = new Informer<KubeObject>({
      source: client.resourceFor(target).source({ ...selection, dropManagedFields: true }),
      indexers: namespaceIndexer(objectView),
      log,
      clock,
      ...(notBefore === undefined ? {} : { notBefore }),
      ...(resyncMs === undefined ? {} : { resyncMs }),
      ...(kept === undefined ? {} : { transform: kept }),
    });
    informer.start();
    return informer;
  };
  const lease = (target: ResourceTarget): InformerLease => {
    const key = keyOf(target);
    const whole = informers.get(key);
    if (whole !== undefined) return { informer: whole, release: () => undefined };
    const projected = { ...target, projection: 'PartialObjectMetadata' as const };
    const leased = leases.get(key) ?? { informer: start(projected, {}, ownershipOf), count: 0 };
    leases.set(key, leased);
    leased.count++;
    let isReleased = false;
    const release = (): void => {
      if (isReleased) return;
      isReleased = true;
      if (--leased.count > 0) return;
      leases.delete(key);
      void leased.informer.stop();
    };
    return { informer: leased.informer, release };
  };
  const stop = async (): Promise<void> => {
    const all = [...informers.values(), ...[...leases.values()].map(({ informer }) => informer)];
    await Promise.all(all.map((informer) => informer.stop()));
  };
  return {
    for<T extends KubeObject>({ target }: WatchedResource<T>, selection: InformerSelection = {}): Informer<T> {
      const key = keyOf(target, selection);
      const informer = informers.get(key) ?? start(target, selection, transform);
      informers.set(key, informer);
      return informer as unknown as Informer<T>;
    },
    lease,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function keyOf(target: ResourceTarget, { fieldSelector = '' }: InformerSelection = {}): string {
  const { group, version, resource, projection } = target;
  return [group, version, resource, projection ?? '', fieldSelector].join('/');
}

/** Small: there is one of these for each object of the cluster that no one watches as a whole. */
function ownershipOf({ metadata = {} }: KubeObject): KubeObject {
  const { name, namespace, uid, resourceVersion, deletionTimestamp, ownerReferences, finalizers } = metadata;
  const kept: ObjectMeta = {};
  if (name !== undefined) kept.name = name;
  if (namespace !== undefined) kept.namespace = namespace;
  if (uid !== undefined) kept.uid = uid;
  if (resourceVersion !== undefined) kept.resourceVersion = resourceVersion;
  if (deletionTimestamp !== undefined) kept.deletionTimestamp = deletionTimestamp;
  if (ownerReferences !== undefined) kept.ownerReferences = ownerReferences;
  if (finalizers !== undefined) kept.finalizers = finalizers;
  return { metadata: kept };
}
