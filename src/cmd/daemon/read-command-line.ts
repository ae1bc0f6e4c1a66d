/** The command line of a daemon: its flags, or the help or the version that the user asked for. */
import { versionInfo } from '../../base/version.ts';
import type { CommandContext } from '../command.ts';
import type { Sections } from '../flags/flag.ts';
import { formatHelp } from '../flags/help.ts';
import { FlagError, parseFlags, type ParsedFlags } from '../flags/parse.ts';
import type { VersionRequest } from '../flags/shared/program.ts';
import { formatVersion } from '../version.ts';

export interface DaemonCommand<S extends Sections> {
  /** `orch controller-manager` */
  readonly command: string;
  readonly about: string;
  readonly flags: S;
}

/** Undefined when the user asked for help or the version and has got it. Warnings are written. */
export function readDaemonCommandLine<S extends Sections>(
  { command, about, flags }: DaemonCommand<S>,
  argv: readonly string[],
  { out, err, width }: CommandContext,
): ParsedFlags<S> | undefined {
  const parsed = parseFlags(flags, argv);
  if (parsed.operands.length > 0)
    throw new FlagError([`"${command}" does not take any arguments, got ${JSON.stringify(parsed.operands)}`]);
  const { help, version } = (parsed.options as unknown as { program: { help: boolean; version: VersionRequest } })
    .program;
  if (help) out(`${about}\n\nUsage: ${command} [flags]\n\n${formatHelp(flags, width)}`);
  else if (version !== 'no') out(formatVersion(version, versionInfo()));
  if (help || version !== 'no') return undefined;
  for (const warning of parsed.warnings) err(`Warning: ${warning}\n`);
  return parsed;
}
