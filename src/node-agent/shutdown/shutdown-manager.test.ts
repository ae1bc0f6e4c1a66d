import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Registry } from 'prom-client';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Pod } from '../../api/gen/types/core-v1.ts';
import { silentLogger } from '../../base/logger.ts';
import { FakeClock } from '../../base/testing/fake-clock.ts';
import { startFakeBus } from '../../dbus/testing/fake-bus.ts';
import { createShutdownMetrics } from '../metrics/shutdown-metrics.ts';
import { openLogind, takeInhibitorLock } from './logind.ts';
import { type ShutdownConfig, shutdownGroups } from './shutdown-groups.ts';
import { ShutdownManager } from './shutdown-manager.ts';

const critical = 2_000_000_000;
const podOf = (name: string, priority: number, grace = 300): Pod =>
  ({ metadata: { name, uid: name }, spec: { priority, terminationGracePeriodSeconds: grace } }) as Pod;

const off: ShutdownConfig = {
  shutdownGracePeriod: 0,
  shutdownGracePeriodCriticalPods: 0,
  shutdownGracePeriodByPodPriority: [],
};
const usual: ShutdownConfig = { ...off, shutdownGracePeriod: 30_000, shutdownGracePeriodCriticalPods: 10_000 };
const byPriority: ShutdownConfig = {
  ...off,
  shutdownGracePeriodByPodPriority: [
    { priority: 1000, shutdownGracePeriodSeconds: 20 },
    { priority: 0, shutdownGracePeriodSeconds: 10 },
    { priority: 100_000, shutdownGracePeriodSeconds: 5 },
  ],
};

const pods = [podOf('low', -5), podOf('usual', 0), podOf('high', 5000), podOf('critical', critical)];

test.each([
  { name: 'no period', config: off, groups: [] },
  { name: 'two periods', config: usual, groups: ['20s low usual high', '10s critical'] },
  { name: 'periods by priority', config: byPriority, groups: ['10s low usual', '20s high', '5s critical'] },
])('With $name pods end in the groups $groups', ({ config, groups }) => {
  const shown = shutdownGroups(config, pods).map(
    ({ graceSeconds, pods: group }) => `${graceSeconds}s ${group.map(({ metadata }) => metadata.name).join(' ')}`,
  );
  expect(shown).toEqual(groups);
});

const loginPath = '/org/freedesktop/login1';
const prepare = 'org.freedesktop.login1.Manager.PrepareForShutdown';

interface Shape {
  readonly config?: ShutdownConfig;
  readonly running?: readonly Pod[];
  /** Of logind, in seconds: before it reads its files again, and then. */
  /** Of a shutdown before. */
  readonly state?: string;
  readonly delays?: readonly [before: number, after: number];
}

async function start({ config = usual, running = pods, delays = [60, 60], state }: Shape = {}) {
  const directory = await mkdtemp(path.join(tmpdir(), 'orch-shutdown-'));
  if (state !== undefined) await writeFile(`${directory}/graceful_node_shutdown_state`, state);
  const registry = new Registry();
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  let isReloaded = false;
  const bus = await startFakeBus((name) => {
    if (name === 'org.freedesktop.systemd1.Manager.ReloadUnit') {
      isReloaded = true;
      return { signature: 'o', body: ['/job/1'] };
    }
    const seconds = delays[isReloaded ? 1 : 0];
    return { signature: 'v', body: [{ signature: 't', value: BigInt(seconds) * 1_000_000n }] };
  });
  const clock = new FakeClock();
  const log: string[] = [];
  const ends = new Map<string, () => void>();
  const ended = new AbortController();
  const manager = new ShutdownManager({
    config,
    openLogind: () => openLogind({ busPath: bus.path, configDirectory: `${directory}/logind.conf.d` }),
    takeLock() {
      log.push('locked');
      return Promise.resolve({ release: () => void log.push('released') });
    },
    pods: () => running,
    terminate({ metadata: { name = '' } }, graceSeconds) {
      log.push(`end ${name} ${graceSeconds}s`);
      return new Promise((resolve) => ends.set(name, resolve));
    },
    onChange: () => void log.push('node changed'),
    event: (reason, message) => void log.push(`${reason}: ${message}`),
    stateFile: `${directory}/graceful_node_shutdown_state`,
    clock,
    nowMs: () => Date.UTC(2026, 0, 1) + clock.now(),
    log: silentLogger,
    observer: createShutdownMetrics(registry),
  });
  const runs = manager.run(ended.signal);
  onTestFinished(async () => {
    ended.abort();
    await runs;
  });
  return {
    bus,
    clock,
    manager,
    log,
    ends,
    directory,
    registry,
    stop: async () => {
      ended.abort();
      await runs;
    },
    signal: (isActive: boolean) => bus.signal(loginPath, prepare, 'b', [isActive]),
    comes: (line: string) => expect.poll(() => log).toContain(line),
  };
}

