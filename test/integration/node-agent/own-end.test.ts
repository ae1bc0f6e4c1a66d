/** Agents that end by themselves: another one waits for their lock, or all that they have to run runs. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { runCommand } from '../../../src/cmd/testing/run-command.ts';
import { createCriClient } from '../../../src/node-agent/runtime/cri-client.ts';
import { startOtlpCollector } from '../../support/otlp-collector.ts';
import { reasonToSkip, startSandbox } from '../../node/sandbox.ts';

const run = promisify(execFile);

async function folderWith(settings: object): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'orch-end-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const document = {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    enableServer: false,
    failSwapOn: false,
    healthzPort: 0,
    makeIPTablesUtilChains: false,
    ...settings,
  };
  await writeFile(path.join(folder, 'agent.yaml'), JSON.stringify(document));
  return folder;
}

const agentIn = (folder: string, root: string, ...more: string[]) =>
  runCommand([
    'node-agent',
    `--config=${path.join(folder, 'agent.yaml')}`,
    `--root-dir=${path.join(folder, root)}`,
    '--hostname-override=ending-node',
    ...more,
  ]);

test('An agent ends when another one waits for its lock file, and the other one goes on', async () => {
  const folder = await folderWith({ containerRuntimeEndpoint: 'unix:///none.sock' });
  const lock = `--lock-file=${path.join(folder, 'lock')}`;
  const first = agentIn(folder, 'first', lock, '--exit-on-lock-contention');
  await first.says('node agent started');
  const second = agentIn(folder, 'second', lock);
  expect(await first.exited).toBe(0);
  await second.says('node agent started');
  second.interrupt('SIGTERM');
  expect(await second.exited).toBe(0);
}, 60_000);

const reason = reasonToSkip();
const why = reason === undefined ? '' : ` (${reason})`;

test.skipIf(reason !== undefined)(
  `An agent with runOnce ends when its static pods run, leaves them running, and has told what it did in traces${why}`,
  { timeout: 120_000 },
  async () => {
    const sandbox = await startSandbox({ bridge: 'nsonce', subnet: '10.98.0.0/16' });
    onTestFinished(() => sandbox.stop());
    await using collector = await startOtlpCollector();
    const folder = await folderWith({
      containerRuntimeEndpoint: `unix://${sandbox.socket}`,
      cgroupRoot: '/orch-once',
      runOnce: true,
      tracing: { endpoint: collector.endpoint, samplingRatePerMillion: 1_000_000 },
      staticPodPath: 'static',
      podLogsDir: 'logs',
    });
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'once' },
      spec: {
        hostNetwork: true,
        terminationGracePeriodSeconds: 1,
        containers: [{ name: 'main', image: 'node.test/busybox:1', command: ['sleep', '1000'] }],
      },
    };
    await mkdir(path.join(folder, 'static'));
    await writeFile(path.join(folder, 'static', 'pod.yaml'), JSON.stringify(pod));
    const agent = agentIn(folder, 'root');
    expect(await agent.exited).toBe(0);
    const cri = createCriClient({ endpoint: `unix://${sandbox.socket}`, imageEndpoint: '', requestTimeoutMs: 10_000 });
    onTestFinished(() => cri.close());
    const { containers = [] } = await cri.runtime.listContainers({});
    expect(containers.map(({ metadata, state }) => [metadata?.name, state])).toEqual([['main', 'CONTAINER_RUNNING']]);
    const looks = collector.spans.filter(({ name, service }) => name === 'syncPod' && service === 'kubelet');
    const started = collector.spans.find(({ name }) => name === 'runtime.v1.RuntimeService/StartContainer');
    expect(looks.map(({ spanId }) => spanId)).toContain(started?.parentSpanId);
    for (const { id = '' } of (await cri.runtime.listPodSandbox({})).items ?? [])
      await cri.runtime.removePodSandbox({ podSandboxId: id });
    await run('find', ['/sys/fs/cgroup', '-depth', '-type', 'd', '-path', '*/orch-once*', '-delete']).catch(
      () => undefined,
    );
  },
);
