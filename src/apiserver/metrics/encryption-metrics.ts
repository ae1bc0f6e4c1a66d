/**
 * The reference's metrics of encryption in the store.
 * @NOTE differs from upstream: they are there when it is configured, and not before.
 */
import { createHash } from 'node:crypto';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { kmsStatusOf } from '../../storage/encryption/kms/client.ts';
import type { Direction, EncryptionObserver } from '../../storage/encryption/observer.ts';

const doubling = (first: number, count: number): number[] => Array.from({ length: count }, (_, i) => first * 2 ** i);

export function createEncryptionMetrics(registry: Registry, serverId: string): EncryptionObserver {
  const registers = [registry];
  const durations = new Histogram({
    name: 'apiserver_storage_transformation_duration_seconds',
    help: 'Time that stored values took to be encrypted or decrypted, in seconds.',
    labelNames: ['transformation_type', 'transformer_prefix'],
    buckets: doubling(5e-6, 25),
    registers,
  });
  const operations = new Counter({
    name: 'apiserver_storage_transformation_operations_total',
    help: 'Values that were encrypted or decrypted, by what came out.',
    labelNames: ['resource', 'transformation_type', 'transformer_prefix', 'status'],
    registers,
  });
  const misses = new Counter({
    name: 'apiserver_storage_envelope_transformation_cache_misses_total',
    help: 'Keys that a KMS plugin had to be asked for.',
    registers,
  });
  const generated = new Histogram({
    name: 'apiserver_storage_data_key_generation_duration_seconds',
    help: 'Time that new keys took to be made, in seconds.',
    buckets: doubling(5e-6, 14),
    registers,
  });
  const calls = new Histogram({
    name: 'apiserver_envelope_encryption_kms_operations_latency_seconds',
    help: 'Calls to KMS plugins by gRPC status, in seconds.',
    labelNames: ['provider_name', 'method_name', 'grpc_status_code'],
    buckets: doubling(0.0001, 20),
    registers,
  });
  const used = new Counter({
    name: 'apiserver_envelope_encryption_key_id_hash_total',
    help: 'How often a key of a KMS plugin was used.',
    labelNames: ['transformation_type', 'provider_name', 'key_id_hash', 'apiserver_id_hash'],
    registers,
  });
  const lastUsed = new Gauge({
    name: 'apiserver_envelope_encryption_key_id_hash_last_timestamp_seconds',
    help: 'When a key of a KMS plugin was used last.',
    labelNames: ['transformation_type', 'provider_name', 'key_id_hash', 'apiserver_id_hash'],
    registers,
  });
  const reported = new Gauge({
    name: 'apiserver_envelope_encryption_key_id_hash_status_last_timestamp_seconds',
    help: 'When a KMS plugin named a key as its current one.',
    labelNames: ['provider_name', 'key_id_hash', 'apiserver_id_hash'],
    registers,
  });
  const invalid = new Counter({
    name: 'apiserver_envelope_encryption_invalid_key_id_from_status_total',
    help: 'Key ids of KMS plugins that cannot be used.',
    labelNames: ['provider_name', 'error'],
    registers,
  });
  const kept = new Gauge({
    name: 'apiserver_envelope_encryption_dek_source_cache_size',
    help: 'Decrypted keys that are kept.',
    labelNames: ['provider_name'],
    registers,
  });
  const filled = new Gauge({
    name: 'apiserver_envelope_encryption_dek_cache_fill_percent',
    help: 'KMS v1: how much of the cache for decrypted keys is used.',
    registers,
  });
  const arrivals = new Histogram({
    name: 'apiserver_envelope_encryption_dek_cache_inter_arrival_time_seconds',
    help: 'KMS v1: time between values, in seconds.',
    labelNames: ['transformation_type'],
    buckets: doubling(60, 10),
    registers,
  });
  const reloads = new Counter({
    name: 'apiserver_encryption_config_controller_automatic_reloads_total',
    help: 'How often the encryption configuration was read again, by what came out.',
    labelNames: ['status', 'apiserver_id_hash'],
    registers,
  });
  const lastReload = new Gauge({
    name: 'apiserver_encryption_config_controller_automatic_reload_last_timestamp_seconds',
    help: 'When the encryption configuration was read again last, by what came out.',
    labelNames: ['status', 'apiserver_id_hash'],
    registers,
  });
  /** Deprecated: the same as reloads with this status. */
  const byStatus = {
    success: new Counter({
      name: 'apiserver_encryption_config_controller_automatic_reload_success_total',
      help: 'Reloads of the encryption configuration that succeeded.',
      labelNames: ['apiserver_id_hash'],
      registers,
    }),
    failure: new Counter({
      name: 'apiserver_encryption_config_controller_automatic_reload_failures_total',
      help: 'Reloads of the encryption configuration that failed.',
      labelNames: ['apiserver_id_hash'],
      registers,
    }),
  };
  const failures = new Counter({
    name: 'apiserver_storage_data_key_generation_failures_total',
    help: 'New keys that could not be made.',
    registers,
  });
  const apiserver_id_hash = hashOf(serverId);
  const lastArrival = new Map<Direction, number>();
  const keys = new RecentLabels((labels) => (used.remove(labels), lastUsed.remove(labels)));
  const statusKeys = new RecentLabels((labels) => reported.remove(labels));
  return {
    transformed(resource, transformation_type, transformer_prefix, seconds, error) {
      operations.inc({ resource, transformation_type, transformer_prefix, status: statusOf(error) });
      if (error === undefined) durations.observe({ transformation_type, transformer_prefix }, seconds);
    },
    cacheMissed: () => misses.inc(),
    keyGenerated: (seconds) => generated.observe(seconds),
    keyFailed: () => failures.inc(),
    kmsCalled: (provider_name, method_name, seconds, error) =>
      calls.observe({ provider_name, method_name, grpc_status_code: statusOf(error) }, seconds),
    keyUsed(transformation_type, provider_name, keyId) {
      const labels = { transformation_type, provider_name, key_id_hash: hashOf(keyId), apiserver_id_hash };
      keys.use(labels);
      used.inc(labels);
      lastUsed.set(labels, now());
    },
    keyReported(provider_name, keyId) {
      const labels = { provider_name, key_id_hash: hashOf(keyId), apiserver_id_hash };
      statusKeys.use(labels);
      reported.set(labels, now());
    },
    invalidKeyReported: (provider_name, error) => invalid.inc({ provider_name, error }),
    keysKept: (provider_name, count) => kept.set({ provider_name }, count),
    cacheFilled: (share) => filled.set(share),
    arrived(transformation_type) {
      const at = now();
      arrivals.observe({ transformation_type }, at - (lastArrival.get(transformation_type) ?? at));
      lastArrival.set(transformation_type, at);
    },
    reloaded(status) {
      reloads.inc({ status, apiserver_id_hash });
      byStatus[status].inc({ apiserver_id_hash });
      lastReload.set({ status, apiserver_id_hash }, now());
    },
  };
}

const statusOf = (error: unknown): string => (error === undefined ? 'OK' : (kmsStatusOf(error) ?? 'unknown-non-grpc'));

const now = (): number => Date.now() / 1000;

const hashOf = (text: string): string =>
  text === '' ? '' : `sha256:${createHash('sha256').update(text).digest('hex')}`;

const maxLabels = 100;

/** Key ids come from outside: of those that were used, the latest have series. */
class RecentLabels<L extends Readonly<Record<string, string>>> {
  readonly #labels = new Map<string, L>();
  readonly #onGone: (labels: L) => void;

  constructor(onGone: (labels: L) => void) {
    this.#onGone = onGone;
  }

  use(labels: L): void {
    const name = JSON.stringify(labels);
    this.#labels.delete(name);
    this.#labels.set(name, labels);
    if (this.#labels.size <= maxLabels) return;
    const [oldest, gone] = this.#labels.entries().next().value!;
    this.#labels.delete(oldest);
    this.#onGone(gone);
  }
}
