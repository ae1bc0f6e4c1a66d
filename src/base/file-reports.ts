/** Told what comes of files that are read again while the program runs, for a log and metrics. */
export interface FileReports {
  /** New content is in force. */
  taken(files: readonly string[]): void;
  /** What is there now cannot be used, and the content from before stays. May be told again while that lasts. */
  refused(files: readonly string[], error: unknown): void;
}
