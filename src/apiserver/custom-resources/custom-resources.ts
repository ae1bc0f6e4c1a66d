/**
 * Serves what definitions define. When a definition changes, it is opened anew: another storage with another
 * codec takes the place of the old one, whose watches end. Requests that are under way finish on the old one.
 */
import type { CustomResourceDefinition } from '../../api/gen/types/apiextensions-v1.ts';
import { hasCondition } from '../../api/apiextensions/custom-resource-definitions/conditions.ts';
import type { Logger } from '../../base/logger.ts';
import type { CatalogEntry, RegistryCatalog } from '../../registry/catalog.ts';
import type { CustomResource } from '../../registry/custom/resource.ts';
import type { ResourceStore } from '../../registry/generic/resource-store.ts';
import type { Lifetime, ServedResource } from '../served/served-resource.ts';
import type { ServedApis } from '../served-apis.ts';

export interface CustomResourcesOptions {
  readonly registry: RegistryCatalog;
  readonly apis: ServedApis;
  readonly create: (definition: CustomResourceDefinition) => CustomResource;
  /** Endpoints for an entry of the catalog. */
  readonly serve: (entry: CatalogEntry) => ServedResource;
  readonly log: Logger;
}

interface Open {
  readonly resource: CustomResource;
  readonly served: readonly ServedResource[];
  readonly signature: string;
  readonly life: OpenLifetime;
}

/** Counts the requests that use a resource, so that it is closed when the last one is done. */
class OpenLifetime implements Lifetime {
  isTerminating = false;
  #users = 0;
  #retired: (() => void) | undefined;

  enter(): () => void {
    this.#users++;
    return () => {
      if (--this.#users === 0) this.#retired?.();
    };
  }

  retire(close: () => void): void {
    if (this.#users === 0) close();
    else this.#retired = close;
  }
}

export class CustomResources {
  readonly #options: CustomResourcesOptions;
  readonly #open = new Map<string, Open>();
  readonly #closing = new Set<Promise<void>>();

  constructor(options: CustomResourcesOptions) {
    this.#options = options;
  }

  /** The objects of a definition that is served. */
  storeOf(name: string): ResourceStore | undefined {
    return this.#open.get(name)?.resource.store;
  }

  /** Makes what is served fit a definition; undefined when there is none any more. */
  sync(name: string, definition: CustomResourceDefinition | undefined): void {
    const old = this.#open.get(name);
    const wanted = definition !== undefined && hasCondition(definition, 'Established') ? definition : undefined;
    const signature = wanted === undefined ? '' : signatureOf(wanted);
    if (old?.signature !== signature && (old !== undefined || wanted !== undefined))
      this.#swap(name, old, wanted, signature);
    const open = this.#open.get(name);
    if (open !== undefined && definition !== undefined)
      open.life.isTerminating = hasCondition(definition, 'Terminating');
  }

  /** When what was replaced or removed is closed. */
  async close(): Promise<void> {
    await Promise.all(this.#closing);
  }

  #swap(
    name: string,
    old: Open | undefined,
    definition: CustomResourceDefinition | undefined,
    signature: string,
  ): void {
    const { apis, registry } = this.#options;
    // First, because it can fail: then everything stays as it was.
    const next = definition === undefined ? undefined : this.#make(definition, signature);
    apis.replace(old?.served ?? [], next?.served ?? []);
    if (old !== undefined) registry.remove(old.resource.store, old.resource.entries);
    if (next === undefined) this.#open.delete(name);
    else {
      this.#open.set(name, next);
      registry.add(next.resource.store, next.resource.entries);
    }
    old?.life.retire(() => this.#close(old));
  }

  #make(definition: CustomResourceDefinition, signature: string): Open {
    const resource = this.#options.create(definition);
    const life = new OpenLifetime();
    return {
      resource,
      signature,
      life,
      served: resource.entries.map((entry) => ({ ...this.#options.serve(entry), lifetime: life })),
    };
  }

  #close({ resource }: Open): void {
    const closing = resource
      .close()
      .catch((error: unknown) =>
        this.#options.log.warn({ err: error }, 'the storage of a custom resource could not be closed'),
      )
      .finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }
}

/** Changes with everything that says how objects are served and stored. */
const signatureOf = ({ metadata, spec, status }: CustomResourceDefinition): string =>
  JSON.stringify([metadata.uid, spec, status.acceptedNames], (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
