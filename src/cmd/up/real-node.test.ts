import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPki, type Pki } from '../../pki/pki.ts';
import { runCommand } from '../testing/run-command.ts';
import { findRuntime, nodeProcess, serverFlags } from './real-node.ts';

let folder: string;
let pki: Pki;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'orch-real-node-'));
  pki = createPki({ dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'] }, new Date());
});
afterAll(() => rm(folder, { recursive: true }));

describe('The node of orch up --node', () => {
  test('A machine without a container runtime is told how to get one', async () => {
    await expect(findRuntime(undefined, [path.join(folder, 'none.sock')])).rejects.toThrow(
      `no container runtime answers at ${path.join(folder, 'none.sock')}: install one (apt install containerd)`,
    );
  });

  test.each([
    { name: 'a socket that is not there', endpoint: 'unix:///none.sock', message: '/none.sock does not answer: ' },
    { name: 'an address that is no socket', endpoint: 'tcp://127.0.0.1:1', message: 'is a Unix socket' },
  ])('A runtime is named by its socket: $name is refused', async ({ endpoint, message }) => {
    await expect(findRuntime(endpoint)).rejects.toThrow(message);
  });

  test('The agent is started with files of its own, as the node that this machine is', async () => {
    const admin = { url: 'https://127.0.0.1:6443', ca: pki.ca.certificate };
    const real = { endpoint: 'unix:///run/x.sock', port: 11250 };
    const { args } = await nodeProcess(real, { dataDir: folder, pki, admin, logFile: (name) => name });
    const at = (name: string): string => path.join(folder, 'node', name);
    expect(args).toEqual([
      'node-agent',
      `--config=${at('config.yaml')}`,
      `--kubeconfig=${at('kubeconfig')}`,
      `--root-dir=${at('root')}`,
    ]);
    expect(JSON.parse(await readFile(at('config.yaml'), 'utf8'))).toMatchObject({
      containerRuntimeEndpoint: 'unix:///run/x.sock',
      port: 11250,
      cgroupRoot: '/orch-up-11250',
      podLogsDir: at('logs'),
    });
    expect(await readFile(at('kubeconfig'), 'utf8')).toContain('server: https://127.0.0.1:6443');
  });

  test('The API server shows the node a certificate of its own, and verifies that of the node', async () => {
    await rm(path.join(folder, 'pki'), { recursive: true, force: true });
    await expect(serverFlags(path.join(folder, 'none'), pki)).rejects.toThrow('cannot write');
  });

  test('A runtime without a node to run is refused', async () => {
    const command = runCommand(['up', '--container-runtime-endpoint=unix:///x']);
    expect(await command.exited).toBe(1);
    expect(command.errors()).toContain('--container-runtime-endpoint is for --node');
  });
});
