/** The program `orch`: finds the command, runs it, and tells errors the way users need them. */
import { orchVersion, versionInfo } from '../base/version.ts';
import type { Command, CommandContext } from './command.ts';
import { nearest } from './flags/nearest.ts';
import { FlagError } from './flags/parse.ts';
import { UserError } from './user-error.ts';
import { formatVersion } from './version.ts';

interface CommandEntry {
  readonly summary: string;
  /** Loaded when it is needed: `orch version` should not wait for a server's code. */
  readonly load: () => Promise<Command>;
}

const version: Command = (argv, { out }) => {
  out(
    argv.includes('--raw')
      ? formatVersion('raw', versionInfo())
      : `orch ${orchVersion}\n${formatVersion('short', versionInfo())}`,
  );
  return Promise.resolve(0);
};

const help: Command = async ([topic], context) => {
  if (topic !== undefined && Object.hasOwn(commands, topic) && topic !== 'help' && topic !== 'version')
    return (await commands[topic]!.load())(['--help'], context);
  if (topic !== undefined && !Object.hasOwn(commands, topic)) throw new FlagError([unknownCommand(topic)]);
  context.out(usage());
  return 0;
};

const commands: Readonly<Record<string, CommandEntry>> = {
  up: { summary: 'Start a control plane on this machine', load: async () => (await import('./up.ts')).up },
  apiserver: {
    summary: 'Run one API server, on etcd or on the embedded store',
    load: async () => (await import('./apiserver.ts')).apiserver,
  },
  'controller-manager': {
    summary: 'Run the controllers against an API server',
    load: async () => (await import('./controller-manager.ts')).controllerManager,
  },
  scheduler: {
    summary: 'Give pods their nodes',
    load: async () => (await import('./scheduler.ts')).scheduler,
  },
  'node-agent': {
    summary: 'Run the pods of a node, or nodes without containers',
    load: async () => (await import('./node-agent/node-agent.ts')).nodeAgent,
  },
  convert: {
    summary: 'Show a stored value or an object as JSON, YAML or protobuf',
    load: async () => (await import('./convert.ts')).convert,
  },
  version: { summary: 'Print the version', load: () => Promise.resolve(version) },
  help: { summary: 'Print this text, or the flags of a command', load: () => Promise.resolve(help) },
};

/** The names of the original programs, for those that are started in their place. Not shown. */
const originals: Readonly<Record<string, CommandEntry>> = {
  'kube-controller-manager': {
    summary: '',
    load: async () => (await import('./controller-manager.ts')).kubeControllerManager,
  },
  'kube-scheduler': {
    summary: '',
    load: async () => (await import('./scheduler.ts')).kubeScheduler,
  },
};

/** Undefined for a name that no command has. */
const findCommand = (name: string): CommandEntry | undefined =>
  [commands, originals].find((entries) => Object.hasOwn(entries, name))?.[name];

/** Whether a program of this name is one of ours: a link to it starts the command of that name. */
export const isOriginal = (program: string): boolean => Object.hasOwn(originals, program);

const usage = (): string => `A control plane with a Kubernetes-compatible API, on etcd or on an embedded store.

Usage: orch <command> [flags]

${Object.entries(commands)
  .map(([name, { summary }]) => `  ${name.padEnd(20)}${summary}\n`)
  .join('')}
Try \`orch up\`. The flags of a command: orch help <command>
`;

function unknownCommand(name: string): string {
  const guess = nearest(name, Object.keys(commands));
  return `unknown command ${JSON.stringify(name)}${guess === undefined ? '' : ` (did you mean ${guess}?)`}`;
}

/** Returns the exit code. */
export async function main(argv: readonly string[], context: CommandContext): Promise<number> {
  const [name = 'help', ...rest] = argv.map((argument, index) =>
    index === 0 ? (topLevelFlags[argument] ?? argument) : argument,
  );
  try {
    const entry = findCommand(name);
    if (entry === undefined) throw new FlagError([unknownCommand(name)]);
    const command = await entry.load();
    return await command(rest, context);
  } catch (error) {
    context.err(describeError(error, name));
    return 1;
  }
}

const topLevelFlags: Readonly<Record<string, string | undefined>> = {
  '--help': 'help',
  '-h': 'help',
  '--version': 'version',
};

function describeError(error: unknown, command: string): string {
  if (error instanceof FlagError) {
    const hint = Object.hasOwn(commands, command) ? `orch help ${command}` : 'orch help';
    return `${error.problems.map((problem) => `Error: ${problem}\n`).join('')}See '${hint}'.\n`;
  }
  if (error instanceof UserError) return `Error: ${error.message}\n`;
  return `Error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`;
}
