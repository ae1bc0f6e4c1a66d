/** What a daemon is to the code that runs it, and what that gives to its work. */
import type { GateSettings } from '../../api/feature-gates.ts';
import type { Logger } from '../../base/logger.ts';
import type { ReloadableFiles } from '../../base/reloadable-file.ts';
import type { Client, ClientOptions } from '../../client/client.ts';
import type { Pod } from '../../client/in-cluster.ts';
import type { HealthCheck, HealthChecks, HealthEndpoint } from '../../server/health.ts';
import type { MetricRegistry } from '../../server/metrics/metric-registry.ts';
import type { MetricPage } from '../../server/koa/page-routes.ts';
import type { FlagValue } from '../../server/koa/zpages-routes.ts';
import type { DaemonOptions } from '../flags/shared/daemon.ts';
import type { GivenFlags } from '../flags/parse.ts';
import type { ContentionProfile } from '../../server/profiling/contention-profile.ts';
import type { AdjustableLogger } from '../logging.ts';
import type { ApiConnection, ConnectionParts, Credentials } from './api-connection.ts';
import type { LockName } from './leading.ts';
import type { ServingParts } from './serving.ts';

export interface DaemonSpec {
  /** `kube-controller-manager`: in its user agent, and on its certificate. */
  readonly name: string;
  readonly options: DaemonOptions;
  readonly given: GivenFlags;
  readonly featureGates: GateSettings;
  /** What `/configz` shows, and under which name. */
  readonly config: { readonly name: string; readonly value: unknown };
  /** `--emulated-version` */
  readonly emulatedVersions?: readonly string[];
  /** All flags with their values, for `/flagz`. */
  readonly flags: () => readonly FlagValue[];
  /**
   * False: several of them work at once, and there is no election. Absent: the options say whether there is one.
   */
  readonly elects?: false;
  /** How the API server is reached where neither a flag nor a pod says it. Undefined: it cannot be. */
  readonly findApi?: (parts: ConnectionParts) => Promise<ApiConnection | undefined>;
  /**
   * Opens the connection in place of what the options say. Undefined: this daemon works without an API server, and has
   * no client. The signal aborts when the daemon is to stop.
   */
  readonly openApi?: (parts: ConnectionParts, signal: AbortSignal) => Promise<ApiConnection | undefined>;
  /** The work serves by itself, in place of the HTTPS port of all daemons. */
  readonly servesItself?: true;
  /** Metrics that its HTTPS port serves at other paths than `/metrics`, by path. */
  readonly pages?: (registry: MetricRegistry) => Readonly<Record<string, MetricPage>>;
  /** Serves more of the daemon than its HTTPS port does. @returns what ends it */
  readonly serveMore?: (health: HealthChecks, log: Logger) => Promise<() => Promise<void>>;
  /** Flags that name how callers are looked up, where they are no flags of their own. */
  readonly kubeconfigFlags?: ServingParts['kubeconfigFlags'];
  /** Whether the daemon goes on without its port where that is taken. */
  readonly isPortOptional?: boolean;
  /** What the leader does. Resolves when that has ended, soon after the signal aborts. */
  readonly lead: (daemon: LeadingDaemon) => Promise<void>;
  /** What every candidate does from its start until it ends. Its clients are not fenced. @returns what ends that */
  readonly standBy?: ((daemon: LeadingDaemon) => () => Promise<void>) | undefined;
  /** What a caller cannot choose, but a test can. */
  readonly around?: { readonly pod?: Pod; readonly fileCheckMs?: number };
}

export interface ClientRequestOptions {
  /** Of the user agent, behind the name of the daemon. */
  readonly part?: string;
  /** In place of the limits of the flags. */
  readonly limits?: Pick<ClientOptions, 'qps' | 'burst' | 'limiter'>;
  /** How many times the limits of the flags. */
  readonly rates?: { readonly qps: number; readonly burst: number };
  /** In place of the credentials of the daemon. */
  readonly credentials?: Credentials;
}

/** A daemon that works. */
export interface LeadingDaemon {
  /** Aborts when the leadership is lost, or the daemon is to stop. */
  readonly signal: AbortSignal;
  /** The resource version since when it leads; undefined without a leader election. */
  readonly since: string | undefined;
  readonly log: Logger;
  readonly registry: MetricRegistry;
  /** A client of its own limits, whose writes are refused once the leadership is lost. */
  client(options?: ClientRequestOptions): Client;
  /** Adds to what an endpoint asks; `healthz` when absent. @returns what takes it out */
  addHealthCheck(check: HealthCheck, endpoint?: HealthEndpoint): () => void;
  /**
   * Waits for a further leadership, leads once, and resolves when that is over because this one is. A loss is one of
   * the daemon.
   */
  leadUnder(lock: LockName, lead: (daemon: LeadingDaemon) => Promise<void>): Promise<void>;
  /** Files that are read again when they change. */
  readonly files: ReloadableFiles;
  /** The API server that it works on; undefined where it works without one. */
  readonly connection: ApiConnection | undefined;
  /** For daemons that serve by themselves. */
  readonly serving: {
    readonly logger: AdjustableLogger;
    readonly health: HealthChecks;
    /** What is noted of a contended event loop. */
    readonly contention: ContentionProfile | undefined;
    readonly zpages: ServingParts['zpages'];
  };
}