describe('A machine that shuts down', () => {
  test('Pods end by priority, each group within its time, and then the shutdown goes on', async () => {
    const { signal, comes, log, ends, clock, manager, directory } = await start();
    await comes('locked');
    signal(true);
    await comes('end high 20s');
    expect(manager.isShuttingDown).toBe(true);
    expect(log).toEqual([
      'locked',
      'node changed',
      'Shutdown: Shutdown manager detected shutdown event',
      'end low 20s',
      'end usual 20s',
      'end high 20s',
    ]);
    ends.get('low')!();
    await clock.advance(20_000);
    await comes('end critical 10s');
    ends.get('critical')!();
    await comes('released');
    expect(JSON.parse(await readFile(`${directory}/graceful_node_shutdown_state`, 'utf8'))).toEqual({
      startTime: '2026-01-01T00:00:00.000Z',
      endTime: '2026-01-01T00:00:20.000Z',
    });
  });

  test('A pod has no more time than it asks for', async () => {
    const { signal, comes } = await start({ running: [podOf('short', 0, 3)] });
    await comes('locked');
    signal(true);
    await comes('end short 3s');
  });

  test('A shutdown that is called off ends no more groups, and the next one is waited for', async () => {
    const { signal, comes, log, ends, manager } = await start();
    await comes('locked');
    signal(true);
    await comes('end high 20s');
    signal(false);
    await expect.poll(() => manager.isShuttingDown).toBe(false);
    for (const end of ends.values()) end();
    await expect.poll(() => log.filter((line) => line === 'node changed').length).toBe(2);
    expect(log).not.toContain('end critical 10s');
    expect(log).not.toContain('released');
    signal(true);
    await expect.poll(() => log.filter((line) => line === 'end high 20s').length).toBe(2);
  });

  test('A shutdown that another program tells is none', async () => {
    const { bus, signal, comes, log } = await start({ running: [] });
    await comes('locked');
    bus.signal(loginPath, prepare, 'b', [true], ':1.66');
    signal(false);
    signal(true);
    await comes('released');
    expect(log.filter((line) => line.startsWith('Shutdown'))).toHaveLength(1);
  });
});

