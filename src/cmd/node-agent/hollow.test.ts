import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCommand } from '../testing/run-command.ts';

const kubeconfig = {
  apiVersion: 'v1',
  kind: 'Config',
  clusters: [{ name: 'c', cluster: { server: 'http://127.0.0.1:1' } }],
  users: [{ name: 'u', user: {} }],
  contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
  'current-context': 'x',
};

let folder: string;
const file = (name: string): string => path.join(folder, name);

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'orch-node-agent-'));
  await writeFile(file('kubeconfig'), JSON.stringify(kubeconfig));
  await writeFile(file('stages'), 'kind: Pod\napiVersion: v1\n');
});
afterAll(() => rm(folder, { recursive: true }));

describe('orch node-agent', () => {
  test.each([
    { name: 'no hollow nodes', argv: ['--hollow=0'], message: '--hollow must be greater than 0' },
    { name: 'a negative number', argv: ['--hollow=-1'], message: '--hollow must be greater than 0' },
    {
      name: 'a negative time',
      argv: ['--hollow=1', '--hollow-run-seconds=-1'],
      message: '--hollow-run-seconds must be greater than or equal to 0',
    },
    {
      name: 'capacity that is none',
      argv: ['--hollow=1', '--hollow-capacity=cpu'],
      message: 'invalid argument "cpu" for "--hollow-capacity" flag: must be pairs of the form name=value, got cpu',
    },
    { name: 'a flag of a real node', argv: ['--hollow=1', '--config=x'], message: 'unknown flag: --config' },
    { name: 'operands', argv: ['--hollow=1', 'x'], message: '"orch node-agent" does not take any arguments' },
    {
      name: 'a file of stages that is not there',
      argv: ['--hollow=1', '--stages=/none'],
      message: '--stages: open /none: no such file or directory',
    },
    {
      name: 'a file of stages that is none',
      argv: () => ['--hollow=1', `--stages=${file('stages')}`],
      message: 'document 1: is a v1 Pod, and no kwok.x-k8s.io/v1alpha1 or orch.io/v1alpha1 Stage',
    },
    {
      name: 'a kubeconfig that is not there',
      argv: ['--hollow=1', '--kubeconfig=/none'],
      message: '--kubeconfig: /none: no such file or directory',
    },
    {
      name: 'a prefix that no node can have',
      argv: ['--hollow=1', '--hollow-name-prefix=Node_'],
      message: '--hollow-name-prefix "Node_" is not the beginning of a name of nodes',
    },
    {
      name: 'another content type',
      argv: ['--hollow=1', '--kube-api-content-type=text/plain'],
      message: '--kube-api-content-type "text/plain" invalid',
    },
  ])('orch node-agent refuses $name', async ({ argv, message }) => {
    const command = runCommand(['node-agent', ...(typeof argv === 'function' ? argv() : argv)]);
    expect(await command.exited).toBe(1);
    expect(command.errors()).toContain(message);
  });

  test('orch node-agent --help says what it is for', async () => {
    const command = runCommand(['node-agent', '--hollow=1', '--help']);
    expect(await command.exited).toBe(0);
    for (const text of ['Usage: orch node-agent [flags]', '--stages', '--hollow-name-prefix'])
      expect(command.output()).toContain(text);
  });

  test('orch node-agent goes on without an API server, and ends cleanly', async () => {
    const command = runCommand(['node-agent', '--hollow=2', `--kubeconfig=${file('kubeconfig')}`]);
    await command.says('hollow nodes started');
    command.interrupt('SIGTERM');
    expect(await command.exited).toBe(0);
  });
});
