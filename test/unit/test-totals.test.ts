import { describe, expect, test } from 'vitest';
import { add, formatTotals, none, totalsOfReport } from '../../hack/lib/test-totals.mjs';

const report = {
  numPassedTests: 5,
  numFailedTests: 0,
  numPendingTests: 1,
  numTodoTests: 1,
  testResults: [{ status: 'passed', assertionResults: [{ status: 'passed' }] }],
};

describe('totalsOfReport', () => {
  test.each([
    { name: 'passed and skipped', report, exitCode: 0, totals: { passed: 5, failed: 0, skipped: 2 } },
    {
      name: 'failed tests',
      report: {
        ...report,
        numFailedTests: 2,
        testResults: [{ status: 'failed', assertionResults: [{ status: 'failed' }, { status: 'failed' }] }],
      },
      exitCode: 1,
      totals: { passed: 5, failed: 2, skipped: 2 },
    },
    {
      name: 'a file that cannot be loaded',
      report: {
        ...report,
        numFailedTests: 2,
        testResults: [
          { status: 'failed', assertionResults: [] },
          { status: 'failed', assertionResults: [{ status: 'failed' }, { status: 'failed' }] },
        ],
      },
      exitCode: 1,
      totals: { passed: 5, failed: 3, skipped: 2 },
    },
    { name: 'an error outside of tests', report, exitCode: 1, totals: { passed: 5, failed: 1, skipped: 2 } },
    { name: 'no report at all', report: undefined, exitCode: 0, totals: { passed: 0, failed: 1, skipped: 0 } },
  ])('totalsOfReport counts $name', ({ report: given, exitCode, totals }) => {
    expect(totalsOfReport(given, exitCode)).toEqual(totals);
  });
});

test('The summary of test totals is one line', () => {
  expect(formatTotals(add(none, { passed: 3, failed: 0, skipped: 0 }))).toBe('3 passed, 0 failed');
  expect(formatTotals(add({ passed: 1, failed: 1, skipped: 0 }, { passed: 3, failed: 0, skipped: 2 }))).toBe(
    '4 passed, 1 failed, 2 skipped',
  );
});
