/** What the kinds of plugins have in common. */

export interface Plugin {
  /** As its registration says: `hostpath.csi.k8s.io` */
  readonly name: string;
  /** Path of the socket at which its service listens. */
  readonly endpoint: string;
  /** Versions of the service that it speaks: `1.0.0` */
  readonly versions: readonly string[];
}

export interface PluginHandler {
  /** Throws for a plugin that cannot be used. */
  validate(plugin: Plugin): void;
  /** Rejects when the plugin cannot be used now: it is tried again. */
  register(plugin: Plugin, signal: AbortSignal): Promise<void>;
  /** The socket is gone, or there is another one in its place. */
  deregister(name: string): Promise<void>;
}

/** As plugins say what they are: `CSIPlugin`, `DevicePlugin`, `DRAPlugin`. */
export type PluginHandlers = ReadonlyMap<string, PluginHandler>;
