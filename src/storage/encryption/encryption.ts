/**
 * Encryption of stored values: what the configuration says of each resource, now. A configuration that is read again
 * takes the place of the other as a whole, when its plugins are well; values that are on their way finish with what
 * they began with.
 */
import { createHash } from 'node:crypto';
import { sleep, systemClock, type Clock } from '../../base/clock.ts';
import { silentLogger, type Logger } from '../../base/logger.ts';
import { withCleanupStack } from '../../base/cleanup-stack.ts';
import { shareProbe } from '../cache/store-probe.ts';
import type { Store } from '../interface.ts';
import { readEncryptionConfiguration } from './read-configuration.ts';
import { EncryptedStore } from './encrypted-store.ts';
import { identity } from './identity.ts';
import { type EncryptionObserver, noObserver } from './observer.ts';
import { type PrefixTransformer, PrefixTransformers } from './prefix-transformers.ts';
import { createProviders, type Providers, type ProviderSurroundings } from './providers.ts';
import { formatGroupResource, type GroupResource } from './resource-rules.ts';
import type { ValueTransformer } from './transformer.ts';

export interface EncryptionOptions {
  /** The document as it is at the start. */
  readonly text: string;
  /** Where it was read from, for the log. */
  readonly file?: string;
  /** Reads it again; absent where it is read once. */
  readonly reload?: () => Promise<string>;
  /** How often it is looked at. */
  readonly reloadMs?: number;
  /** The gate `KMSv1`. */
  readonly kmsV1: boolean;
  readonly observer: EncryptionObserver;
  readonly log: Logger;
  readonly clock?: Clock;
}

export interface EncryptionHealthCheck {
  readonly name: string;
  check(): Promise<void>;
}

const defaultReloadMs = 60_000;
const firstRetryMs = 5;
/** New plugins have at least so long to become well. */
const leastHealthMs = 10_000;
const healthRetryMs = 100;

export class Encryption {
  readonly #options: EncryptionOptions;
  readonly #clock: Clock;
  readonly #closed = new AbortController();
  readonly #retired = new Set<Generation>();
  #current: Generation;
  #reloading: Promise<void> | undefined;

