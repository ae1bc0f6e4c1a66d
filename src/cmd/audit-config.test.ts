import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { silentLogger } from '../base/logger.ts';
import { readAuditConfig } from './audit-config.ts';
import { apiServerFlags } from './flags/api-server/table.ts';
import { parseFlags } from './flags/parse.ts';

async function configFor(...flags: readonly string[]) {
  const directory = await mkdtemp(path.join(tmpdir(), 'orch-audit-config-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const policy = path.join(directory, 'policy.json');
  await writeFile(policy, '{"apiVersion":"audit.k8s.io/v1","kind":"Policy","rules":[{"level":"Metadata"}]}');
  const { options } = parseFlags(apiServerFlags, [
    `--audit-policy-file=${policy}`,
    `--audit-log-path=${path.join(directory, 'audit.log')}`,
    ...flags,
  ]);
  return (await readAuditConfig(options, { log: silentLogger }))!.log!;
}

test.each([
  {
    name: 'how long files are kept',
    flags: ['--audit-log-maxage=3', '--audit-log-maxbackup=4', '--audit-log-maxsize=5'],
    expected: { file: { maxAgeDays: 3, maxBackups: 4, maxBytes: 5 * 1024 * 1024 } },
  },
  {
    name: 'how long events and batches may be',
    flags: [
      '--audit-log-truncate-enabled',
      '--audit-log-truncate-max-batch-size=2000',
      '--audit-log-truncate-max-event-size=1000',
    ],
    expected: { truncate: { maxBatchBytes: 2000, maxEventBytes: 1000 } },
  },
  {
    name: 'how often batches are written',
    flags: [
      '--audit-log-mode=batch',
      '--audit-log-batch-throttle-enable',
      '--audit-log-batch-throttle-qps=7',
      '--audit-log-batch-throttle-burst=8',
      '--audit-log-batch-max-wait=9s',
    ],
    expected: { mode: 'batch', batch: { maxWaitMs: 9000, throttle: { perSecond: 7, burst: 8 } } },
  },
])('Flags of the audit log say $name', async ({ flags, expected }) => {
  expect(await configFor(...flags)).toMatchObject(expected);
});
