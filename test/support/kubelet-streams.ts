/**
 * Commands and ports of a node agent made by hand, over SPDY/3.1. There is no container: a command is a word that says
 * what it does, or a program of this machine.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { acceptUpgrade, type AcceptedUpgrade } from '../../src/spdy/accept-upgrade.ts';
import { commandStreams, type CommandStream } from '../../src/spdy/command-streams.ts';
import { onPortStreams } from '../../src/spdy/port-streams.ts';
import type { SpdyStream } from '../../src/spdy/stream.ts';
import type { TestKubelet } from './kubelet.ts';

/** As node agents of 1.32 name them. */
export const kubeletProtocols = [4, 3, 2].map((version) => `v${version}.channel.k8s.io`).concat('channel.k8s.io');

type Streams = Partial<Record<CommandStream, SpdyStream>> & { readonly error: SpdyStream };

export interface KubeletStreams {
  /** Bytes of `flood` that were taken. */
  flooded: number;
  /** What was spoken, oldest first. */
  readonly protocols: string[];
}

/**
 * Makes the node agent serve commands and ports. It emits `left` when a connection of them has ended.
 *
 * @param protocols that it speaks for commands
 * @param programs that may be run
 */
export function serveStreams(
  kubelet: TestKubelet,
  protocols: readonly string[] = kubeletProtocols,
  programs: readonly string[] = [],
): KubeletStreams {
  const state: KubeletStreams = { flooded: 0, protocols: [] };
  kubelet.upgrade = (request, socket, head) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'https://kubelet');
    const isForward = pathname.startsWith('/portForward/');
    const names = isForward ? ['portforward.k8s.io'] : protocols;
    const accepted = accept(request, socket, head, names);
    if (accepted === undefined) return;
    state.protocols.push(accepted.protocol);
    socket.once('close', () => kubelet.events.emit('left'));
    if (isForward) forwardPorts(accepted);
    else {
      const isAttach = pathname.startsWith('/attach/');
      void runCommand(accepted, searchParams, { state, programs, isAttach }).catch(() => undefined);
    }
  };
  return state;
}

const accept = (request: IncomingMessage, socket: Duplex, head: Buffer, protocols: readonly string[]) =>
  acceptUpgrade(request, socket, head, { protocols, unnamed: '' });

function forwardPorts({ connection }: AcceptedUpgrade): void {
  onPortStreams(connection, ({ port, data, error }) => {
    if (port === 1) {
      error.end('nothing listens on port 1');
      return void data.end();
    }
    error.end();
    data.write(`port ${port}: `);
    data.pipe(data);
  });
}

async function runCommand(
  { connection, protocol }: AcceptedUpgrade,
  query: URLSearchParams,
  { state, programs, isAttach }: { state: KubeletStreams; programs: readonly string[]; isAttach: boolean },
): Promise<void> {
  const isTerminal = query.get('tty') === '1';
  const wanted: CommandStream[] = ['error'];
  if (query.get('input') === '1') wanted.push('stdin');
  if (query.get('output') === '1') wanted.push('stdout');
  if (query.get('error') === '1' && !isTerminal) wanted.push('stderr');
  if (isTerminal) wanted.push('resize');
  const streams: Streams = await commandStreams(connection, wanted);
  const command = isAttach ? ['attached'] : query.getAll('command');
  const isProgram = programs.includes(command[0] ?? '');
  const failure = isProgram ? await runProgram(command, streams) : await run(command, streams, state);
  for (const type of ['stdout', 'stderr'] as const)
    await new Promise<void>((resolve) => (streams[type] === undefined ? resolve() : streams[type].end(resolve)));
  const isJson = protocol.startsWith('v4.');
  const end = isJson ? JSON.stringify(failure ?? { metadata: {}, status: 'Success' }) : (failure?.message ?? '');
  if (end !== '') await new Promise((resolve) => streams.error.write(end, resolve));
  // As Go ends a connection: all streams are cancelled first.
  for (const stream of Object.values(streams)) stream.reset();
  connection.close();
}

interface Failure {
  readonly status: 'Failure';
  readonly message: string;
  readonly reason?: string;
  readonly details?: object;
}

const exited = (code: string): Failure => ({
  status: 'Failure',
  reason: 'NonZeroExitCode',
  message: `command terminated with exit code ${code}`,
  details: { causes: [{ reason: 'ExitCode', message: code }] },
});

async function runProgram([name = '', ...args]: readonly string[], streams: Streams): Promise<Failure | undefined> {
  const child = spawn(name, args, { stdio: 'pipe' });
  child.stdin.on('error', () => undefined);
  if (streams.stdin === undefined) child.stdin.end();
  else streams.stdin.pipe(child.stdin);
  for (const type of ['stdout', 'stderr'] as const) {
    const stream = streams[type];
    if (stream === undefined) child[type].resume();
    else child[type].pipe(stream, { end: false });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return code === 0 ? undefined : exited(String(code ?? 137));
}

async function run(
  [name = '', ...args]: readonly string[],
  { stdin, stdout, stderr, resize }: Streams,
  state: KubeletStreams,
): Promise<Failure | undefined> {
  switch (name) {
    case 'echo':
      stdout?.write(args.join(' '));
      return undefined;
    case 'attached':
      stdout?.write('attached\n');
      if (stdin !== undefined)
        for await (const bytes of stdin.iterator({ destroyOnReturn: false })) stdout?.write(bytes);
      return undefined;
    case 'both':
      stdout?.write('out');
      stderr?.write('err');
      return undefined;
    case 'cat':
      for await (const bytes of stdin!.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>)
        if (!stdout!.write(bytes)) await new Promise((resolve) => stdout!.once('drain', resolve));
      return undefined;
    case 'size':
      stdout?.write(String(await new Promise((resolve) => resize!.once('data', resolve))));
      return undefined;
    case 'exit':
      return exited(args[0]!);
    case 'fail':
      return { status: 'Failure', message: args.join(' ') };
    case 'flood': {
      const chunk = Buffer.alloc(64 * 1024);
      for (let i = 0; i < Number(args[0]); i++) {
        state.flooded += chunk.length;
        if (!stdout!.write(chunk)) await new Promise((resolve) => stdout!.once('drain', resolve));
      }
      return undefined;
    }
    case 'stay':
      stdout?.write('here');
      // Until the connection ends.
      return new Promise((resolve) => stdout?.once('close', () => resolve(undefined)));
    default:
      return { status: 'Failure', message: `no such command: ${name}` };
  }
}
