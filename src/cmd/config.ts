/**
 * What an API server is started with, and the function that starts one. The commands and the library make the first
 * from flags and files; the second is the server's.
 */
import type { AuditConfig } from '../apiserver/audit/create-trail.ts';
import type { MetricSettings } from '../server/metrics/metric-registry.ts';
import type { GateSettings } from '../api/feature-gates.ts';
import type { GroupVersionInfo } from '../api/resources.ts';
import type { Logger } from '../base/logger.ts';
import type { VersionInfo } from '../base/version.ts';
import type { AuthenticationConfig } from '../apiserver/authn/authentication.ts';
import type { EncryptionConfig } from '../apiserver/config.ts';
import type { AuthorizationConfig } from '../apiserver/authz/configuration.ts';
import type { ClientPair } from '../apiserver/aggregation/backends.ts';
import type { ApiResponse, Caller, Exchange } from '../server/exchange.ts';
import type { ServingTls } from '../server/tls/certificate-reload.ts';
import type { ReloadableFiles } from '../base/reloadable-file.ts';
import type { StallReporting } from '../server/stall-detector/report-stalls.ts';
import type { StoreOverride } from './flags/api-server/store-overrides.ts';
import type { ApiServerOptions } from './flags/api-server/table.ts';

/** Files are read already, but for etcd's: what stands here is their content, or what gives it as it changes. */
export interface ApiServerConfig {
  /** Validated and completed: anonymous is off where it must be. Files that it names have been read. */
  readonly options: ApiServerOptions;
  readonly featureGates: GateSettings;
  /** What `--runtime-config` leaves of the built-in APIs. */
  readonly groupVersions: readonly GroupVersionInfo[];
  /** Port 0 takes a free one. */
  readonly listen: { readonly address: string; readonly port: number };
  /**
   * Where others reach the server: it goes into the endpoints of the kubernetes service and, with the port, into
   * `/api`. A loopback address where the machine has no other: no endpoint can be published then.
   */
  readonly publicAddress: string;
  readonly serving: ServingTls;
  readonly authentication: AuthenticationConfig;
  readonly authorization: AuthorizationConfig;
  /** How the server proves itself to aggregated API servers. */
  readonly proxyClient: ClientPair | undefined;
  /** The files that are reloaded while the server runs; they are closed together with the server. */
  readonly files: ReloadableFiles;
  /** Undefined: nothing is recorded. */
  readonly audit: AuditConfig | undefined;
  /** What `/metrics` shows. */
  readonly metrics: MetricSettings;
  readonly store: StoreConfig;
  /** Undefined: values are stored as they are. */
  readonly encryption: EncryptionConfig | undefined;
  /** What is told of an event loop that stands. */
  readonly stalls: StallReporting;
  readonly version: VersionInfo;
  readonly log: Logger;
  /** Aborted when the start is to be given up, such as while etcd is waited for. */
  readonly signal: AbortSignal;
}

export type StoreConfig =
  /** In memory without a directory. */
  | { readonly kind: 'embedded'; readonly directory: string | undefined }
  | {
      readonly kind: 'etcd';
      readonly servers: readonly string[];
      readonly overrides: readonly StoreOverride[];
      /** Paths: files can be replaced while the server runs. */
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
export type StartApiServer = (config: ApiServerConfig) => Promise<RunningApiServer>;
