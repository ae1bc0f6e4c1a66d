/**
 * Looks after definitions of custom resources: accepts their names, establishes them, and when one is deleted removes
 * its objects before it goes. Changes are judged one after the other, because two definitions may want the same name;
 * deletions take as long as finalizers do and run beside.
 */
import { isDeepStrictEqual } from 'node:util';
import { updateStatus } from '../../api/apiextensions/custom-resource-definitions/update-status.ts';
import { hasCondition } from '../../api/apiextensions/custom-resource-definitions/conditions.ts';
import type { CustomResourceDefinition } from '../../api/gen/types/apiextensions-v1.ts';
import { systemClock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { isStatusError } from '../../machinery/status.ts';
import { Controller, type SyncResult } from '../../reconcile/controller.ts';
import { ExponentialRateLimiter } from '../../reconcile/rate-limiter.ts';
import type { RegistryCatalog } from '../../registry/catalog.ts';
import { timestamp } from '../../registry/generic/timestamp.ts';
import type { LoopbackClient } from '../loopback/loopback-client.ts';
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
  /** When a definition may be established, of those that have waited for it. */
  readonly #establishAt = new Map<string, number>();
  readonly #finalizing = new Map<string, Promise<void>>();
  readonly #definitions: DefinitionInformer | undefined;
  readonly #controller: Controller | undefined;

  constructor(options: DefinitionControllerOptions) {
    this.#options = { ...options, writer: options.writer.until(this.#stop.signal) };
    const store = options.registry.storeOf(definitionsResource.group, definitionsResource.resource);
    if (store === undefined) return;
    this.#definitions = new DefinitionInformer({
      store,
      onChange: (name) => this.#serve(name, this.#definitions!.get(name)),
      log: options.log,
    });
    this.#controller = new Controller({
      sync: (name) => this.#reconcile(name),
      onFailure: (name, error) => this.#warn(name, error),
      workers: 1,
      triggers: [this.#definitions],
      rateLimiter: new ExponentialRateLimiter({ firstMs: retryMs, maxMs: retryMs }),
    });
  }

  /** Resolves when what the definitions of the start define is served, or when they could not be read. */
  async known(): Promise<void> {
    await this.#definitions?.known();
  }

  start(): void {
    this.#controller?.start();
    this.#definitions?.start();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.all([this.#definitions?.stop(), this.#controller?.stop(), ...this.#finalizing.values()]);
  }

  /** A definition that cannot be served, which another server may have let in, must not keep the others from it. */
  #serve(name: string, definition: CustomResourceDefinition | undefined): void {
    try {
      this.#options.resources.sync(name, definition);
    } catch (error) {
      this.#options.log.warn({ err: error, definition: name }, 'what a definition defines could not be served');
    }
  }

  #warn(name: string, error: unknown): void {
    this.#options.log.warn(
      { err: error, definition: name },
      'the definition of a custom resource could not be brought up to date',
    );
  }

  async #reconcile(name: string): Promise<SyncResult> {
    const definition = this.#definitions!.get(name);
    if (definition?.metadata.deletionTimestamp !== undefined) this.#finalize(name);
    if (definition === undefined || definition.metadata.deletionTimestamp !== undefined) {
      this.#establishAt.delete(name);
      return undefined;
    }
    const wanted = { ...definition, status: { ...definition.status } };
    this.#update(wanted);
    if (!isDeepStrictEqual(wanted.status, definition.status)) {
      // A client that sees condition Established finds it served.
      this.#serve(name, wanted);
      await this.#write(name);
    }
    return this.#mustWait(wanted) ? { requeueAfterMs: this.#establishLater(name) } : undefined;
  }

  #update(definition: CustomResourceDefinition): void {
    const name = definition.metadata.name!;
    const establish =
      this.#options.apiServerCount <= 1 || (this.#establishAt.get(name) ?? Infinity) <= systemClock.now();
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

  /** Milliseconds until it may be established. */
  #establishLater(name: string): number {
    const now = systemClock.now();
    const at = this.#establishAt.get(name) ?? now + establishingDelayMs;
    this.#establishAt.set(name, at);
    return at - now;
  }

  #finalize(name: string): void {
    if (this.#finalizing.has(name)) return;
    const options = { ...this.#options, definitions: this.#definitions!, signal: this.#stop.signal };
    const done = removeInstances(name, options)
      .catch((error: unknown) => {
        if (this.#stop.signal.aborted) return;
        this.#warn(name, error);
        this.#controller!.addAfter(name, retryMs);
      })
      .finally(() => this.#finalizing.delete(name));
    this.#finalizing.set(name, done);
  }
}
