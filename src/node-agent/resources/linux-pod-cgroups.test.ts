import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Pod } from '../../api/gen/types/core-v1.ts';
import { silentLogger } from '../../base/logger.ts';
import { createLinuxPodCgroups } from './linux-pod-cgroups.ts';

/** Directories in place of the file system of control groups: what is written to a file stays in it. */
async function groups(isCgroupV2: boolean) {
  const mount = await mkdtemp(path.join(tmpdir(), 'orch-cgroups-'));
  onTestFinished(() => rm(mount, { recursive: true }));
  if (isCgroupV2) await writeFile(`${mount}/cgroup.controllers`, 'cpu memory pids rdma\n');
  else for (const name of ['cpu', 'memory', 'pids']) await mkdir(`${mount}/${name}`);
  const cgroups = createLinuxPodCgroups({
    mount,
    root: '/agent',
    settings: {
      cpuCfsQuota: true,
      cpuCfsQuotaPeriodUs: 100_000,
      memoryCapacity: 1n << 32n,
      isCgroupV2,
      podPidsLimit: 512,
    },
    log: silentLogger,
  });
  return { cgroups, read: (file: string) => readFile(`${mount}/${file}`, 'utf8'), mount };
}

const amounts = { cpu: '250m', memory: '64Mi' };
const guaranteed = {
  metadata: { uid: 'u1' },
  spec: { containers: [{ name: 'main', resources: { limits: amounts, requests: amounts } }] },
} as unknown as Pod;
const bestEffort = {
  metadata: { uid: 'u2' },
  spec: { containers: [{ name: 'main', resources: {} }] },
} as unknown as Pod;

test('A pod has its limits in one group of v2, and the groups above pass the controllers on', async () => {
  const { cgroups, read } = await groups(true);
  await cgroups.ensure(guaranteed);
  const at = 'agent/kubepods/podu1';
  expect(await read(`${at}/cpu.weight`)).toBe('10');
  expect(await read(`${at}/cpu.max`)).toBe('25000 100000');
  expect(await read(`${at}/memory.max`)).toBe(String(64 << 20));
  expect(await read(`${at}/pids.max`)).toBe('512');
  for (const above of ['.', 'agent', 'agent/kubepods'])
    expect(await read(`${above}/cgroup.subtree_control`)).toBe('+pids');
});

test('A pod has a group in each hierarchy of v1, below its class of service', async () => {
  const { cgroups, read } = await groups(false);
  await cgroups.ensure(bestEffort);
  expect(await read('cpu/agent/kubepods/besteffort/podu2/cpu.shares')).toBe('2');
  expect(await read('pids/agent/kubepods/besteffort/podu2/pids.max')).toBe('512');
  expect(await cgroups.uids()).toEqual(['u2']);
});

test('The group of a pod is taken away, and those of others stay', async () => {
  const { cgroups, mount } = await groups(false);
  await cgroups.ensure(bestEffort);
  const parent = `${mount}/memory/agent/kubepods/besteffort`;
  await mkdir(`${parent}/podother`);
  for (const [file, hierarchy] of [
    ['cpu.shares', 'cpu'],
    ['pids.max', 'pids'],
  ] as const)
    await rm(`${mount}/${hierarchy}/agent/kubepods/besteffort/podu2/${file}`);
  await cgroups.remove('u2');
  expect(await readdir(parent)).toEqual(['podother']);
});
