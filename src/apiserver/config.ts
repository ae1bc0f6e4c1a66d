/** What an API server is started with: everything is decided, files are read, stores are open. */
import type { GateSettings } from '../api/feature-gates.ts';
import type { GroupVersionInfo } from '../api/resources.ts';
import type { Logger } from '../base/logger.ts';
import type { FileReports } from '../base/file-reports.ts';
import type { ReloadableFiles, ReloadableText } from '../base/reloadable-file.ts';
import type { VersionInfo } from '../base/version.ts';
import type { StorageMediaType } from '../registry/generic/storage-codec.ts';
import type { EncryptionOptions } from '../storage/encryption/encryption.ts';
import type { TracingConfiguration } from '../server/tracing/configuration.ts';
import type { Verbosity } from '../server/koa/debug-routes.ts';
import type { FlagValue } from '../server/koa/zpages-routes.ts';
import type { StallReporting } from '../server/stall-detector/report-stalls.ts';
import type { AdmissionSettings } from './admission/plugins.ts';
import type { AggregationConfig } from './aggregation/setup.ts';
import type { NodesConfig } from './nodes/connections.ts';
import type { AuditConfig } from './audit/create-trail.ts';
import type { AuthenticationConfig } from './authn/authentication.ts';
import type { AuthorizationConfig } from './authz/configuration.ts';
import type { Egress } from './egress/dialers.ts';
import type { CorsOptions } from './filters/cors.ts';
import type { LargeRequestLimits } from './large-requests/limits.ts';
import type { MetricSettings } from '../server/metrics/metric-registry.ts';
import type { ServiceRangesOptions } from '../registry/core/services/allocation/service-ranges.ts';
import type { ServiceControllersConfig } from './bootstrap/service-controllers.ts';
import type { StorageUpkeep } from './lifecycle/post-start-hooks.ts';
import type { ShutdownConfig } from './lifecycle/graceful-shutdown.ts';
import type { ServingTls } from '../server/tls/certificate-reload.ts';

export interface ApiServerConfig {
  readonly serving: {
    readonly address: string;
    /** 0 takes a free port. */
    readonly port: number;
    readonly tls: ServingTls;
    /** Bind with SO_REUSEPORT. */
    readonly sharePort: boolean;
    readonly cors: CorsOptions;
    /** Share of HTTP/2 requests after which a client is asked to connect anew. */
    readonly goAwayChance: number;
    readonly maxStreamsPerConnection: number;
    /** Under which the members of the cluster reach this server; loopback where the machine has no other. */
    readonly publicAddress: string;
    /** Host name in URLs that this server hands out. */
    readonly externalHostname: string;
    readonly requestTimeoutMs: number;
    readonly minRequestTimeoutSeconds: number;
    readonly shutdown: ShutdownConfig;
    readonly livezGraceMs: number;
  };
  /** Most requests at once; 0 means no limit. */
  readonly inFlight: { readonly readOnly: number; readonly mutating: number };
  /** Whether requests wait for seats of their priority level, as many in all as both limits together. */
  readonly isFair: boolean;
  readonly authentication: AuthenticationConfig;
  readonly authorization: AuthorizationConfig;
  /** Absent: nothing is recorded. */
  readonly audit?: AuditConfig;
  readonly metrics: MetricSettings;
  readonly groupVersions: readonly GroupVersionInfo[];
  /** `--feature-gates` */
  readonly featureGates: GateSettings;
  readonly storage: StorageConfig;
  readonly services: ServicesConfig;
  readonly aggregation: AggregationConfig;
  readonly nodes: NodesConfig;
  readonly admission: AdmissionSettings;
  readonly allowPrivileged: boolean;
  /** What differs from the usual limits of the thread for large requests. */
  readonly largeRequests?: Partial<LargeRequestLimits>;
  readonly debugging: DebuggingConfig;
  /** Absent: nothing is traced, and no part of a tracing library is loaded. */
  readonly tracing?: TracingConfiguration;
  /** How other servers of the cluster are known, and reach this one. */
  readonly peers?: PeersConfig | undefined;
  /** Of this machine, by which other servers know this one, where it is not the system's. */
  readonly hostname?: string | undefined;
  /** Absent: all connections go straight to their address. */
  readonly egress?: Egress | undefined;
  /** What is told of an event loop that stands. */
  readonly stalls: StallReporting;
  readonly version: VersionInfo;
  /** Files that are reloaded while the server runs, for the metrics, and who is told of others. */
  readonly files?: Pick<ReloadableFiles, 'reloads'> & FileReports;
  readonly log: Logger;
  /** Gives the start up. */
  readonly signal: AbortSignal;
}

export interface PeersConfig {
  /** `--peer-ca-file`: PEM; the authorities of the system when absent. */
  readonly ca: ReloadableText | undefined;
  /** `--peer-advertise-ip`; the public address when absent. */
  readonly advertiseIp: string | undefined;
  /** `--peer-advertise-port`; the port of this server when absent. */
  readonly advertisePort: number | undefined;
}

export interface DebuggingConfig {
  /** `/debug/pprof/` and `/debug/flags/` */
  readonly profiling: boolean;
  readonly contentionProfiling: boolean;
  /** Where they are served without authentication; absolute. */
  readonly socketPath: string | undefined;
  readonly verbosity: Verbosity;
  /** The minor version that the server behaves like: `1.32`. */
  readonly emulatedVersion: string;
  /** What `/flagz` shows. */
  readonly flags: () => readonly FlagValue[];
}

export interface StorageConfig extends StorageUpkeep {
  readonly prefix: string;
  readonly mediaType: StorageMediaType;
  readonly usesWatchCache: (group: string, resource: string) => boolean;
  readonly eventTtlMs: number;
  readonly leaseReuseSeconds: number;
  readonly deleteCollectionWorkers: number;
  /** Whether a collector deletes dependents: what a deletion asks about them is left to it. */
  readonly garbageCollection: boolean;
  readonly healthTimeoutMs: number;
  readonly readyTimeoutMs: number;
  /** Absent: values are stored as they are. */
  readonly encryption?: EncryptionConfig;
}

/** The document, and how it is read again. */
export type EncryptionConfig = Pick<EncryptionOptions, 'text' | 'file' | 'reload' | 'reloadMs'>;

export type ServicesConfig = Pick<ServiceRangesOptions, 'clusterIpRanges' | 'nodePortRange'> &
  Omit<ServiceControllersConfig, 'publicAddress' | 'leases'>;
