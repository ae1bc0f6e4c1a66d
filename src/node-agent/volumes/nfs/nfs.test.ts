import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { VolumeRequest } from '../volume-kind.ts';
import { nfs } from './nfs.ts';

test('A share is mounted by the program that the operator names, which may refuse', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'orch-nfs-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const program = path.join(directory, 'mounter');
  await writeFile(program, '#!/bin/sh\necho "$@" > "$0.called"\n');
  await chmod(program, 0o755);
  const request = {
    volume: { name: 'v', nfs: { server: 'files.example', path: '/share', readOnly: true } },
    path: `${directory}/volume`,
    persistent: { spec: { mountOptions: ['nfsvers=4.1'] } },
  } as unknown as VolumeRequest;
  await nfs(program).setUp(request);
  expect(await readFile(`${program}.called`, 'utf8')).toBe(
    `mount -t nfs -o ro,nfsvers=4.1 -- files.example:/share ${directory}/volume\n`,
  );
  await writeFile(program, '#!/bin/sh\necho no such share >&2\nexit 32\n');
  await expect(nfs(program).setUp(request)).rejects.toThrow('mount failed: no such share');
});
