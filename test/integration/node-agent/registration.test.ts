/** What of the configuration concerns the object of a node and its heartbeat. The runtime is not there. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { runCommand } from '../../../src/cmd/testing/run-command.ts';
import { type ApiUsers, startApiUsers } from '../../support/api-users.ts';
import { tokenKubeconfig } from '../../support/token-kubeconfig.ts';

let api: ApiUsers;
let folder: string;

beforeAll(async () => {
  api = await startApiUsers({}, []);
  folder = await mkdtemp(path.join(tmpdir(), 'orch-registration-'));
});

afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

async function startAgent(name: string, settings: object): Promise<void> {
  const file = path.join(folder, `${name}.yaml`);
  const document = {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    containerRuntimeEndpoint: 'unix:///none.sock',
    enableServer: false,
    failSwapOn: false,
    healthzPort: 0,
    makeIPTablesUtilChains: false,
    nodeStatusUpdateFrequency: '1s',
    ...settings,
  };
  await writeFile(file, JSON.stringify(document));
  const agent = runCommand([
    'node-agent',
    `--config=${file}`,
    `--kubeconfig=${await tokenKubeconfig(api, 'admin')}`,
    `--root-dir=${path.join(folder, name)}`,
    `--hostname-override=${name}`,
  ]);
  onTestFinished(async () => {
    agent.interrupt('SIGTERM');
    expect(await agent.exited).toBe(0);
  });
  await agent.says('node agent started');
}

const nodeOf = async (name: string) => (await api.call('admin', 'GET', `/api/v1/nodes/${name}`)).body as NodeBody;

interface NodeBody {
  readonly kind: string;
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
  readonly spec: { readonly taints?: readonly { readonly key: string }[]; readonly providerID?: string };
  readonly status: { readonly conditions?: readonly unknown[] };
}

const byController = 'volumes.kubernetes.io/controller-managed-attach-detach';

describe('The object of a node', () => {
  test('A node is created with what the configuration says of it, and its lease counts as long', async () => {
    await startAgent('made', {
      nodeLeaseDurationSeconds: 8,
      providerID: 'cloud://made',
      registerWithTaints: [{ key: 'own', effect: 'NoSchedule' }],
    });
    await expect
      .poll(() => nodeOf('made'), { timeout: 15_000 })
      .toMatchObject({
        kind: 'Node',
        metadata: { annotations: { [byController]: 'true' } },
        spec: { providerID: 'cloud://made' },
      });
    expect((await nodeOf('made')).spec.taints?.map(({ key }) => key)).toContain('own');
    const lease = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/made';
    const durationOf = async () => {
      const body = (await api.call('admin', 'GET', lease)).body as { spec?: { leaseDurationSeconds: number } };
      return body.spec?.leaseDurationSeconds;
    };
    await expect.poll(durationOf, { timeout: 15_000 }).toBe(8);
  });

  test('A node that is not to be registered is not created, and has its status once another made it', async () => {
    await startAgent('given', { registerNode: false });
    await new Promise((resolve) => setTimeout(resolve, 2500));
    expect((await nodeOf('given')).kind).toBe('Status');
    await api.create('/api/v1/nodes', { metadata: { name: 'given' } });
    const conditions = async () => (await nodeOf('given')).status.conditions?.length ?? 0;
    await expect.poll(conditions, { timeout: 15_000 }).toBeGreaterThan(3);
  });

  test('A node whose volumes no controller attaches does not say that one does', async () => {
    await startAgent('alone', { enableControllerAttachDetach: false });
    await expect.poll(async () => (await nodeOf('alone')).kind, { timeout: 15_000 }).toBe('Node');
    expect((await nodeOf('alone')).metadata.annotations ?? {}).not.toHaveProperty([byController]);
  });
});
