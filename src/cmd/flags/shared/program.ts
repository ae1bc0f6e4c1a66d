import { bool, customFlag, section } from '../flag.ts';
import type { Flag, FlagOptions, Support } from '../flag.ts';
import { parseBool } from '../values.ts';

export type VersionRequest = 'no' | 'short' | 'raw';

/** `--version` alone or with a bool, or `--version=raw` for all that is known of the build. */
const version = (name: string, support: Support, options: FlagOptions): Flag<VersionRequest> =>
  customFlag<VersionRequest>(
    name,
    support,
    { ...options, default: 'no' },
    {
      type: 'version[=raw]',
      bareValue: 'true',
      parse: (value) => (value === 'raw' ? 'raw' : parseBool(value) ? 'short' : 'no'),
      format: () => '',
    },
  );

export const program = section('Global', {
  help: bool('help', 'supported', { shorthand: 'h', help: 'Print this text.' }),
  version: version('version', 'supported', { help: 'Print the version and stop.' }),
});
