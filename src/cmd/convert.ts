/** `orch convert`: shows a value from the store, or an object, in another encoding. */
import { readFile } from 'node:fs/promises';
import type { Command } from './command.ts';
import { type ConversionFormat, conversionFormats } from './conversion.ts';
import { bool, customFlag, section } from './flags/flag.ts';
import { formatHelp } from './flags/help.ts';
import { FlagError, parseFlags } from './flags/parse.ts';
import { describeFileError } from '../base/file-error.ts';
import { UserError } from './user-error.ts';

const flags = {
  convert: section('Convert', {
    to: customFlag<ConversionFormat | undefined>(
      'to',
      'supported',
      { default: undefined, help: 'The encoding to print: json, yaml or protobuf.' },
      {
        type: 'json|yaml|protobuf',
        parse: (value) => conversionFormats.find((form) => form === value) ?? unknownFormat(),
        format: () => '',
      },
    ),
    help: bool('help', 'supported', { shorthand: 'h', help: 'Print this text.' }),
  }),
};

function unknownFormat(): never {
  throw new Error(`must be one of ${conversionFormats.join(', ')}`);
}

const about = `Reads a value as etcd has it, or an object in JSON or YAML, detects its type, and prints
it in another encoding.

Usage: orch convert --to json|yaml|protobuf [FILE]     standard input without FILE, or with -

  etcdctl get --print-value-only /registry/pods/default/web | orch convert --to yaml`;

export const convert: Command = async (argv, { parts, out, readStdin, width }) => {
  const { options, operands } = parseFlags(flags, argv);
  if (options.convert.help) {
    out(`${about}\n\n${formatHelp(flags, width)}`);
    return 0;
  }
  const { to } = options.convert;
  if (to === undefined) throw new FlagError(['orch convert needs --to json, yaml or protobuf']);
  if (operands.length > 1) throw new FlagError([`orch convert takes one file, got ${JSON.stringify(operands)}`]);
  const [file = '-'] = operands;
  const value = file === '-' ? await readStdin() : await readInput(file);
  out(await convertOrExplain(() => parts.convertValue(value, to), file));
  return 0;
};

async function readInput(file: string): Promise<Uint8Array> {
  try {
    return await readFile(file);
  } catch (error) {
    throw new UserError(`open ${file}: ${describeFileError(error)}`, { cause: error });
  }
}

async function convertOrExplain(run: () => Promise<Uint8Array>, file: string): Promise<Uint8Array> {
  try {
    return await run();
  } catch (error) {
    throw new UserError(`${file === '-' ? 'standard input' : file}: ${(error as Error).message}`, { cause: error });
  }
}
