import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ContainerStatus, Pod } from '../../api/gen/types/core-v1.ts';
import type { ContainerRuntime } from '../runtime/container-runtime.ts';
import { defaultConfig } from '../config/config.ts';
import { cgroupsOf } from './agent-routes.ts';
import { isKnownPath } from './known-paths.ts';
import { ask, handlerOf, routesOf } from './testing/served-node.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'orch-served-'));
  const at = path.join(folder, 'golden_inside_u', 'main');
  await mkdir(at, { recursive: true });
  await writeFile(path.join(at, '0.log'), '2026-01-02T03:04:05Z stdout F before\n');
  await writeFile(path.join(at, '1.log'), '2026-01-02T03:04:05Z stdout F inside\n');
  await symlink(tmpdir(), path.join(folder, 'elsewhere'));
});
afterAll(() => rm(folder, { recursive: true }));

const pod = (status: Partial<ContainerStatus>): Pod => ({
  metadata: { name: 'inside', namespace: 'golden', uid: 'u' },
  spec: { containers: [{ name: 'main', image: 'i', resources: {} }] },
  status: { containerStatuses: [{ name: 'main', ...status } as ContainerStatus] },
});

const running: Partial<ContainerStatus> = {
  state: { running: {} },
  containerID: 'containerd://now',
  lastState: { terminated: { containerID: 'containerd://before', exitCode: 0 } },
};

const calls = (logs: Readonly<Record<string, string>> = {}): Partial<ContainerRuntime> => ({
  containerStatus: ({ containerId = '' }) =>
    Promise.resolve({
      status: { id: containerId, state: 'CONTAINER_RUNNING', logPath: path.join(folder, logs[containerId] ?? '') },
      info: {},
    }),
  listContainers: () => Promise.resolve({ containers: [{ id: 'now', podSandboxId: 's', metadata: { name: 'main' } }] }),
  listPodSandbox: () =>
    Promise.resolve({ items: [{ id: 's', metadata: { name: 'inside', namespace: 'golden', uid: 'u' } }] }),
  execSync: ({ cmd = [] }) =>
    Promise.resolve(cmd[0] === 'false' ? { exitCode: 1 } : { exitCode: 0, stdout: Buffer.from(`${cmd.slice(1)}\n`) }),
});

const files = { now: 'golden_inside_u/main/1.log', before: 'golden_inside_u/main/0.log' };
const served = (config = {}) => handlerOf(routesOf([pod(running)], calls(files), { podLogsDir: folder, ...config }));

