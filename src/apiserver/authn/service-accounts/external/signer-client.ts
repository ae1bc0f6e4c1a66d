/** The calls to an external signer, counted and timed. */
import { performance } from 'node:perf_hooks';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Method } from '../../../../grpc/call.ts';
import { GrpcError } from '../../../../grpc/grpc-error.ts';
import { grpcCodeName } from '../../../../grpc/status.ts';
import { GrpcClient } from '../../../../grpc/client.ts';
import {
  encodeSign,
  type FetchedKeys,
  fetchKeysMethod,
  metadataMethod,
  noFields,
  type SignedParts,
  signMethod,
} from './messages.ts';

const buckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** The reference's metrics of an external signer; a server without one does not show them. */
export class SignerMetrics {
  readonly keysFetched: Gauge;
  readonly dataTimestamp: Gauge;
  readonly fetches: Counter;
  readonly signatures: Counter;
  readonly duration: Histogram;

  constructor(registry: Registry) {
    const registers = [registry];
    const prefix = 'apiserver_externaljwt_';
    this.keysFetched = new Gauge({
      name: `${prefix}fetch_keys_success_timestamp`,
      help: 'When keys were last read from the external signer, in seconds since 1970.',
      registers,
    });
    this.dataTimestamp = new Gauge({
      name: `${prefix}fetch_keys_data_timestamp`,
      help: 'From when the keys are that were read last, as the external signer says, in seconds since 1970.',
      registers,
    });
    this.fetches = new Counter({
      name: `${prefix}fetch_keys_request_total`,
      help: 'Attempts to read the keys of the external signer.',
      labelNames: ['code'],
      registers,
    });
    this.signatures = new Counter({
      name: `${prefix}sign_request_total`,
      help: 'Attempts to have a token signed by the external signer.',
      labelNames: ['code'],
      registers,
    });
    this.duration = new Histogram({
      name: `${prefix}request_duration_seconds`,
      help: 'Time of calls to the external signer, in seconds.',
      labelNames: ['method', 'code'],
      buckets,
      registers,
    });
  }
}

export class SignerClient {
  readonly #client: GrpcClient;
  readonly #duration: Histogram;

  constructor(path: string, { duration }: Pick<SignerMetrics, 'duration'>) {
    this.#client = new GrpcClient({ address: { path }, peer: 'the external signer' });
    this.#duration = duration;
  }

  sign(claims: string, signal: AbortSignal): Promise<SignedParts> {
    return this.#call(signMethod, encodeSign(claims), signal);
  }

  fetchKeys(signal: AbortSignal): Promise<FetchedKeys> {
    return this.#call(fetchKeysMethod, noFields(), signal);
  }

  /** The longest life of a token, in seconds. */
  metadata(signal: AbortSignal): Promise<bigint> {
    return this.#call(metadataMethod, noFields(), signal);
  }

  close(): void {
    this.#client.close();
  }

  async #call<T>(method: Method<T>, body: Buffer, signal: AbortSignal): Promise<T> {
    const start = performance.now();
    let code = 'OK';
    try {
      return await this.#client.call(method, body, signal);
    } catch (error) {
      code = codeOf(error);
      // As clients of gRPC in Go tell it.
      throw error instanceof GrpcError
        ? new Error(`rpc error: code = ${code} desc = ${error.message}`, { cause: error })
        : error;
    } finally {
      this.#duration.observe({ method: method.path, code }, (performance.now() - start) / 1000);
    }
  }
}

/** What the reference's metrics call an error; those that are not of gRPC have one name. */
export function codeOf(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof GrpcError) return grpcCodeName(at.code);
  return 'unknown-non-grpc';
}
