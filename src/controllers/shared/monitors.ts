/** Informers for all resources of a kind that a controller is about, as they come and go. */
import type { Clock, Timer } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { apiVersionOf, type DiscoveredResource, type Discovery } from '../../client/discovery/resources.ts';
import type { Informer, InformerHandler, InformerLease } from '../../client/index.ts';
import type { ResourceTarget } from '../../client/resources/resource-client.ts';
import type { KubeObject } from '../../machinery/object-meta.ts';

export interface MonitorsOptions {
  readonly discover: (signal: AbortSignal) => Promise<Discovery>;
  readonly isWanted: (resource: DiscoveredResource) => boolean;
  readonly lease: (target: ResourceTarget) => InformerLease;
  /** Told of all objects of a resource and of each change. */
  readonly handlerOf: (resource: DiscoveredResource) => InformerHandler<KubeObject>;
  /** Resources that are monitored from now on. */
  readonly onAdded?: (resources: readonly DiscoveredResource[]) => void;
  /** The resource is not served any more. */
  readonly forget?: (resource: DiscoveredResource) => void;
  /** What is served could not be found out. */
  readonly onFailure?: (error: unknown) => void;
  readonly log: Logger;
  readonly clock: Clock;
}

interface Monitor {
  readonly resource: DiscoveredResource;
  readonly lease: InformerLease;
  readonly end: () => void;
  /** Served at the last look. Objects that went with their definition are still told of for a while. */
  isServed: boolean;
}

/** As upstream looks. */
export const rediscoverMs = 30_000;
/** What is changed together is looked at together. */
const gatherMs = 1000;
/** A change of these changes what is served. */
const definitions: ReadonlySet<string> = new Set([
  'apiextensions.k8s.io/customresourcedefinitions',
  'apiregistration.k8s.io/apiservices',
]);

export class Monitors {
  readonly #options: MonitorsOptions;
  readonly #monitors = new Map<string, Monitor>();
  readonly #abort = new AbortController();
  #discovery: Discovery | undefined;
  #soon: Timer | undefined;

  constructor(options: MonitorsOptions) {
    this.#options = options;
  }

  /** What was found out last. */
  get discovery(): Discovery | undefined {
    return this.#discovery;
  }

  /** Rejects when what is served cannot be found out. What is monitored stays then. */
  async refresh(): Promise<void> {
    this.apply(await this.discover());
  }

  async discover(): Promise<Discovery> {
    try {
      return await this.#options.discover(this.#abort.signal);
    } catch (error) {
      if (!this.#abort.signal.aborted) this.#options.onFailure?.(error);
      throw error;
    }
  }

  /** Monitors what is served and wanted. */
  apply(discovery: Discovery): void {
    if (this.#abort.signal.aborted) return;
    this.#discovery = discovery;
    const served = new Map<string, DiscoveredResource>();
    for (const resource of discovery.preferred)
      if (this.#options.isWanted(resource)) served.set(keyOf(resource), resource);
    for (const [key, monitor] of this.#monitors) if (!served.has(key)) this.#retire(key, monitor, discovery);
    const added = [...served].filter(([key]) => !this.#monitors.has(key)).map(([, resource]) => resource);
    for (const [key, resource] of served) this.#monitor(key, resource);
    if (added.length > 0) this.#options.onAdded?.(added);
  }

  /** Of a resource that is monitored, in whatever version. */
  informerOf(of: { readonly group: string; readonly resource: string }): Informer<KubeObject> | undefined {
    for (const { resource, lease } of this.#monitors.values())
      if (resource.group === of.group && resource.resource === of.resource) return lease.informer;
    return undefined;
  }

  /** Whether it could not be found out if the group has such a resource. */
  isUnknown({ group }: { readonly group: string }): boolean {
    if (this.#discovery === undefined) return true;
    return [...this.#discovery.failures.keys()].some((apiVersion) => apiVersion.startsWith(`${group}/`));
  }

  /** Resolves when all objects that are monitored now were told once, or the signal aborts. */
  async untilSynced(signal: AbortSignal): Promise<void> {
    for (const { lease } of [...this.#monitors.values()]) await lease.informer.untilSynced(signal);
  }

  stop(): void {
    this.#abort.abort();
    this.#soon?.cancel();
    for (const { end } of this.#monitors.values()) end();
    this.#monitors.clear();
  }

  #monitor(key: string, resource: DiscoveredResource): void {
    const known = this.#monitors.get(key);
    if (known !== undefined) return void (known.isServed = true);
    const { lease: leaseOf, handlerOf } = this.#options;
    const { group, version, resource: name } = resource;
    const lease = leaseOf({ group, version, resource: name, hasProtobuf: true });
    const registrations = [lease.informer.addHandler(handlerOf(resource))];
    if (definitions.has(`${group}/${name}`)) registrations.push(lease.informer.addHandler(this.#rediscovery()));
    const end = (): void => {
      for (const registration of registrations) registration.remove();
      lease.release();
    };
    this.#monitors.set(key, { resource, lease, end, isServed: true });
  }

  #retire(key: string, monitor: Monitor, { failures }: Discovery): void {
    // A group that is away for a time still has its objects.
    if (failures.has(apiVersionOf(monitor.resource))) return;
    if (monitor.isServed) return void (monitor.isServed = false);
    monitor.end();
    this.#monitors.delete(key);
    this.#options.forget?.(monitor.resource);
  }

  #rediscovery(): InformerHandler<KubeObject> {
    const soon = (): void => this.#refreshSoon();
    return { onAdd: (_, isInitial) => (isInitial ? undefined : soon()), onUpdate: soon, onDelete: soon };
  }

  #refreshSoon(): void {
    const { clock, log } = this.#options;
    this.#soon ??= clock.after(gatherMs, () => {
      this.#soon = undefined;
      this.refresh().catch((error: unknown) => {
        if (!this.#abort.signal.aborted) log.warn({ err: error }, 'what is served could not be found out');
      });
    });
  }
}

const keyOf = ({ group, version, resource }: DiscoveredResource): string => `${group}/${version}/${resource}`;
