/** What is between a server and the controllers and scheduler that run against it. */

/** What controllers are started with. */
export interface ClusterFiles {
  readonly directory: string;
  readonly url: string;
  /** An administrator's, with a token. */
  readonly kubeconfig: string;
  /** PEM. */
  readonly ca: string;
  readonly token: string;
  readonly caFile: string;
  readonly caKeyFile: string;
  readonly serviceAccountKeyFile: string;
}

/** Controllers and scheduler that run. */
export interface Running extends AsyncDisposable {
  /** Names as `--controllers` has them, and `scheduler`. */
  readonly names: ReadonlySet<string>;
  /** What went wrong in them, for people who look for a cause. */
  readonly log: () => string;
}
