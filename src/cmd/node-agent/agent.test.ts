import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCommand } from '../testing/run-command.ts';

let folder: string;
const file = (name: string): string => path.join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'orch-agent-'));
  await writeFile(
    file('agent.yaml'),
    'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nmaxPods: -1',
  );
});
afterAll(() => rm(folder, { recursive: true }));

/** Nothing that a machine that runs tests may not have. */
const usual = (): string[] => [
  '--fail-swap-on=false',
  `--root-dir=${file('root')}`,
  `--container-runtime-endpoint=unix://${file('none.sock')}`,
  '--hostname-override=n',
  '--make-iptables-util-chains=false',
  '--port=1',
];

describe('orch node-agent with real containers', () => {
  test.each<{ name: string; argv: () => string[]; message: () => string }>([
    { name: 'operands', argv: () => ['x'], message: () => '"orch node-agent" does not take any arguments' },
    {
      name: 'a wrong file',
      argv: () => [`--config=${file('agent.yaml')}`],
      message: () => `${file('agent.yaml')}: maxPods: Invalid value: -1: must be at least 0`,
    },
    {
      name: 'a flag of hollow nodes',
      argv: () => ['--hollow-name-prefix=a'],
      message: () => 'unknown flag: --hollow-name-prefix',
    },
    {
      name: 'another socket than one of Unix',
      argv: () => ['--container-runtime-endpoint=tcp://127.0.0.1:1'],
      message: () => 'the endpoint of a container runtime is a Unix socket (unix:///run/...), not tcp://127.0.0.1:1',
    },
    {
      name: 'a kubeconfig that is not there',
      argv: () => ['--kubeconfig=/none'],
      message: () => '--kubeconfig: /none: no such file or directory',
    },
    {
      name: 'an address that the machine does not have',
      argv: () => ['--node-ip=192.0.2.77'],
      message: () => '--node-ip: node IP: "192.0.2.77" not found in the host\'s network interfaces',
    },
    {
      name: 'a document of credential providers without their folder',
      argv: () => ['--image-credential-provider-config=/none'],
      message: () => '--image-credential-provider-config and --image-credential-provider-bin-dir need each other',
    },
    {
      name: 'a wrong document of credential providers',
      argv: () => [
        `--image-credential-provider-config=${file('agent.yaml')}`,
        `--image-credential-provider-bin-dir=${folder}`,
      ],
      message: () => `--image-credential-provider-config: ${file('agent.yaml')}: `,
    },
    {
      name: 'a folder that it cannot write to',
      argv: () => ['--root-dir=/proc/none'],
      message: () => 'choose another directory with --root-dir',
    },
  ])('orch node-agent refuses $name', async ({ argv, message }) => {
    const command = runCommand(['node-agent', ...usual(), ...argv()]);
    expect(await command.exited).toBe(1);
    expect(command.errors()).toContain(message());
  });

  test('orch node-agent --help says what it is for', async () => {
    const command = runCommand(['node-agent', '--help']);
    expect(await command.exited).toBe(0);
    for (const text of ['Usage: orch node-agent [flags]', '--container-runtime-endpoint', '--hollow N'])
      expect(command.output()).toContain(text);
  });
});
