import { describe, expect, test } from 'vitest';
import { bool, duration, int, optionalText, pairs, repeated, section, strings, text } from './flag.ts';
import { FlagError, parseFlags } from './parse.ts';

const sections = {
  serving: section('Serving', {
    port: int('secure-port', 'supported', { default: 6443, help: 'Port.' }),
    host: optionalText('external-hostname', 'supported', { help: 'Name.' }),
    timeoutMs: duration('request-timeout', 'supported', { default: '1m0s', help: 'Timeout.' }),
  }),
  storage: section('Storage', {
    servers: strings('store-servers', 'supported', {
      alias: 'etcd-servers',
      default: ['http://default'],
      help: 'Servers.',
    }),
    prefix: text('store-prefix', 'supported', { default: '/registry', help: 'Prefix.' }),
    cache: bool('watch-cache', 'supported', { default: true, help: 'Cache.' }),
    keys: repeated('key-file', 'supported', { help: 'Keys.' }),
    claims: pairs('required-claim', 'supported', { help: 'Claims.' }),
    encryption: optionalText('encryption-config', 'unsupported', { help: 'Encryption.' }),
    old: int('old-count', 'supported', { deprecated: 'use nothing.', help: 'Old.' }),
  }),
  logs: section('Logs', {
    verbosity: int('v', 'supported', { shorthand: 'v', help: 'Verbosity.' }),
    quiet: bool('quiet', 'supported', { shorthand: 'q', help: 'Quiet.' }),
    profiling: bool('profiling', 'ignored', { default: true, help: 'Profiles.' }),
  }),
};
const parse = (...argv: string[]) => parseFlags(sections, argv);

describe('what flags mean', () => {
  test('Parsing gives every option its default when no flag is given', () => {
    const { options, given, warnings, operands } = parse();
    expect(options).toEqual({
      serving: { port: 6443, host: undefined, timeoutMs: 60_000 },
      storage: {
        servers: ['http://default'],
        prefix: '/registry',
        cache: true,
        keys: [],
        claims: new Map(),
        encryption: undefined,
        old: 0,
      },
      logs: { verbosity: 0, quiet: false, profiling: true },
    });
    expect([given.size, warnings, operands]).toEqual([0, [], []]);
  });

  test.each([
    { name: 'a value behind =', argv: ['--secure-port=1'], at: ['serving', 'port'], value: 1 },
    { name: 'a value as the next argument', argv: ['--secure-port', '1'], at: ['serving', 'port'], value: 1 },
    {
      name: 'a next argument that looks like a flag',
      argv: ['--store-prefix', '--x'],
      at: ['storage', 'prefix'],
      value: '--x',
    },
    { name: 'the last of several', argv: ['--secure-port=1', '--secure-port=2'], at: ['serving', 'port'], value: 2 },
    { name: 'an equals sign in the value', argv: ['--store-prefix=/a=b'], at: ['storage', 'prefix'], value: '/a=b' },
    { name: 'an empty value', argv: ['--store-prefix='], at: ['storage', 'prefix'], value: '' },
    {
      name: 'an empty value of an optional text as nothing',
      argv: ['--external-hostname='],
      at: ['serving', 'host'],
      value: undefined,
    },
    { name: 'underscores in the name', argv: ['--request_timeout=5s'], at: ['serving', 'timeoutMs'], value: 5000 },
    { name: 'an alias', argv: ['--etcd-servers=http://a'], at: ['storage', 'servers'], value: ['http://a'] },
    { name: 'a switch alone', argv: ['--quiet'], at: ['logs', 'quiet'], value: true },
    { name: 'a switch set off', argv: ['--watch-cache=false'], at: ['storage', 'cache'], value: false },
    {
      name: 'a list, which replaces the default',
      argv: ['--store-servers=a,b'],
      at: ['storage', 'servers'],
      value: ['a', 'b'],
    },
    {
      name: 'a repeated list, which appends',
      argv: ['--store-servers=a,b', '--etcd-servers', 'c'],
      at: ['storage', 'servers'],
      value: ['a', 'b', 'c'],
    },
    { name: 'quotes in a list', argv: ['--store-servers="a,b",c'], at: ['storage', 'servers'], value: ['a,b', 'c'] },
    {
      name: 'a repeated value, with its commas',
      argv: ['--key-file=a,b', '--key-file=c'],
      at: ['storage', 'keys'],
      value: ['a,b', 'c'],
    },
    {
      name: 'pairs, merged',
      argv: ['--required-claim=a=1,b=x=y', '--required-claim= a = 2 '],
      at: ['storage', 'claims'],
      value: new Map([
        ['a', '2'],
        ['b', 'x=y'],
      ]),
    },
    { name: 'a short flag with =', argv: ['-v=2'], at: ['logs', 'verbosity'], value: 2 },
    { name: 'a short flag with the value attached', argv: ['-v2'], at: ['logs', 'verbosity'], value: 2 },
    { name: 'a short flag with the value behind', argv: ['-v', '2'], at: ['logs', 'verbosity'], value: 2 },
    { name: 'short switches together', argv: ['-qv3'], at: ['logs', 'verbosity'], value: 3 },
    { name: 'a short flag by its long name', argv: ['--v=4'], at: ['logs', 'verbosity'], value: 4 },
  ])('The flag parser reads $name', ({ argv, at, value }) => {
    const options = parse(...argv).options as unknown as Record<string, Record<string, unknown>>;
    expect(options[at[0]!]![at[1]!]).toEqual(value);
  });

  test('Parsing tells operands from flags, wherever they stand, and takes all behind -- as such', () => {
    expect(parse('a', '--quiet', '-', 'b', '--', '--secure-port', '-v').operands).toEqual([
      'a',
      '-',
      'b',
      '--secure-port',
      '-v',
    ]);
  });

  test('Parsing says how each flag was written', () => {
    expect([...parse('--etcd_servers=a', '-v1').given]).toEqual([
      ['store-servers', '--etcd-servers'],
      ['v', '-v, --v'],
    ]);
  });
});

