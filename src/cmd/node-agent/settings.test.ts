import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { configWithoutFile, defaultConfig } from '../../node-agent/config/config.ts';
import type { NodeAgentSettings } from '../../node-agent/config/settings.ts';
import { agentFlags } from '../flags/node-agent/agent.ts';
import { parseFlags } from '../flags/parse.ts';
import { readSettings } from './settings.ts';

const head = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n';
let folder: string;
const at = (name: string): string => path.join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'orch-agent-settings-'));
  await mkdir(at('conf.d/20-more'), { recursive: true });
  const files: Record<string, string> = {
    'agent.yaml': `${head}maxPods: 11\nclusterDomain: ''\nauthentication:\n  x509:\n    clientCAFile: ca.crt\n`,
    'wrong.yaml': `${head}maxPods: -1\n`,
    'unknown.yaml': `${head}maxPod: 1\n`,
    'gate.yaml': `${head}featureGates: {Absent: true}\n`,
    'traced.yaml': `${head}tracing: {endpoint: 'http://x', samplingRatePerMillion: -1}\n`,
    'conf.d/10.conf': `${head}maxPods: 12\npodsPerCore: 3\n`,
    'conf.d/20-more/a.conf': `${head}maxPods: 13\n`,
    'conf.d/30.conf': `${head}port: 1024\n`,
    'conf.d/40.yaml': 'no document',
  };
  for (const [name, text] of Object.entries(files)) await writeFile(at(name), text);
});
afterAll(() => rm(folder, { recursive: true }));

function settings(argv: readonly string[]): Promise<NodeAgentSettings> {
  const { options, given } = parseFlags(agentFlags, argv);
  return readSettings(options, given);
}

test('The example of a configuration in manifests/ is one', async () => {
  const { config } = await settings([`--config=${path.resolve('manifests/node/node.yaml')}`]);
  expect(config.rotateCertificates).toBe(true);
});

describe('the settings of a node agent', () => {
  test('Without flags they are the defaults', async () => {
    const { config, rootDir, certDir, kubeconfig } = await settings([]);
    expect(config).toEqual(configWithoutFile);
    expect({ rootDir, certDir, kubeconfig }).toEqual({
      rootDir: '/var/lib/kubelet',
      certDir: '/var/lib/kubelet/pki',
      kubeconfig: undefined,
    });
  });

  test('Flags go over the files of the folder, and these over the file', async () => {
    const { config } = await settings([
      `--config=${at('agent.yaml')}`,
      `--config-dir=${at('conf.d')}`,
      '--pods-per-core=4',
      '--eviction-hard=memory.available<1Gi,nodefs.available<5%',
      '--system-reserved=cpu=1,memory=1Gi',
      '--register-with-taints=a=b:NoSchedule,c:NoExecute',
    ]);
    expect(config).toEqual({
      ...defaultConfig,
      maxPods: 13,
      port: 1024,
      podsPerCore: 4,
      authentication: { ...defaultConfig.authentication, x509: { clientCAFile: at('ca.crt') } },
      evictionHard: { 'memory.available': '1Gi', 'nodefs.available': '5%' },
      systemReserved: { cpu: '1', memory: '1Gi' },
      registerWithTaints: [
        { key: 'a', value: 'b', effect: 'NoSchedule' },
        { key: 'c', effect: 'NoExecute' },
      ],
    });
  });

  test('CPUs that are reserved by name take the place of reserved amounts', async () => {
    const { config } = await settings([
      '--reserved-cpus=0,2',
      '--system-reserved=cpu=5,memory=1Gi',
      '--kube-reserved=cpu=1',
    ]);
    expect(config).toMatchObject({ systemReserved: { cpu: '2', memory: '1Gi' }, kubeReserved: {} });
    expect(config.kubeReserved).toEqual({});
  });

  test('The node is called by its host name in lower case, or as a flag says', async () => {
    expect((await settings(['--hostname-override=Node-1'])).nodeName).toBe('node-1');
  });

  test('Certificates are below the folder of the agent, or where a flag says', async () => {
    expect((await settings(['--root-dir=/r'])).certDir).toBe('/r/pki');
    expect((await settings(['--root-dir=/r', '--cert-dir=/c'])).certDir).toBe('/c');
  });

  test.each<{ name: string; argv: () => string[]; message: () => string }>([
    {
      name: 'a file that is not there',
      argv: () => ['--config=/none/agent.yaml'],
      message: () => '--config: open /none/agent.yaml: no such file or directory',
    },
    {
      name: 'a folder that is not there',
      argv: () => ['--config-dir=/none'],
      message: () => '--config-dir: open /none: no such file or directory',
    },
    {
      name: 'an unknown field',
      argv: () => [`--config=${at('unknown.yaml')}`],
      message: () => `--config: ${at('unknown.yaml')}: maxPod: Forbidden: unknown field`,
    },
    {
      name: 'a wrong value in a file',
      argv: () => [`--config=${at('wrong.yaml')}`],
      message: () => `${at('wrong.yaml')}: maxPods: Invalid value: -1: must be at least 0`,
    },
    {
      name: 'a wrong value of a flag',
      argv: () => ['--port=0'],
      message: () => '--port: port: Invalid value: 0: must be between 1 and 65535',
    },
    {
      name: 'a gate that is not known',
      argv: () => [`--config=${at('gate.yaml')}`],
      message: () => `${at('gate.yaml')}: unrecognized feature gate: Absent`,
    },
    {
      name: 'a rate of traces below zero',
      argv: () => [`--config=${at('traced.yaml')}`],
      message: () =>
        `${at('traced.yaml')}: tracing.samplingRatePerMillion: Invalid value: -1: sampling rate must be positive`,
    },
    {
      name: 'a collector of traces that is no address of gRPC',
      argv: () => [`--config=${at('traced.yaml')}`],
      message: () => `${at('traced.yaml')}: tracing.endpoint: Invalid value: "http://x": unsupported scheme: http.`,
    },
    {
      name: 'a contention for a lock without its file',
      argv: () => ['--exit-on-lock-contention'],
      message: () => 'cannot specify --exit-on-lock-contention without also specifying --lock-file',
    },
    {
      name: 'a label of Kubernetes',
      argv: () => ['--node-labels=node-role.kubernetes.io/x='],
      message: () =>
        "unknown 'kubernetes.io' or 'k8s.io' labels specified with --node-labels: [node-role.kubernetes.io/x]",
    },
    { name: 'an address that is none', argv: () => ['--node-ip=1.2.3'], message: () => '"1.2.3" is no IP address' },
    {
      name: 'two addresses of a family',
      argv: () => ['--node-ip=10.0.0.1,10.0.0.2'],
      message: () => '--node-ip: two addresses must be of different families',
    },
    {
      name: 'a name that no node can have',
      argv: () => ['--hostname-override=a_b'],
      message: () => 'the name of the node "a_b": a lowercase RFC 1123 subdomain',
    },
    {
      name: 'another cloud provider',
      argv: () => ['--cloud-provider=mine'],
      message: () => '--cloud-provider: unsupported value "mine"',
    },
  ])('A node agent refuses $name', async ({ argv, message }) => {
    await expect(settings(argv())).rejects.toThrow(message());
  });
});
