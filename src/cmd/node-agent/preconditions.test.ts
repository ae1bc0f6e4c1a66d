import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { defaultConfig, type NodeAgentConfig } from '../../node-agent/config/config.ts';
import type { NodeAgentSettings } from '../../node-agent/config/settings.ts';
import { checkMachine, imageWarnings } from './preconditions.ts';

async function check(changes: Partial<NodeAgentConfig>, isCgroupV2 = false): Promise<void> {
  const root = await mkdtemp(path.join(tmpdir(), 'orch-machine-'));
  onTestFinished(() => rm(root, { recursive: true }));
  await mkdir(path.join(root, 'sys/fs/cgroup'), { recursive: true });
  if (isCgroupV2) await writeFile(path.join(root, 'sys/fs/cgroup/cgroup.controllers'), 'cpu\n');
  const config = { ...defaultConfig, ...changes };
  const settings = { config, rootDir: path.join(root, 'agent'), nodeIPs: [], hasExternalCloud: false };
  await checkMachine(settings as unknown as NodeAgentSettings, root);
}

test('A machine with groups of version 1 does', async () => {
  await check({});
});

test.each<{ name: string; changes: Partial<NodeAgentConfig>; message: string }>([
  {
    name: 'groups of version 1, where version 2 is needed',
    changes: { failCgroupV1: true },
    message: 'kubelet is configured to not run on a host using cgroup v1. cgroup v1 support is in maintenance mode',
  },
  {
    name: 'groups of version 1, where containers are to end with any process',
    changes: { singleProcessOOMKill: false },
    message: 'invalid configuration: singleProcessOOMKill must not be explicitly set to false when using cgroup v1',
  },
  {
    name: 'parameters of the kernel that are not to be changed',
    changes: { protectKernelDefaults: true },
    message: 'invalid kernel flag: vm/overcommit_memory, expected value: 1, actual value: undefined',
  },
])('A machine with $name is refused', async ({ changes, message }) => {
  await expect(check(changes)).rejects.toThrow(message);
});

test('A machine with groups of version 2 does where version 1 is refused', async () => {
  await check({ failCgroupV1: true, singleProcessOOMKill: false }, true);
});

test.each([
  { name: 'images are removed when the disk is full', high: 85, maxAge: 0, reasons: ['InvalidDiskCapacity'] },
  { name: 'images are removed by their age alone', high: 100, maxAge: 1, reasons: ['InvalidDiskCapacity'] },
  { name: 'no images are removed', high: 100, maxAge: 0, reasons: [] },
])('The events at the start where $name are $reasons', ({ high, maxAge, reasons }) => {
  const warnings = imageWarnings({ imageGCHighThresholdPercent: high, imageMaximumGCAge: maxAge });
  expect(warnings.map(([reason]) => reason)).toEqual(reasons);
});