describe('what is refused', () => {
  test.each([
    { argv: ['--bogus'], message: 'unknown flag: --bogus' },
    { argv: ['--secure-prot=1'], message: 'unknown flag: --secure-prot (did you mean --secure-port?)' },
    { argv: ['--etcd-server=x'], message: 'unknown flag: --etcd-server (did you mean --etcd-servers?)' },
    { argv: ['-x'], message: "unknown shorthand flag: 'x' in -x" },
    { argv: ['-qx'], message: "unknown shorthand flag: 'x' in -qx" },
    { argv: ['--=x'], message: 'bad flag syntax: --=x' },
    { argv: ['---x'], message: 'bad flag syntax: ---x' },
    { argv: ['--secure-port'], message: 'flag needs an argument: --secure-port' },
    { argv: ['-v'], message: "flag needs an argument: 'v' in -v" },
    {
      argv: ['--secure-port=abc'],
      message: 'invalid argument "abc" for "--secure-port" flag: strconv.ParseInt: parsing "abc": invalid syntax',
    },
    {
      argv: ['-vx'],
      message: 'invalid argument "x" for "-v, --v" flag: strconv.ParseInt: parsing "x": invalid syntax',
    },
    {
      argv: ['--watch-cache='],
      message: 'invalid argument "" for "--watch-cache" flag: strconv.ParseBool: parsing "": invalid syntax',
    },
    {
      argv: ['--request-timeout=5'],
      message: 'invalid argument "5" for "--request-timeout" flag: time: missing unit in duration "5"',
    },
    {
      argv: ['--required-claim=abc'],
      message: 'invalid argument "abc" for "--required-claim" flag: malformed pair, expect string=string',
    },
    { argv: ['--encryption-config=x'], message: '--encryption-config is not supported by this version yet' },
    { argv: ['--encryption-config='], message: '--encryption-config is not supported by this version yet' },
    { argv: ['--constructor=1'], message: 'unknown flag: --constructor' },
  ])('The flag parser refuses $argv', ({ argv, message }) => {
    expect(() => parse(...argv)).toThrow(new FlagError([message]));
  });
});

describe('what the operator is told', () => {
  test('A flag without meaning is accepted and warned about once', () => {
    expect(parse('--profiling=false', '--profiling').warnings).toEqual([
      '--profiling has no meaning in this runtime and is ignored',
    ]);
  });

  test('A deprecated flag works and says what to do instead', () => {
    const { options, warnings } = parse('--old-count=3');
    expect([options.storage.old, warnings]).toEqual([3, ['Flag --old-count has been deprecated, use nothing.']]);
  });
});
