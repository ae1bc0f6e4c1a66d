/** What a probe found. */
export interface ProbeResult {
  readonly outcome: 'success' | 'warning' | 'failure';
  readonly output: string;
}
