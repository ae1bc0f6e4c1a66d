/** From an EncryptionConfiguration to what transforms values. */
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { aesCbc, aesGcm } from './aes.ts';
import type {
  EncryptionConfiguration,
  KeysConfiguration,
  KmsConfiguration,
  ProviderConfiguration,
} from './configuration.ts';
import { identity } from './identity.ts';
import { KmsClient } from './kms/client.ts';
import { Plugin } from './kms/plugin.ts';
import { KmsV1, PluginV1 } from './kms/v1.ts';
import { KmsV2 } from './kms/v2.ts';
import type { EncryptionObserver } from './observer.ts';
import { type PrefixTransformer, PrefixTransformers } from './prefix-transformers.ts';
import { secretbox } from './secretbox.ts';
import { ResourceRules } from './resource-rules.ts';
import type { ValueTransformer } from './transformer.ts';

export interface ProviderSurroundings {
  readonly clock: Clock;
  readonly log: Logger;
  readonly observer: EncryptionObserver;
  /** The gate `KMSv1`. */
  readonly kmsV1: boolean;
}

export interface KmsPlugin {
  readonly name: string;
  start(): Promise<void>;
  /** Rejects when it is not well. */
  check(): Promise<void>;
  close(): Promise<void>;
}

export interface Providers {
  readonly rules: ResourceRules<PrefixTransformer>;
  readonly plugins: readonly { readonly plugin: KmsPlugin; readonly apiVersion: 'v1' | 'v2' }[];
  /** How long a use of them that is under way can take. */
  readonly graceMs: number;
}

/** Throws where a document that is right by itself cannot be served. Nothing is started yet. */
export function createProviders({ resources }: EncryptionConfiguration, around: ProviderSurroundings): Providers {
  const rules = new ResourceRules<PrefixTransformer>();
  const plugins: { plugin: KmsPlugin; apiVersion: 'v1' | 'v2' }[] = [];
  let timeouts = 0;
  const kms = (configuration: KmsConfiguration): PrefixTransformer => {
    const isV1 = configuration.apiVersion === 'v1';
    // The check of a v1 plugin makes two calls.
    timeouts += configuration.timeoutMs * (isV1 ? 2 : 1);
    const { plugin, prefixed } = isV1 ? kmsV1(configuration, around) : kmsV2(configuration, around);
    plugins.push({ plugin, apiVersion: isV1 ? 'v1' : 'v2' });
    return prefixed;
  };
  for (const { resources: names, providers } of resources) {
    const transformers = providers.map((provider) => prefixedTransformer(provider, kms, around.observer));
    for (const name of names) rules.add(name, transformers);
  }
  return { rules, plugins, graceMs: 2 * timeouts };
}

function prefixedTransformer(
  { aesgcm, aescbc, secretbox: box, kms: configuration }: ProviderConfiguration,
  kms: (configuration: KmsConfiguration) => PrefixTransformer,
  observer: EncryptionObserver,
): PrefixTransformer {
  if (aesgcm !== undefined)
    return { prefix: 'k8s:enc:aesgcm:v1:', transformer: ofKeys(aesgcm, aesGcm, 'AES', observer) };
  if (aescbc !== undefined)
    return { prefix: 'k8s:enc:aescbc:v1:', transformer: ofKeys(aescbc, aesCbc, 'AES', observer) };
  if (box !== undefined)
    return { prefix: 'k8s:enc:secretbox:v1:', transformer: ofKeys(box, secretbox, 'Secretbox', observer) };
  return configuration === undefined ? { prefix: '', transformer: identity } : kms(configuration);
}

const ofKeys = (
  { keys }: KeysConfiguration,
  make: (key: Buffer) => ValueTransformer,
  provider: string,
  observer: EncryptionObserver,
): ValueTransformer =>
  new PrefixTransformers(
    keys.map(({ name, secret }) => ({ prefix: `${name}:`, transformer: make(Buffer.from(secret, 'base64')) })),
    `no matching key was found for the provided ${provider} transformer`,
    observer,
  );

interface Kms {
  readonly plugin: KmsPlugin;
  readonly prefixed: PrefixTransformer;
}

function kmsV2({ name, endpoint, timeoutMs }: KmsConfiguration, { clock, log, observer }: ProviderSurroundings): Kms {
  const client = new KmsClient({
    endpoint,
    timeoutMs,
    onCall: (method, seconds, error) => observer.kmsCalled(name, method, seconds, error),
  });
  const plugin = new Plugin({ name, client, clock, log, observer });
  return {
    plugin,
    prefixed: { prefix: `k8s:enc:kms:v2:${name}:`, transformer: new KmsV2({ plugin, clock, observer }) },
  };
}

function kmsV1(
  { name, endpoint, timeoutMs, cacheSize = 0 }: KmsConfiguration,
  { clock, log, observer, kmsV1: allowed }: ProviderSurroundings,
): Kms {
  const deprecated = 'KMSv1 is deprecated and will only receive security updates going forward. Use KMSv2 instead.';
  if (!allowed) throw new Error(`${deprecated}  Set --feature-gates=KMSv1=true to use the deprecated KMSv1 feature.`);
  log.warn({ name }, deprecated);
  const plugin = new PluginV1({ name, client: new KmsClient({ endpoint, timeoutMs }), clock });
  return {
    plugin,
    prefixed: { prefix: `k8s:enc:kms:v1:${name}:`, transformer: new KmsV1({ plugin, cacheSize, observer }) },
  };
}
