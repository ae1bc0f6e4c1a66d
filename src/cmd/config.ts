/**
 * What an API server is started with, and the function that starts one. The commands and the library make the first
 * from flags and files; the second is the server's.
 */
import type { ApiServerConfig, StorageConfig } from '../apiserver/config.ts';
import type { ReloadableFiles } from '../base/reloadable-file.ts';
import type { ApiResponse, Caller, Exchange } from '../server/exchange.ts';
import type { StoreOverride } from './flags/api-server/store-overrides.ts';

/** The configuration of a server but for its stores, which the start opens. */
export interface StartConfig extends Omit<ApiServerConfig, 'storage'> {
  readonly storage: Omit<StorageConfig, 'store' | 'overrides'>;
  readonly store: StoreConfig;
  /** The files that are reloaded while the server runs; they are closed together with the server. */
  readonly files: ReloadableFiles;
}

export type StoreConfig =
  /** In memory without a directory. */
  | { readonly kind: 'embedded'; readonly directory: string | undefined }
  | {
      readonly kind: 'etcd';
      readonly servers: readonly string[];
      readonly overrides: readonly StoreOverride[];
      /** Paths: the files are read again for each new connection, so that certificates can be renewed. */
      readonly tls: { readonly caFile?: string; readonly certFile?: string; readonly keyFile?: string };
    };

export interface RunningApiServer {
  /** `https://127.0.0.1:6443`, with the port that was taken. */
  readonly url: string;
  /** Resolves when the bootstrap objects are there, which needs the store; also when the server is closed before. */
  readonly ready: Promise<void>;
  /** Answers a request that came by another way than the port. */
  readonly handle: (exchange: Exchange, caller?: Caller) => Promise<ApiResponse>;
  /** Ends requests and watches, closes the store, resolves when nothing is left. */
  close(): Promise<void>;
}

/** Resolves when requests are answered, be it with 503 because the store is away. Rejects with nothing left open. */
export type StartApiServer = (config: StartConfig) => Promise<RunningApiServer>;
