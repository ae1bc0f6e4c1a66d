/**
 * The definitions of custom resources as this server knows them: what the store says, and what it has just written
 * itself.
 */
import type { CustomResourceDefinition } from '../../api/gen/types/apiextensions-v1.ts';
import type { Logger } from '../../base/logger.ts';
import type { Trigger } from '../../reconcile/controller.ts';
import { onEveryChange } from '../../reconcile/handlers.ts';
import type { Informer } from '../../reconcile/informer.ts';
import type { ResourceStore } from '../../registry/generic/resource-store.ts';
import { createStoreInformer } from '../../registry/store-source.ts';
import type { StoredObject } from '../../storage/objects.ts';

export interface DefinitionInformerOptions {
  readonly store: ResourceStore;
  /** A definition came, changed or went; also for definitions of the same group when names became free or taken. */
  readonly onChange: (name: string) => void;
  readonly log: Logger;
}

export class DefinitionInformer implements Trigger {
  readonly #options: DefinitionInformerOptions;
  readonly #byName = new Map<string, CustomResourceDefinition>();
  readonly #byGroup = new Map<string, Map<string, CustomResourceDefinition>>();
  readonly #informer: Informer<StoredObject>;
  readonly #attached = new Set<(name: string) => void>();

  constructor(options: DefinitionInformerOptions) {
    const { store, log } = options;
    this.#options = options;
    this.#informer = createStoreInformer({ store, freshness: 'mostRecent', log });
    this.#informer.addHandler(
      onEveryChange((before, after) => {
        if (after === undefined) this.#remove(before!.attributes.name);
        else this.set(store.decode(after) as CustomResourceDefinition);
      }),
    );
  }

  /** Resolves when the definitions were read for the first time; rejects while they cannot be. */
  known(): Promise<void> {
    return this.#informer.synced();
  }

  get(name: string): CustomResourceDefinition | undefined {
    return this.#byName.get(name);
  }

  /** All definitions of a group. */
  inGroup(group: string): Iterable<CustomResourceDefinition> {
    return this.#byGroup.get(group)?.values() ?? [];
  }

  attach(add: (name: string) => void): () => void {
    this.#attached.add(add);
    for (const name of this.#byName.keys()) add(name);
    return () => void this.#attached.delete(add);
  }

  untilSynced(signal: AbortSignal): Promise<void> {
    return this.#informer.untilSynced(signal);
  }

  start(): void {
    this.#informer.start();
  }

  stop(): Promise<void> {
    return this.#informer.stop();
  }

  /** Older versions than the one that is known are not looked at. */
  set(definition: CustomResourceDefinition): void {
    const name = definition.metadata.name!;
    const old = this.#byName.get(name);
    if (old !== undefined && versionOf(old) >= versionOf(definition)) return;
    this.#byName.set(name, definition);
    const group = definition.spec.group ?? '';
    let members = this.#byGroup.get(group);
    if (members === undefined) this.#byGroup.set(group, (members = new Map()));
    members.set(name, definition);
    this.#tell(name);
  }

  #remove(name: string): void {
    const old = this.#byName.get(name);
    if (old === undefined) return;
    const group = old.spec.group ?? '';
    this.#byName.delete(name);
    const members = this.#byGroup.get(group)!;
    members.delete(name);
    if (members.size === 0) this.#byGroup.delete(group);
    this.#tell(name);
    // Others may have waited for its names.
    for (const other of members.keys()) this.#tell(other);
  }

  #tell(name: string): void {
    this.#options.onChange(name);
    for (const add of this.#attached) add(name);
  }
}

const versionOf = ({ metadata }: CustomResourceDefinition): number => Number(metadata.resourceVersion ?? 0);