describe('Metrics of shutdowns', () => {
  const times = async (registry: Registry): Promise<string[]> =>
    (await registry.metrics()).split('\n').filter((line) => line.startsWith('kubelet_graceful_shutdown'));
  const start2026 = Date.UTC(2026, 0, 1) / 1000;

  test('A shutdown shows when it began, and then when its pods had ended', async () => {
    const { signal, comes, ends, registry, clock } = await start({ running: [podOf('usual', 0)] });
    await comes('locked');
    signal(true);
    await comes('end usual 20s');
    expect(await times(registry)).toEqual([
      `kubelet_graceful_shutdown_start_time_seconds ${start2026}`,
      'kubelet_graceful_shutdown_end_time_seconds 0',
    ]);
    await clock.advance(3000);
    ends.get('usual')!();
    await comes('released');
    expect(await times(registry)).toContain(`kubelet_graceful_shutdown_end_time_seconds ${start2026 + 3}`);
  });

  test.each([
    { name: 'ended', end: '2026-01-01T00:00:20Z', shown: [start2026, start2026 + 20] },
    { name: 'did not end', end: '0001-01-01T00:00:00Z', shown: [start2026, 0] },
  ])('A shutdown before the start of the agent that $name is shown', async ({ end, shown }) => {
    const state = JSON.stringify({ startTime: '2026-01-01T00:00:00Z', endTime: end });
    const { comes, registry } = await start({ state });
    await comes('locked');
    expect((await times(registry)).map((line) => Number(line.split(' ')[1]))).toEqual(shown);
  });

  test('A state of shutdowns that cannot be read is as none', async () => {
    const { comes, registry } = await start({ state: '{' });
    await comes('locked');
    expect((await times(registry)).map((line) => line.split(' ')[1])).toEqual(['0', '0']);
  });
});

describe('The time that logind waits', () => {
  test('Logind that waits less than pods have is told to wait longer', async () => {
    const { comes, directory, bus } = await start({ delays: [5, 30] });
    await comes('locked');
    const file = `${directory}/logind.conf.d/99-kubelet.conf`;
    expect(await readFile(file, 'utf8')).toBe('# Written by the node agent.\n[Login]\nInhibitDelayMaxSec=30\n');
    expect(bus.calls).toContain('org.freedesktop.systemd1.Manager.ReloadUnit systemd-logind.service replace');
  });

  test('Logind that does not wait as long takes no lock', async () => {
    const { bus, log } = await start({ delays: [5, 5] });
    await expect.poll(() => bus.calls.filter((call) => call.includes('Properties.Get')).length).toBe(2);
    expect(log).toEqual([]);
  });

  test('A bus that goes is connected again, with the lock of before', async () => {
    const { bus, comes, clock, log, signal } = await start({ running: [] });
    await comes('locked');
    const matches = (): number => bus.calls.filter((call) => call.includes('AddMatch')).length;
    const before = matches();
    bus.drop();
    await expect
      .poll(async () => {
        await clock.advance(1000);
        return matches();
      })
      .toBeGreaterThan(before);
    signal(true);
    await comes('released');
    expect(log.filter((line) => line === 'locked')).toHaveLength(1);
  });

  test('The lock is released when the agent ends', async () => {
    const { comes, stop, log } = await start();
    await comes('locked');
    await stop();
    expect(log).toEqual(['locked', 'released']);
  });

  test('Without periods logind is left alone', async () => {
    const { stop, bus } = await start({ config: off });
    await stop();
    expect(bus.calls).toEqual([]);
  });
});

describe('The lock that delays shutdowns', () => {
  async function program(text: string): Promise<string> {
    const directory = await mkdtemp(path.join(tmpdir(), 'orch-inhibit-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    const file = path.join(directory, 'inhibit');
    await writeFile(file, `#!/bin/sh\n${text}\n`);
    await chmod(file, 0o755);
    return file;
  }

  test('The program that holds the lock runs until it is released', async () => {
    const file = await program('echo "$@" > "$0.args"; shift 4; "$@"; echo ended > "$0.ended"');
    const lock = await takeInhibitorLock(file);
    expect(await readFile(`${file}.args`, 'utf8')).toBe(
      '--what=shutdown --who=kubelet --why=Kubelet needs time to handle node shutdown --mode=delay cat\n',
    );
    lock.release();
    await expect.poll(() => readFile(`${file}.ended`, 'utf8').catch(() => '')).toBe('ended\n');
  });

  test('A program that does not get the lock is an error', async () => {
    await expect(takeInhibitorLock(await program('exit 3'))).rejects.toThrow('has ended with code 3');
    await expect(takeInhibitorLock('/none/inhibit')).rejects.toThrow('ENOENT');
  });
});
