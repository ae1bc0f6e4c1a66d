/**
 * The definitions of custom resources as this server knows them: what the store says, and what it has just written
 * itself.
 */
import type { CustomResourceDefinition } from '../../api/gen/types/apiextensions-v1.ts';
import { Latch } from '../../base/latch.ts';
import { follow } from '../../registry/follow.ts';
import type { ResourceStore } from '../../registry/generic/resource-store.ts';
import type { StoredObject } from '../../storage/objects.ts';

export interface DefinitionInformerOptions {
  readonly store: ResourceStore;
  /** A definition came, changed or went; also for definitions of the same group when names became free or taken. */
  readonly onChange: (name: string) => void;
  readonly onFailure: (error: unknown) => void;
}

export class DefinitionInformer {
  readonly #options: DefinitionInformerOptions;
  readonly #byName = new Map<string, CustomResourceDefinition>();
  readonly #byGroup = new Map<string, Map<string, CustomResourceDefinition>>();
  readonly #known = new Latch();

  constructor(options: DefinitionInformerOptions) {
    this.#options = options;
  }

  /** Resolves when the definitions were read for the first time; rejects while they cannot be. */
  known(): Promise<void> {
    return this.#known.wait();
  }

  get(name: string): CustomResourceDefinition | undefined {
    return this.#byName.get(name);
  }

  /** All definitions of a group. */
  inGroup(group: string): Iterable<CustomResourceDefinition> {
    return this.#byGroup.get(group)?.values() ?? [];
  }

  /** Resolves when the signal aborts. */
  follow(signal: AbortSignal): Promise<void> {
    const { store, onFailure } = this.#options;
    return follow({
      store,
      signal,
      onState: (objects) => {
        this.#replaceAll(objects);
        this.#known.open();
      },
      onEvent: ({ type, object }) => {
        if (object === undefined) return;
        if (type === 'DELETED') this.#remove(object.attributes.name);
        else this.set(this.#decode(object));
      },
      onFailure: (error) => {
        if (!this.#known.isOpen) this.#known.fail(error as Error);
        onFailure(error);
      },
    });
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
    this.#options.onChange(name);
  }

  #replaceAll(objects: readonly StoredObject[]): void {
    const present = new Set(objects.map(({ attributes: attributes }) => attributes.name));
    for (const name of [...this.#byName.keys()]) if (!present.has(name)) this.#remove(name);
    for (const object of objects) this.set(this.#decode(object));
  }

  #remove(name: string): void {
    const old = this.#byName.get(name);
    if (old === undefined) return;
    const group = old.spec.group ?? '';
    this.#byName.delete(name);
    const members = this.#byGroup.get(group)!;
    members.delete(name);
    if (members.size === 0) this.#byGroup.delete(group);
    this.#options.onChange(name);
    // Others may have waited for its names.
    for (const other of members.keys()) this.#options.onChange(other);
  }

  #decode(object: StoredObject): CustomResourceDefinition {
    return this.#options.store.decode(object) as CustomResourceDefinition;
  }
}

const versionOf = ({ metadata }: CustomResourceDefinition): number => Number(metadata.resourceVersion ?? 0);
