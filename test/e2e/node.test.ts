/** A node with real containers: `orch up --node`, and kubectl. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { WebSocket } from 'ws';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { toolPath } from '../../hack/lib/test-tools.mjs';
import { healthy, registerAt, startPlugin } from '../../src/node-agent/resources/devices/testing/simulated-plugin.ts';
import { reasonToSkip, type Sandbox, startSandbox } from '../node/sandbox.ts';
import { credentials } from '../support/api-client.ts';
import { buildOrch, kubectl, OrchProcess } from '../support/orch-process.ts';
import { freePorts } from '../support/ports.ts';

const reason = reasonToSkip();

describe.skipIf(reason !== undefined)(
  `A node with real containers${reason === undefined ? '' : ` (${reason})`}`,
  () => {
    let folder: string;
    let sandbox: Sandbox;
    let orch: OrchProcess;
    let kubeconfig: string;
    const run = (...args: string[]): Promise<string> => kubectl('1.32', kubeconfig, ...args);

    beforeAll(async () => {
      buildOrch();
      folder = await mkdtemp(path.join(tmpdir(), 'orch-node-e2e-'));
      sandbox = await startSandbox({ bridge: 'nse0', subnet: '10.92.0.0/16' });
      const [port, agentPort] = await freePorts(2);
      kubeconfig = path.join(folder, 'data', 'admin.kubeconfig');
      orch = new OrchProcess([
        'up',
        '--node',
        `--container-runtime-endpoint=${sandbox.socket}`,
        `--nodeagent-port=${agentPort}`,
        `--data-dir=${path.join(folder, 'data')}`,
        `--secure-port=${port}`,
      ]);
      await orch.says('Ready');
      await run(
        ...['run', 'web', '--image=node.test/busybox:1', '--command', '--', 'sh', '-c'],
        'mkdir /w; echo forwarded >/w/x; echo started; httpd -p 8080 -h /w; ' +
          'trap "exit 0" TERM; while :; do sleep 1; done',
      );
      await run('wait', '--for=condition=Ready', 'pod/web', '--timeout=60s');
    });

    afterAll(async () => {
      await orch?.kill('SIGTERM');
      await sandbox?.stop();
      await rm(folder, { recursive: true, force: true });
    });

    test('kubectl logs shows what the container has written', async () => {
      await vi.waitFor(async () => expect(await run('logs', 'web')).toBe('started\n'), { timeout: 10_000 });
      expect(await run('logs', 'web', '--timestamps', '--tail=1')).toMatch(/^\d{4}-.*Z started\n$/);
    });

    test('kubectl exec runs a command, with its output and its exit code', async () => {
      expect(await run('exec', 'web', '--', 'cat', '/w/x')).toBe('forwarded\n');
      await expect(run('exec', 'web', '--', 'sh', '-c', 'exit 3')).rejects.toThrow('exit code 3');
      await expect(run('exec', 'web', '--', '/no/such')).rejects.toThrow('no such file or directory');
    });

    test('kubectl logs -f shows lines as the container writes them', async () => {
      const following = spawn(toolPath('kubectl-1.32'), ['--kubeconfig', kubeconfig, 'logs', '-f', 'web']);
      try {
        let shown = '';
        following.stdout.setEncoding('utf8').on('data', (text: string) => (shown += text));
        await vi.waitFor(() => expect(shown).toBe('started\n'), { timeout: 10_000 });
        await run('exec', 'web', '--', 'sh', '-c', 'echo more >/proc/1/fd/1');
        await vi.waitFor(() => expect(shown).toBe('started\nmore\n'), { timeout: 10_000 });
      } finally {
        following.kill();
      }
    });

    test.each([
      { protocol: 'WebSockets', name: 'attached', environment: {} },
      { protocol: 'SPDY', name: 'attached-older', environment: { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'false' } },
    ])('kubectl run -i speaks with a container over $protocol', async ({ name, environment }) => {
      const args = ['run', name, '-i', '--rm', '--quiet', '--restart=Never', '--image=node.test/busybox:1'];
      const command = ['--command', '--', 'sh', '-c', 'read line; echo "got $line"'];
      const child = spawn(toolPath('kubectl-1.32'), ['--kubeconfig', kubeconfig, ...args, ...command], {
        env: { ...process.env, ...environment },
      });
      child.stdin.end('hello\n');
      const [said, problems] = await Promise.all([text(child.stdout), text(child.stderr)]);
      expect([said, problems]).toEqual(['got hello\n', '']);
    });

    test.each(['v5.channel.k8s.io', 'v4.channel.k8s.io', 'base64.channel.k8s.io'])(
      'A client of WebSockets runs a command in a container by protocol %s',
      async (protocol) => {
        const config = await readFile(kubeconfig, 'utf8');
        const { ca, cert, key } = credentials(config);
        const query = 'command=echo&command=hi&stdout=1&stderr=1';
        const url = `${/server: (\S+)/.exec(config)![1]!}/api/v1/namespaces/default/pods/web/exec?${query}`;
        const socket = new WebSocket(url, [protocol], { ca: ca!, cert: cert!, key: key! });
        const said = new Map<string, string>();
        socket.on('message', (data: Buffer) => {
          const channel = protocol.startsWith('base64') ? String.fromCharCode(data[0]!) : String(data[0]);
          const content = data.subarray(1).toString();
          const decoded = protocol.startsWith('base64') ? Buffer.from(content, 'base64').toString() : content;
          said.set(channel, (said.get(channel) ?? '') + decoded);
        });
        await once(socket, 'close');
        expect([socket.protocol, said.get('1')]).toEqual([protocol, 'hi\n']);
        if (protocol.startsWith('v')) expect(JSON.parse(said.get('3') ?? '')).toMatchObject({ status: 'Success' });
      },
    );

    test.skipIf(spawnSync('script', ['--version']).status !== 0)(
      'kubectl exec -it gives a command a terminal of the size of its own (skipped without the program script)',
      async () => {
        // The size comes after the start of the command, and stty complains about a terminal without one.
        const wait = 'until [ "$(stty size 2>/dev/null)" = "33 99" ]; do sleep 0.1; done; tty';
        const exec = `'${toolPath('kubectl-1.32')}' --kubeconfig '${kubeconfig}' exec -it web -- sh -c '${wait}'`;
        const child = spawn('script', ['-qec', `stty rows 33 cols 99; ${exec}`, '/dev/null'], { stdio: 'pipe' });
        expect(await text(child.stdout)).toMatch(/^\/dev\/pts\/\d+\r\n$/);
      },
    );

    test('A container has a device of a device plugin', async () => {
      const directory = path.join(folder, 'data', 'node', 'root', 'device-plugins');
      const resource = 'example.com/gift';
      const plugin = await startPlugin(directory, {
        name: 'gift.sock',
        devices: [healthy('a')],
        answer: (ids) => ({
          envs: { GIFT: ids.join() },
          devices: [{ containerPath: '/dev/gift', hostPath: '/dev/null', permissions: 'rw' }],
        }),
      });
      await registerAt(directory, { endpoint: plugin.name, resourceName: resource });
      const nodeName = (await run('get', 'nodes', '-o', 'name')).trim().replace('node/', '');
      const command = ['sh', '-c', 'echo $GIFT; stat -c %F /dev/gift; echo x > /dev/gift && echo taken'];
      const container = {
        name: 'gift',
        image: 'node.test/busybox:1',
        command,
        resources: { limits: { [resource]: '1' } },
      };
      const overrides = JSON.stringify({ spec: { nodeName, containers: [container] } });
      await run('run', 'gift', '--image=node.test/busybox:1', '--restart=Never', `--overrides=${overrides}`);
      await run('wait', '--for=jsonpath={.status.phase}=Succeeded', 'pod/gift', '--timeout=60s');
      expect(await run('logs', 'gift')).toBe('a\ncharacter special file\ntaken\n');
      await run('delete', 'pod', 'gift');
    });

    test('kubectl cp brings a file into the container', async () => {
      await run('cp', path.join(import.meta.dirname, 'node.test.ts'), 'web:/tmp/file');
      expect(await run('exec', 'web', '--', 'head', '-n1', '/tmp/file')).toContain('A node with real containers');
    });

    test('kubectl port-forward reaches a server in the pod', async () => {
      const [port] = await freePorts(1);
      const args = ['--kubeconfig', kubeconfig, 'port-forward', 'pod/web', `${port}:8080`];
      const forward = spawn(toolPath('kubectl-1.32'), args, { stdio: 'ignore' });
      try {
        const body = await vi.waitFor(async () => (await fetch(`http://127.0.0.1:${port}/x`)).text(), {
          timeout: 20_000,
        });
        expect(body).toBe('forwarded\n');
      } finally {
        forward.kill();
      }
    });

    test('The API server reaches the paths of the node as its proxy', async () => {
      const name = (await run('get', 'nodes', '-o', 'name')).trim().replace('node/', '');
      expect(await run('get', '--raw', `/api/v1/nodes/${name}/proxy/healthz`)).toBe('ok');
      expect(await run('get', '--raw', `/api/v1/nodes/${name}/proxy/pods`)).toContain('"name":"web"');
    });

    test('A pod that was deleted leaves nothing in the runtime and in the folder of the agent', async () => {
      await run('delete', 'pod', 'web', '--grace-period=1');
      await vi.waitFor(
        async () => expect(await readdir(path.join(folder, 'data', 'node', 'root', 'pods'))).toEqual([]),
        { timeout: 20_000 },
      );
    });

    test('Without an API server static pods run, and end when their file goes', async () => {
      const at = (name: string): string => path.join(folder, 'alone', name);
      await mkdir(at('static'), { recursive: true });
      const [port = 0, openPort = 0] = await freePorts(2);
      const config = {
        apiVersion: 'kubelet.config.k8s.io/v1beta1',
        kind: 'KubeletConfiguration',
        authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
        authorization: { mode: 'AlwaysAllow' },
        cgroupRoot: '/orch-e2e',
        containerRuntimeEndpoint: sandbox.socket,
        failSwapOn: false,
        fileCheckFrequency: '1s',
        healthzPort: 0,
        podLogsDir: at('logs'),
        readOnlyPort: openPort,
        port,
        staticPodPath: at('static'),
      };
      await writeFile(at('agent.yaml'), JSON.stringify(config));
      const container = { name: 'main', image: 'node.test/busybox:1', command: ['sh', '-c', 'sleep 1000'] };
      const spec = { terminationGracePeriodSeconds: 1, containers: [container] };
      const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec };
      await writeFile(at('static/web.json'), JSON.stringify(pod));
      const root = at('root');
      const args = [
        'node-agent',
        `--config=${at('agent.yaml')}`,
        `--root-dir=${root}`,
        '--hostname-override=alone',
        '--make-iptables-util-chains=false',
      ];
      const agent = new OrchProcess(args);
      const phases = async (): Promise<string[]> => {
        const { items } = (await (await fetch(`http://127.0.0.1:${openPort}/pods`)).json()) as {
          items: { metadata: { name: string }; status: { phase: string } }[];
        };
        return items.map(({ metadata, status }) => `${metadata.name} ${status.phase}`);
      };
      try {
        await vi.waitFor(async () => expect(await phases()).toEqual(['web-alone Running']), { timeout: 30_000 });
        await rm(at('static/web.json'));
        await vi.waitFor(async () => expect(await readdir(path.join(root, 'pods'))).toEqual([]), { timeout: 30_000 });
      } finally {
        await agent.kill('SIGTERM');
      }
    });
  },
);
