/**
 * What users of the library see of a control plane. Their compiler reads this file and whatever it imports, so that it
 * imports nothing that needs the types of Node.
 */
/// <reference lib="esnext.disposable" preserve="true" />
import type { Logger } from '../base/logger.ts';
import type { CloudProvider } from '../controllers/cloud/provider.ts';

/** Which daemons run beside the API server, in its process. */
export interface DaemonOptions {
  /**
   * Controllers: all that are on by default (`true`), none (`false`), or those of these names, as `--controllers` of
   * the controller manager has them. When absent: those that make deletions end,
   * of namespaces and of dependent objects.
   */
  readonly controllers?: boolean | readonly string[];
  /**
   * What the platform does for the cluster: load balancers for services, and routes between nodes. With it
   * `service-lb-controller` and `node-route-controller` run, where `controllers` names them or is true, and with routes
   * `node-ipam-controller` gives nodes ranges out of `clusterCidrs`.
   */
  readonly cloud?: CloudProvider;
  /** Whether pods are bound to nodes. */
  readonly scheduler?: boolean;
  /** So many nodes whose pods exist in the API alone: they become ready, and jobs succeed. */
  readonly hollowNodes?: number;
}

export interface ControlPlaneOptions extends DaemonOptions {
  /** Where data, keys and the kubeconfig are kept and found again. Without it all of them are temporary. */
  readonly dataDir?: string;
  /** HTTPS port; a free one when absent. */
  readonly port?: number;
  /** Any flags of `orch apiserver`, as on the command line: `['--runtime-config=api/all=true']`. */
  readonly flags?: readonly string[];
  /** How often files that flags name are looked at for changes, in milliseconds. */
  readonly fileCheckMs?: number;
  /** Gives the start up when it aborts, such as after a time: with etcd, the start waits for it. */
  readonly signal?: AbortSignal;
  /** Told of what an operator should know; silent when absent. pino fits. */
  readonly log?: Logger;
}

/** What is known of a context where its type is not named. */
export interface KoaContext {
  // As in the types of Koa: what is in it is the application's.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly state: any;
  readonly path: string;
  get(field: string): string;
  readonly cookies: { get(name: string): string | undefined };
}

export interface KoaOptions<Context = KoaContext> {
  /** Of the paths that are the API's: `/clusters/main`. Without it all are. */
  readonly prefix?: string;
  /**
   * Whom the application has authenticated. Credentials in the request do not count then, and a request for which this
   * gives no user is refused with 401. Without it callers authenticate themselves, by bearer tokens, as over the port.
   */
  readonly user?: (ctx: Context) => KoaUser | undefined | Promise<KoaUser | undefined>;
}

/** A caller as authorization and audit see one. Each is in group `system:authenticated` as well. */
export interface KoaUser {
  readonly name: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export type KoaMiddleware<Context = KoaContext> = (ctx: Context, next: () => Promise<unknown>) => Promise<void>;

export interface ControlPlane extends AsyncDisposable {
  /** `https://127.0.0.1:PORT` */
  readonly url: string;
  /** A kubeconfig with an administrator's credentials, as text. */
  readonly kubeconfig: string;
  /**
   * The same as a file, for programs that are given a path. A temporary control plane takes it along when it closes.
   */
  readonly kubeconfigPath: string;
  /**
   * The API as middleware of a Koa application: requests below the prefix pass the same steps as those over the port,
   * authorization and audit among them. To be used in front of what parses bodies. Upgrades (exec, port-forward,
   * WebSockets) do not reach middleware: they are for the port.
   */
  koa<Context = KoaContext>(options?: KoaOptions<Context>): KoaMiddleware<Context>;
  /** Ends everything that was started. Calling it again waits for the same end. */
  close(): Promise<void>;
}
