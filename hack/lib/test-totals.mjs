/** Adds up test results. */

export const none = { passed: 0, failed: 0, skipped: 0 };

export const add = (a, b) => ({
  passed: a.passed + b.passed,
  failed: a.failed + b.failed,
  skipped: a.skipped + b.skipped,
});

export const formatTotals = ({ passed, failed, skipped }) =>
  `${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`;

/**
 * What vitest's JSON report says. A run that failed although no test did (a file that cannot be loaded, an error
 * outside of tests, no report at all) counts as one failure: nothing that went wrong may end with "0 failed".
 */
export function totalsOfReport(report, exitCode) {
  if (report === undefined) return { ...none, failed: 1 };
  const brokenFiles = report.testResults.filter(
    ({ status, assertionResults }) => status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
  ).length;
  const failed = report.numFailedTests + brokenFiles;
  return {
    passed: report.numPassedTests,
    failed: failed === 0 && exitCode !== 0 ? 1 : failed,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}