  private constructor(options: EncryptionOptions, current: Generation) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#current = current;
  }

  /**
   * Throws for a document that cannot be used. Waits for each plugin's first answer; one that is not there yet is no
   * error.
   */
  static async open(options: EncryptionOptions): Promise<Encryption> {
    const current = await openGeneration(options.text, options);
    const encryption = new Encryption(options, current);
    if (options.reload !== undefined) encryption.#reloading = encryption.#follow(options.reload);
    return encryption;
  }

  /** Whether the configuration can change while the server runs. */
  get reloads(): boolean {
    return this.#options.reload !== undefined;
  }

  /** The store of one resource, in which values are as the configuration says. */
  wrap(store: Store, resource: GroupResource): Store {
    if (!this.reloads && this.#current.transformerOf(resource) === identity) return store;
    const encrypted = new EncryptedStore({
      store,
      resource: formatGroupResource(resource),
      transformer: () => this.#current.transformerOf(resource),
    });
    shareProbe(encrypted, store);
    return encrypted;
  }

  /**
   * As upstream names them: one for all plugins where the configuration can change or all are v2, else one for each.
   */
  get healthChecks(): readonly EncryptionHealthCheck[] {
    const { plugins } = this.#current.providers;
    const together = { name: 'kms-providers', check: () => this.#current.check() };
    if (this.reloads) return [together];
    if (plugins.length > 0 && plugins.every(({ apiVersion }) => apiVersion === 'v2')) return [together];
    return plugins.map(({ plugin }, i) => ({ name: `kms-provider-${i}`, check: () => plugin.check() }));
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#reloading;
    await Promise.all([this.#current, ...this.#retired].map((generation) => generation.close()));
  }

  /** @NOTE differs from upstream: after a failure the pauses begin with 5 ms again, and end at the usual one. */
  async #follow(read: () => Promise<string>): Promise<void> {
    const { reloadMs = defaultReloadMs, observer, log, file } = this.#options;
    const { signal } = this.#closed;
    for (let failures = 0; !signal.aborted; ) {
      await sleep(this.#clock, failures === 0 ? reloadMs : Math.min(reloadMs, firstRetryMs * 2 ** failures), signal);
      if (signal.aborted) return;
      try {
        if (await this.#reload(await read())) observer.reloaded('success');
        failures = 0;
      } catch (error) {
        if (signal.aborted) return;
        failures++;
        observer.reloaded('failure');
        log.error({ err: error, file }, 'the encryption configuration cannot be used; the one before stays in force');
      }
    }
  }

  /** Whether there was something new. */
  async #reload(text: string): Promise<boolean> {
    if (hashOf(text) === this.#current.hash) return false;
    const next = await openGeneration(text, this.#options);
    try {
      await this.#untilWell(next);
    } catch (error) {
      await next.close();
      throw error;
    }
    const old = this.#current;
    this.#current = next;
    this.#options.log.info({}, 'the encryption configuration was read again');
    void this.#retire(old);
    return true;
  }

  async #untilWell(generation: Generation): Promise<void> {
    const { signal } = this.#closed;
    const deadline = this.#clock.now() + Math.max(leastHealthMs, generation.providers.graceMs);
    for (;;) {
      try {
        return await generation.check();
      } catch (cause) {
        if (signal.aborted || this.#clock.now() >= deadline)
          throw new Error(
            'health check for new transformers failed, polling error timed out waiting for the ' +
              `condition: ${(cause as Error).message}`,
            { cause },
          );
        await sleep(this.#clock, healthRetryMs, signal);
      }
    }
  }

  /** What has begun with the old one may end. */
  async #retire(old: Generation): Promise<void> {
    this.#retired.add(old);
    await sleep(this.#clock, old.providers.graceMs, this.#closed.signal);
    await old.close();
    this.#retired.delete(old);
  }
}

/** One configuration at work. */
class Generation {
  readonly hash: string;
  readonly providers: Providers;
  readonly #transformers: ReadonlyMap<string, ValueTransformer>;
  readonly #found = new Map<string, ValueTransformer>();

  constructor(hash: string, providers: Providers, observer: EncryptionObserver) {
    this.hash = hash;
    this.providers = providers;
    this.#transformers = providers.rules.map(
      (transformers: readonly PrefixTransformer[]) =>
        new PrefixTransformers(transformers, 'no matching prefix found', observer),
    );
  }

  transformerOf(resource: GroupResource): ValueTransformer {
    const name = formatGroupResource(resource);
    let transformer = this.#found.get(name);
    if (transformer === undefined) this.#found.set(name, (transformer = this.#find(resource)));
    return transformer;
  }

  /** One plugin after the other, as their timeouts are added up. */
  async check(): Promise<void> {
    const problems: string[] = [];
    for (const [i, { plugin }] of this.providers.plugins.entries()) {
      await plugin.check().catch((error: unknown) => problems.push(`kms-provider-${i}: ${(error as Error).message}`));
    }
    if (problems.length > 0) throw new Error(problems.length === 1 ? problems[0]! : `[${problems.join(', ')}]`);
  }

  async close(): Promise<void> {
    await Promise.all(this.providers.plugins.map(({ plugin }) => plugin.close()));
  }

  #find(resource: GroupResource): ValueTransformer {
    const key = this.providers.rules.keyOf(resource);
    return key === undefined ? identity : this.#transformers.get(key)!;
  }
}

/** Throws, with the reason, for a document that the server cannot be started with. */
export function checkEncryptionConfiguration(
  text: string,
  { reload, kmsV1 }: { readonly reload: boolean; readonly kmsV1: boolean },
): void {
  providersOf(text, reload, { clock: systemClock, log: silentLogger, observer: noObserver, kmsV1 });
}

async function openGeneration(
  text: string,
  { observer, log, kmsV1, reload, clock = systemClock }: EncryptionOptions,
): Promise<Generation> {
  const providers = providersOf(text, reload !== undefined, { clock, log, observer, kmsV1 });
  return withCleanupStack(async (cleanup) => {
    for (const { plugin } of providers.plugins) cleanup.add(() => plugin.close());
    await Promise.all(providers.plugins.map(({ plugin }) => plugin.start()));
    return new Generation(hashOf(text), providers, observer);
  });
}

function providersOf(text: string, reload: boolean, around: ProviderSurroundings): Providers {
  if (text === '') throw new Error('the encryption provider configuration file is empty');
  const configuration = told('error while parsing file', () => readEncryptionConfiguration(text, reload));
  return told('error while building transformers', () => createProviders(configuration, around));
}

function told<T>(what: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    throw new Error(`${what}: ${(error as Error).message}`, { cause: error });
  }
}

/** Instead of the text, so that keys are nowhere but where they are used. */
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');
