/**
 * Commands in containers, and what runs there already: `exec` and `attach` of pods.
 * @see KEP-4006, Transition from SPDY to WebSockets
 */
import { text } from 'node:stream/consumers';
import { type Readable, Writable } from 'node:stream';
import type { Status } from '../../machinery/status.ts';
import type { JsonValue } from '../../machinery/value.ts';
import { ConnectionError } from '../transport/message.ts';
import type { RequestOptions } from '../resources/options.ts';
import { pathOf } from '../resources/paths.ts';
import type { Requests } from '../resources/requests.ts';
import type { ResourceTarget } from '../resources/resource-client.ts';
import { statusErrorFrom } from '../status-answer.ts';
import { Channels } from './channels.ts';

/** @see PodAttachOptions of core/v1 */
export interface AttachOptions extends RequestOptions {
  /** The only one of the pod, or the one that its annotation names, when absent. */
  readonly container?: string;
  /** False when absent. */
  readonly stdin?: boolean;
  /** True when absent. */
  readonly stdout?: boolean;
  /** True when absent, but for terminals, which have one output. */
  readonly stderr?: boolean;
  /** False when absent. */
  readonly tty?: boolean;
}

/** @see PodExecOptions of core/v1 */
export interface ExecOptions extends AttachOptions {
  /** Not run by a shell. */
  readonly command: readonly string[];
}

/**
 * Outputs that were asked for have to be read, or destroyed: while one is not read, the other one waits too.
 */
export interface RemoteCommand extends AsyncDisposable {
  /**
   * Its end is the end of the input, where the server speaks `v5.channel.k8s.io`; with older ones the input has no end.
   * Takes nothing where no input was asked for.
   */
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /**
   * Resolves when the command has ended, with its exit code. Rejects with `StatusError` where it could not be run, and
   * with `ConnectionError` where the connection ended before.
   */
  readonly exitCode: Promise<number>;
  /** Of the terminal. */
  resize(size: { readonly width: number; readonly height: number }): Promise<void>;
  /** Ends the connection. What becomes of the command is up to the container runtime. */
  close(): Promise<void>;
}

const protocols = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];

/** Channels of remotecommand's subprotocols. */
const channel = { stdin: 0, stdout: 1, stderr: 2, status: 3, resize: 4 } as const;

/** `client.core.v1.pods.namespace('default').exec` */
export class PodExec {
  readonly #target: ResourceTarget;
  readonly #requests: Requests;

  constructor(target: ResourceTarget, requests: Requests) {
    this.#target = target;
    this.#requests = requests;
  }

  /** Rejects with `StatusError` where the server refuses. */
  connect(name: string, { command, ...options }: ExecOptions): Promise<RemoteCommand> {
    return connect(this.#requests, { ...this.#target, name, subresource: 'exec' }, options, command);
  }
}

/** `client.core.v1.pods.namespace('default').attach` */
export class PodAttach {
  readonly #target: ResourceTarget;
  readonly #requests: Requests;

  constructor(target: ResourceTarget, requests: Requests) {
    this.#target = target;
    this.#requests = requests;
  }

  /** Rejects with `StatusError` where the server refuses. */
  connect(name: string, options: AttachOptions = {}): Promise<RemoteCommand> {
    return connect(this.#requests, { ...this.#target, name, subresource: 'attach' }, options, []);
  }
}

async function connect(
  { sender }: Requests,
  place: ResourceTarget & { readonly name: string },
  { container, tty = false, stdin = false, stdout = true, stderr = !tty, ...request }: AttachOptions,
  command: readonly string[],
): Promise<RemoteCommand> {
  const query = new URLSearchParams(command.map((argument): [string, string] => ['command', argument]));
  if (container !== undefined) query.set('container', container);
  for (const [name, isOn] of Object.entries({ stdin, stdout, stderr, tty })) if (isOn) query.set(name, 'true');
  const path = `${pathOf(place)}?${query.toString()}`;
  const channels = new Channels(await sender.openWebSocket({ ...request, path, protocols }));
  const status = channels.reader(channel.status);
  const hasEnd = channels.protocol === protocols[0];
  const input = stdin ? channels.writer(channel.stdin, hasEnd) : noInput();
  const outputs = { stdout: channels.reader(channel.stdout), stderr: channels.reader(channel.stderr) };
  if (!stdout) outputs.stdout.push(null);
  if (!stderr) outputs.stderr.push(null);
  const exitCode = exitCodeOf(status, channels);
  // Callers that are interested in the output alone do not ask for it.
  exitCode.catch(() => undefined);
  const close = async (): Promise<void> => {
    channels.close();
    await channels.ended;
  };
  return {
    stdin: input,
    ...outputs,
    exitCode,
    resize: ({ width, height }) =>
      channels.send(channel.resize, Buffer.from(JSON.stringify({ Width: width, Height: height }))),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function noInput(): Writable {
  const stream = new Writable({ write: (_, __, done) => done(new Error('stdin was not asked for')) });
  stream.on('error', () => undefined);
  return stream;
}

/** The status is sent before the connection ends. */
async function exitCodeOf(status: Readable, { ended }: Channels): Promise<number> {
  const [sent, { error }] = await Promise.all([text(status).catch(() => ''), ended]);
  if (sent === '') throw error ?? new ConnectionError('the connection ended without the status of the command');
  const value = parse(sent);
  if (value?.status === 'Success') return 0;
  if (value?.reason === 'NonZeroExitCode') {
    const code = Number(value.details?.causes?.find(({ reason }) => reason === 'ExitCode')?.message);
    if (Number.isInteger(code)) return code;
  }
  // It goes without its kind.
  const failure = value?.status === undefined ? undefined : { kind: 'Status', ...value };
  throw statusErrorFrom(failure as JsonValue | undefined, value?.code ?? 500, sent);
}

function parse(sent: string): Partial<Status> | undefined {
  try {
    return JSON.parse(sent) as Partial<Status>;
  } catch {
    return undefined;
  }
}
