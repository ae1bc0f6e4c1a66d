/** What the commands that run an API server have in common: reading flags, telling warnings, running until stopped. */
import { versionInfo } from '../base/version.ts';
import type { CommandContext } from './command.ts';
import type { StartConfig, RunningApiServer } from './config.ts';
import { completeApiServerOptions, parseWithoutOperands } from './flags/api-server/options.ts';
import type { CompletedOptions } from './flags/api-server/options.ts';
import { apiServerFlags } from './flags/api-server/table.ts';
import { section, text } from './flags/flag.ts';
import type { OptionsOf, Section } from './flags/flag.ts';
import { formatHelp } from './flags/help.ts';
import type { GivenFlags } from './flags/parse.ts';
import type { LogOptions } from './flags/shared/logs.ts';
import type { Interrupts } from './interrupts.ts';
import { logOutput } from './log-output.ts';
import { type AdjustableLogger, createAdjustableLogger, type LogLevel } from './logging.ts';
import { explainStartError } from './start-errors.ts';
import { formatVersion } from './version.ts';

export const embeddedStoreFlags = section('Embedded store', {
  dataDir: text('data-dir', 'supported', {
    default: '.orch',
    help: 'Directory for the data of the embedded store. Not used with --store-servers.',
  }),
});

/** The flags of `orch apiserver`. */
export const serverFlags = { local: embeddedStoreFlags, ...apiServerFlags } as const;
export type ServerOptions = OptionsOf<typeof serverFlags>;
export type ServerFlags = {
  readonly [K in keyof typeof serverFlags]: (typeof serverFlags)[K] extends Section<infer F> ? Section<F> : never;
};

export interface ReadCommandLine {
  readonly options: ServerOptions;
  readonly given: GivenFlags;
  readonly completed: CompletedOptions;
}

/** Undefined when the user asked for help or the version and has got it. */
export function readCommandLine(
  command: string,
  about: string,
  flags: ServerFlags,
  argv: readonly string[],
  { out, err, width }: CommandContext,
): ReadCommandLine | undefined {
  const { options, given, warnings } = parseWithoutOperands(command, flags, argv);
  const { help, version } = options.program;
  if (help) out(`${about}\n\nUsage: ${command} [flags]\n\n${formatHelp(flags, width)}`);
  if (help) return undefined;
  if (version !== 'no') out(formatVersion(version, versionInfo()));
  if (version !== 'no') return undefined;
  const completed = completeApiServerOptions(options, given);
  for (const warning of [...warnings, ...completed.warnings]) err(`Warning: ${warning}\n`);
  return { options, given, completed };
}

export const loggerFor = (
  { logs }: { readonly logs: LogOptions },
  level: LogLevel,
  context: CommandContext,
): Promise<AdjustableLogger> =>
  createAdjustableLogger(logs.verbosity, { format: logs.format, level, write: logOutput(logs, context) });

export interface Serving {
  readonly config: StartConfig;
  readonly interrupts: Interrupts;
  readonly onServing: (server: RunningApiServer) => Promise<void> | void;
  readonly onStopping: () => void;
}

/** Runs the server until a signal comes; returns the exit code. */
export async function serveUntilStopped(
  { config, interrupts, onServing, onStopping }: Serving,
  { parts }: CommandContext,
): Promise<number> {
  let server: RunningApiServer;
  try {
    server = await parts.startApiServer(config);
  } catch (error) {
    if (interrupts.signal.aborted) return interrupts.exitCode;
    throw explainStartError(error, config);
  }
  try {
    await onServing(server);
    await interrupts.first;
    onStopping();
  } finally {
    await server.close();
  }
  return 0;
}
