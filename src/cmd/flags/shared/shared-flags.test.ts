import { describe, expect, it } from 'vitest';
import { section } from '../flag.ts';
import { formatHelp } from '../help.ts';
import { parseFlags } from '../parse.ts';
import { requestHeaderFlags, requestHeaderOptions, requestHeaderProblems } from './client-certificates.ts';
import { debugging, debuggingProblems, stallReporting } from './debugging.ts';
import { logProblems, logs } from './logs.ts';
import { metricProblems, metrics } from './metrics.ts';
import {
  http2Flags,
  http2Problems,
  listenFlags,
  listenProblems,
  servingCertificateFlags,
  servingCertificateProblems,
  socketSharingFlags,
  tlsFlags,
  tlsProblems,
} from './secure-serving.ts';

/** Another daemon than the API server: nothing of its table is in it. */
const sections = {
  serving: section('Serving', {
    ...listenFlags({ securePort: 10257 }),
    ...servingCertificateFlags('daemon', { certDir: '/var/run/daemon' }),
    ...tlsFlags,
    ...http2Flags,
    ...socketSharingFlags,
  }),
  authentication: section('Authentication', {
    ...requestHeaderFlags({
      usernameHeaders: ['x-remote-user'],
      groupHeaders: ['x-remote-group'],
      extraHeaderPrefixes: ['x-remote-extra-'],
    }),
  }),
  logs,
  metrics,
  debugging,
} as const;

function problems(argv: readonly string[]): (string | false | undefined)[] {
  const { options, given } = parseFlags(sections, argv);
  const spelled = (name: string): string => given.get(name) ?? `--${name}`;
  return [
    ...listenProblems(options.serving, spelled),
    ...servingCertificateProblems(options.serving),
    ...tlsProblems(options.serving, spelled),
    ...http2Problems(options.serving, spelled),
    ...requestHeaderProblems(options.authentication),
    ...debuggingProblems(options.debugging, spelled),
    ...logProblems(options.logs, spelled),
    ...metricProblems(options.metrics, spelled),
  ].filter((problem) => typeof problem === 'string');
}

describe('flags that daemons share', () => {
  it('Flags that daemons share have the defaults of the daemon', () => {
    const { serving, authentication } = parseFlags(sections, []).options;
    expect(serving).toMatchObject({ bindAddress: '0.0.0.0', securePort: 10257, certDir: '/var/run/daemon' });
    expect(requestHeaderOptions(authentication)).toEqual({
      allowedNames: [],
      usernameHeaders: ['x-remote-user'],
      uidHeaders: [],
      groupHeaders: ['x-remote-group'],
      extraHeaderPrefixes: ['x-remote-extra-'],
    });
    expect(problems([])).toEqual([]);
  });

  it('Flags that daemons share name the files of the daemon in the help', () => {
    expect(formatHelp(sections)).toContain('daemon.crt, daemon.key');
    expect(formatHelp(sections)).toContain('(default 10257)');
  });

  it.each([
    {
      argv: ['--secure-port=0'],
      problem: '--secure-port 0 must be between 1 and 65535, inclusive. It cannot be turned off with 0',
    },
    { argv: ['--tls-cert-file=a'], problem: 'missing filename for serving cert' },
    { argv: ['--tls-cipher-suites=a'], problem: "Cipher suite a not supported or doesn't exist" },
    { argv: ['--tls-min-version=a'], problem: 'unknown tls version "a"' },
    {
      argv: ['--tls-sni-cert-key=a'],
      problem: '--tls-sni-cert-key "a" invalid, must be of format: cert,key[:domain,...]',
    },
    {
      argv: ['--http2-max-streams-per-connection=-1'],
      problem: '--http2-max-streams-per-connection can not be negative value',
    },
    { argv: ['--requestheader-group-headers= '], problem: 'empty value in "requestheader-group-headers"' },
    {
      argv: ['--event-loop-stall-threshold=1ms'],
      problem: '--event-loop-stall-threshold must be 0, or at least 50ms and less than 25 days',
    },
    {
      argv: ['--logging-format=xml'],
      problem: '--logging-format: Invalid value: "xml": Unsupported log format',
    },
    { argv: ['-v=-1'], problem: '-v, --v can not be negative value' },
    {
      argv: ['--allow-metric-labels=a=b'],
      problem:
        '--allow-metric-labels must have a list of kv pair with format ' +
        '`metricName,labelName=labelValue, labelValue,...`',
    },
  ])('Flags that daemons share: $argv is refused', ({ argv, problem }) => {
    expect(problems(argv)).toEqual([problem]);
  });

  it.each([
    { name: 'by default in a process of its own', argv: [], ownsProcess: true, thresholdMs: 1000 },
    { name: 'not by default in a process of others', argv: [], ownsProcess: false, thresholdMs: 0 },
    {
      name: 'on demand in a process of others',
      argv: ['--event-loop-stall-threshold=5s'],
      ownsProcess: false,
      thresholdMs: 5000,
    },
  ])('Stalls of the event loop are reported $name', ({ argv, ownsProcess, thresholdMs }) => {
    const { options, given } = parseFlags(sections, argv);
    expect(stallReporting(options.debugging, options.logs, given, ownsProcess)).toMatchObject({ thresholdMs });
  });
});
