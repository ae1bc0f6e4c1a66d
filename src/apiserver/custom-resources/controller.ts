/**
 * Looks after definitions of custom resources: accepts their names, establishes them, and when one is deleted removes
 * its objects before it goes. Changes are judged one after the other, because two definitions may want the same name;
 * deletions take as long as finalizers do and run beside.
 */
import { isDeepStrictEqual } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { updateStatus } from '../../api/apiextensions/findings.ts';
import { hasCondition } from '../../api/apiextensions/conditions.ts';
import type { CustomResourceDefinition } from '../../api/gen/types/apiextensions-v1.ts';
import type { Logger } from '../../base/logger.ts';
import { isStatusError } from '../../machinery/status.ts';
import type { RegistryCatalog } from '../../registry/catalog.ts';
import { timestamp } from '../../registry/generic/timestamp.ts';
import type { LoopbackClient } from '../bootstrap/loopback-client.ts';
import { DefinitionInformer } from './definition-informer.ts';
import { removeInstances } from './instances.ts';
import type { CustomResources } from './custom-resources.ts';

export interface DefinitionControllerOptions {
  readonly registry: RegistryCatalog;
  readonly resources: CustomResources;
  readonly writer: LoopbackClient;
  /** `--apiserver-count`: with several servers a definition is established when all of them have heard of it. */
  readonly apiServerCount: number;
  readonly log: Logger;
}

export const definitionsResource = { group: 'apiextensions.k8s.io', resource: 'customresourcedefinitions' };

/** How long other servers have to hear of new names before clients are told that they are served. */
const establishingDelayMs = 5000;
const retryMs = 1000;

export class DefinitionController {
  readonly #options: DefinitionControllerOptions;
  readonly #stop = new AbortController();
  readonly #waiting = new Set<string>();
  readonly #delayed = new Set<string>();
  readonly #ripe = new Set<string>();
  readonly #finalizing = new Map<string, Promise<void>>();
  readonly #definitions: DefinitionInformer | undefined;
  #running: Promise<void> | undefined;
  #following: Promise<void> | undefined;

  constructor(options: DefinitionControllerOptions) {
    this.#options = { ...options, writer: options.writer.until(this.#stop.signal) };
    const store = options.registry.storeOf(definitionsResource.group, definitionsResource.resource);
    if (store === undefined) return;
    this.#definitions = new DefinitionInformer({
      store,
      onChange: (name) => this.#enqueue(name),
      onFailure: (error) =>
        options.log.warn({ err: error }, 'the definitions of custom resources could not be followed'),
    });
  }

  /** Resolves when what the definitions of the start define is served, or when they could not be read. */
  async known(): Promise<void> {
    await this.#definitions?.known();
  }

  start(): void {
    this.#following ??= this.#definitions?.follow(this.#stop.signal);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.all([this.#following, this.#running, ...this.#finalizing.values()]);
  }

  #enqueue(name: string): void {
    this.#serve(name, this.#definitions!.get(name));
    this.#waiting.add(name);
    this.#running ??= this.#work();
  }

  /** A definition that cannot be served, which another server may have let in, must not keep the others from it. */
  #serve(name: string, definition: CustomResourceDefinition | undefined): void {
    try {
      this.#options.resources.sync(name, definition);
    } catch (error) {
      this.#options.log.warn({ err: error, definition: name }, 'what a definition defines could not be served');
    }
  }

  async #work(): Promise<void> {
    try {
      for (const name of this.#waiting) {
        if (this.#stop.signal.aborted) return;
        this.#waiting.delete(name);
        await this.#reconcile(name).catch((error: unknown) => this.#failed(name, error));
      }
    } finally {
      this.#running = undefined;
    }
  }

  #failed(name: string, error: unknown): void {
    if (this.#stop.signal.aborted) return;
    this.#options.log.warn(
      { err: error, definition: name },
      'the definition of a custom resource could not be brought up to date',
    );
    this.#later(retryMs, () => this.#enqueue(name));
  }

  #later(delayMs: number, then: () => void): void {
    const { signal } = this.#stop;
    void sleep(delayMs, undefined, { signal, ref: false }).then(then, () => undefined);
  }

  async #reconcile(name: string): Promise<void> {
    const definition = this.#definitions!.get(name);
    if (definition === undefined) return;
    if (definition.metadata.deletionTimestamp !== undefined) return this.#finalize(name);
    const wanted = { ...definition, status: { ...definition.status } };
    this.#update(wanted);
    if (!isDeepStrictEqual(wanted.status, definition.status)) {
      // Whoever is told that it is established finds it served.
      this.#serve(name, wanted);
      await this.#write(name);
    }
    if (this.#mustWait(wanted)) this.#establishLater(name);
  }

  #update(definition: CustomResourceDefinition): void {
    const name = definition.metadata.name!;
    const establish = this.#options.apiServerCount <= 1 || this.#ripe.has(name);
    updateStatus(definition, {
      others: this.#definitions!.inGroup(definition.spec.group ?? ''),
      establish,
      now: timestamp(new Date()),
    });
  }

  async #write(name: string): Promise<void> {
    try {
      const written = await this.#options.writer.changed<CustomResourceDefinition>(
        { ...definitionsResource, namespace: '', name },
        (current) => {
          if (current.metadata.deletionTimestamp === undefined) this.#update(current);
        },
        'status',
      );
      this.#definitions!.set(written);
    } catch (error) {
      if (!isStatusError(error) || error.reason !== 'NotFound') throw error;
    }
  }

  #mustWait(definition: CustomResourceDefinition): boolean {
    return hasCondition(definition, 'NamesAccepted') && !hasCondition(definition, 'Established');
  }

  #establishLater(name: string): void {
    if (this.#delayed.has(name)) return;
    this.#delayed.add(name);
    this.#later(establishingDelayMs, () => {
      this.#delayed.delete(name);
      this.#ripe.add(name);
      this.#enqueue(name);
    });
  }

  #finalize(name: string): void {
    this.#ripe.delete(name);
    if (this.#finalizing.has(name)) return;
    const options = { ...this.#options, definitions: this.#definitions!, signal: this.#stop.signal };
    const done = removeInstances(name, options)
      .catch((error: unknown) => this.#failed(name, error))
      .finally(() => this.#finalizing.delete(name));
    this.#finalizing.set(name, done);
  }
}
