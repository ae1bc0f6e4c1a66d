/**
 * What users of the library see of a control plane. Their compiler reads this file and whatever it imports, so that it
 * imports nothing that needs the types of Node.
 */
/// <reference lib="esnext.disposable" preserve="true" />
import type { Logger } from '../base/logger.ts';

export interface ControlPlaneOptions {
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

export interface ControlPlane extends AsyncDisposable {
  /** `https://127.0.0.1:PORT` */
  readonly url: string;
  /** A kubeconfig with an administrator's credentials, as text. */
  readonly kubeconfig: string;
  /**
   * The same as a file, for programs that are given a path. A temporary control plane takes it along when it closes.
   */
  readonly kubeconfigPath: string;
  /** Ends everything that was started. Calling it again waits for the same end. */
  close(): Promise<void>;
}