describe('What a node tells of itself', () => {
  test.each([
    { target: '/metrics/probes', text: 'process_start_time_seconds' },
    { target: '/metrics', text: '' },
  ])('Metrics at $target have the type of their format', async ({ target, text }) => {
    const answer = await ask(served(), 'GET', target);
    expect(answer.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8; escaping=values');
    expect(answer.text).toContain(text);
  });

  test('Pages of a gate are there only with the gate', () => {
    expect([isKnownPath('/statusz'), isKnownPath('/statusz', ['/statusz'])]).toEqual([false, true]);
  });
});

describe('What a node serves, as it was recorded', () => {
  test.each<{ method?: string; target: string; status: number; type: string | undefined; text: string }>([
    { target: '/healthz', status: 200, type: 'text/plain; charset=utf-8', text: 'ok' },
    { target: '/healthz/ping', status: 200, type: 'text/plain; charset=utf-8', text: 'ok' },
    { target: '/stats/', status: 404, type: 'text/plain; charset=utf-8', text: '404: Page Not Found' },
    { target: '/configz', status: 200, type: 'application/json', text: '{"kubeletconfig":{"port":10250}}' },
    { target: '/containerLogs/golden/inside/main', status: 200, type: undefined, text: 'inside\n' },
    { target: '/containerLogs/golden/inside/main?previous=true', status: 200, type: undefined, text: 'before\n' },
    {
      target: '/containerLogs/golden/inside/main?tailLines=x',
      status: 400,
      type: 'text/plain; charset=utf-8',
      text: '{"message":"Unable to decode query."}',
    },
    {
      target: '/containerLogs/golden/inside/main?limitBytes=-1',
      status: 422,
      type: 'text/plain; charset=utf-8',
      text: '{"message":"Invalid request."}',
    },
    {
      target: '/containerLogs/golden/inside/absent',
      status: 404,
      type: 'text/plain; charset=utf-8',
      text: 'container "absent" not found in pod "inside"',
    },
    {
      target: '/containerLogs/golden/absent/main',
      status: 404,
      type: 'text/plain; charset=utf-8',
      text: 'pod "absent" does not exist',
    },
    {
      method: 'POST',
      target: '/run/golden/inside/main?cmd=echo%20hello',
      status: 200,
      type: 'application/json',
      text: 'hello\n',
    },
    {
      method: 'POST',
      target: '/run/golden/inside/main?cmd=false',
      status: 500,
      type: 'text/plain; charset=utf-8',
      text: "command 'false' exited with 1: ",
    },
    {
      method: 'POST',
      target: '/run/golden/absent/main?cmd=x',
      status: 404,
      type: 'text/plain; charset=utf-8',
      text: 'pod does not exist',
    },
    {
      target: '/run/golden/inside/main',
      status: 405,
      type: 'text/plain; charset=utf-8',
      text: '405: Method Not Allowed',
    },
    {
      method: 'POST',
      target: '/exec/golden/inside/main?command=true',
      status: 400,
      type: 'text/plain; charset=utf-8',
      text: 'you must specify at least 1 of stdin, stdout, stderr',
    },
    {
      method: 'POST',
      target: '/exec/golden/inside/main?command=true&output=1',
      status: 500,
      type: 'text/plain; charset=utf-8',
      text: 'Upgrade request required\n',
    },
    {
      method: 'POST',
      target: '/exec/golden/absent/main?command=true&output=1',
      status: 404,
      type: 'text/plain; charset=utf-8',
      text: 'pod does not exist',
    },
    {
      method: 'POST',
      target: '/exec/golden/inside/other-uid/main?command=true&output=1',
      status: 404,
      type: 'text/plain; charset=utf-8',
      text: 'pod does not exist',
    },
    {
      method: 'POST',
      target: '/attach/golden/inside/main?output=1',
      status: 500,
      type: 'text/plain; charset=utf-8',
      text: 'Upgrade request required\n',
    },
    {
      method: 'POST',
      target: '/portForward/golden/inside',
      status: 500,
      type: 'text/plain; charset=utf-8',
      text: 'Upgrade request required\n',
    },
    {
      method: 'POST',
      target: '/checkpoint/golden/inside/main',
      status: 500,
      type: 'text/plain; charset=utf-8',
      text:
        'checkpointing of golden/inside/main failed ' +
        '(rpc error: code = Unimplemented desc = method CheckpointContainer not implemented)',
    },
    {
      method: 'POST',
      target: '/checkpoint/golden/absent/main',
      status: 404,
      type: 'text/plain; charset=utf-8',
      text: 'pod does not exist',
    },
    {
      method: 'PUT',
      target: '/debug/flags/v',
      status: 200,
      type: 'text/plain',
      text: 'successfully set klog.logging.verbosity to 2\n',
    },
  ])('$method $target is answered with $status', async ({ method = 'GET', target, status, type, text }) => {
    const streams = { exec: () => Promise.resolve({ url: 'http://x/' }), attach: () => Promise.resolve({ url: 'x' }) };
    const handle = handlerOf(routesOf([pod(running)], { ...calls(files), ...streams }, { podLogsDir: folder }));
    const answer = await ask(handle, method, target, method === 'PUT' ? '2' : undefined);
    expect([answer.status, answer.headers['content-type'], answer.text]).toEqual([status, type, text]);
  });

  test('Pods are listed with their status, with and without a slash behind the path', async () => {
    for (const target of ['/pods', '/pods/']) {
      const { text } = await ask(served(), 'GET', target);
      expect(JSON.parse(text)).toEqual({ kind: 'PodList', apiVersion: 'v1', metadata: {}, items: [pod(running)] });
    }
  });

  test('Pods that run are listed as the runtime has them', async () => {
    const { text } = await ask(served(), 'GET', '/runningpods/');
    expect(JSON.parse(text).items).toEqual([
      {
        metadata: { name: 'inside', namespace: 'golden', uid: 'u', creationTimestamp: null },
        spec: { containers: [{ name: 'main', resources: {} }] },
        status: {},
      },
    ]);
  });

  test('A checkpoint is written below the folder of the agent', async () => {
    const asked: unknown[] = [];
    const checkpointContainer = (request: object) => {
      asked.push(request);
      return Promise.resolve({});
    };
    const handle = handlerOf(routesOf([pod(running)], { ...calls(files), checkpointContainer }));
    const { text } = await ask(handle, 'POST', '/checkpoint/golden/inside/main?timeout=5');
    const location = '/var/lib/kubelet/checkpoints/checkpoint-inside_golden-main-2026-01-02T03:04:05Z.tar';
    expect(JSON.parse(text)).toEqual({ items: [location] });
    expect(asked).toEqual([{ containerId: 'now', location, timeout: 5 }]);
  });
});

describe('A log that cannot be shown', () => {
  const terminated = (containerID = '') => ({ terminated: { containerID, exitCode: 0 } });
  test.each<{ name: string; status: Partial<ContainerStatus>; query?: string; text: string }>([
    {
      name: 'of a container that waits',
      status: { state: { waiting: { reason: 'ErrImageNeverPull' } } },
      text: 'container "main" in pod "inside" is waiting to start: ErrImageNeverPull',
    },
    {
      name: 'of a container whose image cannot be pulled',
      status: { state: { waiting: { reason: 'ErrImagePull' } } },
      text: 'container "main" in pod "inside" is waiting to start: image can\'t be pulled',
    },
    {
      name: 'of a container whose image is tried again later',
      status: { state: { waiting: { reason: 'ImagePullBackOff' } } },
      text: 'container "main" in pod "inside" is waiting to start: trying and failing to pull image',
    },
    {
      name: 'of a container before the first',
      status: { state: { waiting: { reason: 'x' } } },
      query: '?previous=true',
      text: 'previous terminated container "main" in pod "inside" not found',
    },
    {
      name: 'of a container that ended without a trace',
      status: { state: terminated() },
      text: 'container "main" in pod "inside" is terminated',
    },
    {
      name: 'of a container without a state',
      status: { name: 'other' },
      text: 'container "main" in pod "inside" is not available',
    },
    {
      name: 'of a container that has not said a word of its state',
      status: { state: {} },
      text: 'container "main" in pod "inside" is waiting to start - no logs yet',
    },
    {
      name: 'outside of the folder of logs',
      status: { state: { running: {} }, containerID: 'containerd://linked' },
      text: 'the log of the container is outside of the folder of logs',
    },
    {
      name: 'whose file is gone',
      status: { state: { running: {} }, containerID: 'containerd://gone' },
      text: 'failed to read the log: ENOENT',
    },
  ])('A log $name is refused with the reason', async ({ status, query = '', text }) => {
    const logs = { linked: 'elsewhere/passwd', gone: 'golden_inside_u/main/9.log' };
    const handle = handlerOf(routesOf([pod(status)], calls(logs), { podLogsDir: folder }));
    const answer = await ask(handle, 'GET', `/containerLogs/golden/inside/main${query}`);
    expect([answer.status, answer.text]).toEqual([400, text]);
  });

  test('A container that waits for its restart shows the log of the one before', async () => {
    const status = { state: { waiting: { reason: 'CrashLoopBackOff' } }, lastState: running.lastState! };
    const handle = handlerOf(routesOf([pod(status)], calls(files), { podLogsDir: folder }));
    expect((await ask(handle, 'GET', '/containerLogs/golden/inside/main')).text).toBe('before\n');
  });
});

describe('What the configuration switches off', () => {
  test.each([
    { config: { enableDebuggingHandlers: false }, target: '/run/a/b/c', text: 'Debug endpoints are disabled.' },
    { config: { enableDebuggingHandlers: false }, target: '/exec/a/b/c', text: 'Debug endpoints are disabled.' },
    {
      config: { enableDebuggingHandlers: false },
      target: '/containerLogs/a/b/c',
      text: 'Debug endpoints are disabled.',
    },
    { config: { enableDebuggingHandlers: false }, target: '/debug/pprof/heap', text: 'Debug endpoints are disabled.' },
    { config: { enableProfilingHandler: false }, target: '/debug/pprof/', text: 'profiling endpoint is disabled.' },
    { config: { enableSystemLogHandler: false }, target: '/logs/x', text: 'logs endpoint is disabled.' },
    { config: { enableDebugFlagsHandler: false }, target: '/debug/flags/v', text: 'flags endpoint is disabled.' },
  ])('$target says $text', async ({ config, target, text }) => {
    const answer = await ask(served(config), 'GET', target);
    expect([answer.status, answer.text]).toEqual([405, text]);
  });
});

test.each([
  { configured: 'cgroupfs', said: undefined, driver: 'cgroupfs' },
  { configured: 'systemd', said: undefined, driver: 'systemd' },
  { configured: 'cgroupfs', said: 'systemd', driver: 'systemd' },
  { configured: 'systemd', said: 'cgroupfs', driver: 'cgroupfs' },
] as const)(
  'Figures are read of groups of the driver $driver where $configured is configured and the runtime says $said',
  ({ configured, said, driver }) => {
    const runtime: { driver?: typeof said } = {};
    const served = { pods: () => [], cgroupDriver: () => runtime.driver };
    const groups = cgroupsOf({ config: { ...defaultConfig, cgroupDriver: configured }, served });
    // The port is open before the runtime has said it.
    expect(groups.driver).toBe(configured);
    runtime.driver = said;
    expect(groups.driver).toBe(driver);
  },
);
