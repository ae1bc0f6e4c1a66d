import { chmod, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { silentLogger } from '../../base/logger.ts';
import { ensureSelfSigned } from './self-signed.ts';
import { servingNames } from '../../pki/serving-names.ts';

const names = servingNames({ bindAddress: '127.0.0.1', serviceClusterIpRanges: [] });

test('The key of --cert-dir is taken from other users of the machine, and its directory is left alone', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'orch-certs-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const own = { directory, pairName: 'apiserver', commonName: 'host', names, now: new Date() };
  const first = await ensureSelfSigned(own);
  const key = join(directory, 'apiserver.key');
  await Promise.all([chmod(directory, 0o755), chmod(key, 0o644)]);
  const told: unknown[] = [];
  expect(
    await ensureSelfSigned({
      ...own,
      log: { ...silentLogger, warn: (details) => void told.push(details) },
    }),
  ).toEqual(first);
  expect([(await stat(key)).mode & 0o777, (await stat(directory)).mode & 0o777]).toEqual([0o600, 0o755]);
  expect(told).toEqual([{ path: key, before: '0644', now: '0600' }]);
});
