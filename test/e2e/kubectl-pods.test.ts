/** kubectl with containers and ports of a pod: its node agent is made by hand, the API server is not. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { toolPath } from '../../hack/lib/test-tools.mjs';
import { createKubeletFiles, createNode, createPodOn, type KubeletFiles, TestKubelet } from '../support/kubelet.ts';
import { type KubeletStreams, kubeletProtocols, serveStreams } from '../support/kubelet-streams.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let directory: string;
let files: KubeletFiles;
let kubelet: TestKubelet;
let server: TestServer;
let node: KubeletStreams;

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'orch-kubectl-'));
  files = await createKubeletFiles();
  kubelet = await TestKubelet.start(files);
  node = serveStreams(kubelet, kubeletProtocols, ['tar', 'test', 'sh']);
  server = await startTestServer({ flags: files.flags });
  await createNode(server, 'n1', kubelet.port);
  await createPodOn(server, 'n1', 'p');
  const pods = '/api/v1/namespaces/default/pods';
  const pod = (await server.send('GET', `${pods}/p`)).json<object>();
  const answer = await server.send('PUT', `${pods}/p/status`, { body: { ...pod, status: { phase: 'Running' } } });
  expect(answer.status).toBe(200);
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await kubelet[Symbol.asyncDispose]();
  await files[Symbol.asyncDispose]();
  await rm(directory, { recursive: true });
});

describe.each([
  { version: '1.32', protocol: 'WebSockets', environment: {} },
  {
    version: '1.32',
    protocol: 'SPDY',
    environment: { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'false', KUBECTL_PORT_FORWARD_WEBSOCKETS: 'false' },
  },
  { version: '1.20', protocol: 'SPDY', environment: {} },
] as const)('kubectl $version over $protocol', ({ version, protocol, environment }) => {
  const start = (...args: string[]) =>
    spawn(toolPath(`kubectl-${version}`), ['--kubeconfig', server.kubeconfigPath, ...args], {
      env: { PATH: process.env['PATH'], HOME: directory, ...environment },
    });
  const run = async (args: readonly string[], input = ''): Promise<{ out: string; error: string; code: number }> => {
    const child = start(...args);
    child.stdin.end(input);
    const [out, error, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close') as Promise<[number]>,
    ]);
    return { out, error, code };
  };

  test('The command exec hands on input, both outputs and the exit code', async () => {
    const script = 'cat; echo problem >&2; exit 3';
    const { out, error, code } = await run(['exec', '-i', 'p', '--', 'sh', '-c', script], 'hello\n');
    expect([out, error, code]).toEqual(['hello\n', 'problem\ncommand terminated with exit code 3\n', 3]);
    const upgrade = kubelet.received.findLast(({ target }) => target.startsWith('/exec/'))!;
    // The client's own request reaches the node where it speaks SPDY.
    expect(upgrade.headers['user-agent']?.startsWith('kubectl')).toBe(protocol === 'SPDY');
    expect(node.protocols.at(-1)).toBe('v4.channel.k8s.io');
  });

  test('The command exec tells what the node agent cannot do', async () => {
    const { error, code } = await run(['exec', 'p', '--', 'fail', 'no runtime']);
    expect([error, code]).toEqual([expect.stringContaining('no runtime'), 1]);
  });

  test('The command attach shows what a container says, and hands on input', async () => {
    expect(await run(['attach', 'p'])).toMatchObject({ out: 'attached\n', code: 0 });
    expect(kubelet.last.target).toBe('/attach/default/p/c?error=1&output=1');
    expect(await run(['attach', '-i', 'p', '-c', 'c'], 'hello\n')).toMatchObject({ out: 'attached\nhello\n', code: 0 });
    expect(kubelet.last.target).toBe('/attach/default/p/c?error=1&input=1&output=1');
  });

  test('The command cp copies files to a container and back', async () => {
    const content = 'x'.repeat(1_000_000);
    const [local, inside, back] = ['local', 'inside', 'back'].map((name) => path.join(directory, `${name}-${version}`));
    await writeFile(local!, content);
    expect(await run(['cp', local!, `p:${inside!}`])).toMatchObject({ code: 0 });
    expect(await readFile(inside!, 'utf8')).toBe(content);
    expect(await run(['cp', `p:${inside!}`, back!])).toMatchObject({ code: 0 });
    expect(await readFile(back!, 'utf8')).toBe(content);
  });

  test('The command port-forward carries several connections at once', async () => {
    const child = start('port-forward', 'pod/p', ':80');
    const failed = text(child.stderr);
    const [line] = (await Promise.race([
      once(child.stdout, 'data'),
      failed.then((said) => Promise.reject(new Error(said))),
    ])) as [Buffer];
    const port = Number(/127\.0\.0\.1:(\d+) -> 80/.exec(line.toString())![1]);
    const talk = async (words: string): Promise<string> => {
      const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      socket.end(words);
      return text(socket);
    };
    const words = ['a', 'b'.repeat(500_000)];
    expect(await Promise.all(words.map(talk))).toEqual(words.map((word) => `port 80: ${word}`));
    const left = once(kubelet.events, 'left');
    child.kill('SIGINT');
    await left;
  });

  test('The command logs -f shows lines as they come, and proxy reaches the server', async () => {
    kubelet.answer = (_, response) => {
      response.write('line 1\n');
      kubelet.events.once('more', () => response.end('line 2\n'));
    };
    const child = start('logs', '-f', 'p');
    expect(String((await once(child.stdout, 'data'))[0])).toBe('line 1\n');
    kubelet.events.emit('more');
    expect(await text(child.stdout)).toBe('line 2\n');

    kubelet.answer = (_, response) => response.end('from the node');
    const proxy = start('proxy', '--port=0');
    const address = /127\.0\.0\.1:\d+/.exec(String((await once(proxy.stdout, 'data'))[0]))![0];
    const answer = await fetch(`http://${address}/api/v1/nodes/n1/proxy/x`);
    expect(await answer.text()).toBe('from the node');
    proxy.kill('SIGINT');
    await once(proxy, 'close');
  });
});
