/**
 * One informer for each resource, whichever parts of a process read it: the objects are there once, and are watched
 * once.
 */
import { type Clock, systemClock } from '../base/clock.ts';
import { type Logger, silentLogger } from '../base/logger.ts';
import type { KubeObject } from '../machinery/object-meta.ts';
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
  /** How often handlers are told of all objects again, in milliseconds; never when absent. */
  readonly resyncMs?: number;
  /** What is kept of an object of any resource; managed fields never are. */
  readonly transform?: (object: KubeObject) => KubeObject;
  readonly clock?: Clock;
}

export interface SharedInformers extends AsyncDisposable {
  /**
   * The informer of the resource. It starts with the first caller, and lists one namespace without looking at others.
   * @param resource of any client
   */
  for<T extends KubeObject>(resource: WatchedResource<T>): Informer<T>;
  /** Ends all watches. The state stays. */
  stop(): Promise<void>;
}

/** @param client whose credentials all informers read with */
export function createSharedInformers(client: Client, options: SharedInformersOptions = {}): SharedInformers {
  const { log = silentLogger, resyncMs, transform, clock = systemClock } = options;
  const informers = new Map<string, Informer<KubeObject>>();
  const start = (target: ResourceTarget): Informer<KubeObject> => {
    const informer = new Informer<KubeObject>({
      source: client.resourceFor(target).source({ dropManagedFields: true }),
      indexers: namespaceIndexer(objectView),
      log,
      clock,
      ...(resyncMs === undefined ? {} : { resyncMs }),
      ...(transform === undefined ? {} : { transform }),
    });
    informer.start();
    return informer;
  };
  const stop = async (): Promise<void> => {
    await Promise.all([...informers.values()].map((informer) => informer.stop()));
  };
  return {
    for<T extends KubeObject>(resource: WatchedResource<T>): Informer<T> {
      const { group, version, resource: name, projection = '' } = resource.target;
      const key = `${group}/${version}/${name}/${projection}`;
      const informer = informers.get(key) ?? start(resource.target);
      informers.set(key, informer);
      return informer as unknown as Informer<T>;
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
