export interface Totals {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}
export interface VitestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly { readonly status: string; readonly assertionResults: readonly { readonly status: string }[] }[];
}
export const none: Totals;
export function add(a: Totals, b: Totals): Totals;
export function formatTotals(totals: Totals): string;
export function totalsOfReport(report: VitestReport | undefined, exitCode: number): Totals;
