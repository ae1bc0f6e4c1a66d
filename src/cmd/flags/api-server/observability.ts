import { bool, customFlag, duration, file, int, optionalText, section, strings, text, textPairs } from '../flag.ts';
import type { Flag, FlagOptions, Support } from '../flag.ts';
import { parseBool } from '../values.ts';

export const logs = section('Logs', {
  verbosity: int('v', 'supported', {
    shorthand: 'v',
    help: 'How much is logged: 0 and 1 what an operator should know, 2 and above details and where errors come from.',
  }),
  format: text('logging-format', 'supported', { default: 'text', help: 'text, or json for an object per line.' }),
  vmodule: optionalText('vmodule', 'ignored', { help: 'Verbosity per source file of a Go program.' }),
  flushFrequencyMs: duration('log-flush-frequency', 'ignored', {
    default: '5s',
    help: 'How often logs are flushed: every line is written at once.',
  }),
  jsonSplitStream: bool('log-json-split-stream', 'unsupported', {
    help: 'In format json, errors to standard error and the rest to standard output.',
  }),
  jsonInfoBufferSize: text('log-json-info-buffer-size', 'unsupported', {
    default: '0',
    help: 'With --log-json-split-stream, how many bytes are collected before they are written.',
  }),
  textSplitStream: bool('log-text-split-stream', 'unsupported', {
    help: 'In format text, errors to standard error and the rest to standard output.',
  }),
  textInfoBufferSize: text('log-text-info-buffer-size', 'unsupported', {
    default: '0',
    help: 'With --log-text-split-stream, how many bytes are collected before they are written.',
  }),
});

export const metrics = section('Metrics', {
  disabledMetrics: strings('disabled-metrics', 'supported', {
    help: 'Metrics to leave out, by their full names. Goes before --show-hidden-metrics-for-version.',
  }),
  allowMetricLabels: textPairs('allow-metric-labels', 'supported', {
    help: 'Values of a label that are shown as they are, any other as "unexpected": metric,label=value,…. Repeatable.',
  }),
  allowMetricLabelsManifest: file('allow-metric-labels-manifest', 'supported', {
    help: 'The same from a YAML file, a map of metric,label to values. Not read when --allow-metric-labels is given.',
  }),
  showHiddenMetricsForVersion: optionalText('show-hidden-metrics-for-version', 'supported', {
    help:
      'Show metrics that are hidden because they are deprecated. The value is the previous ' +
      '<major>.<minor> version.',
  }),
});

export const debugging = section('Debugging', {
  eventLoopStallThresholdMs: duration('event-loop-stall-threshold', 'supported', {
    default: '1s',
    help:
      'When the event loop stands for longer, which holds up every client, a line of the log says which request ' +
      'and which functions held it, and orch_event_loop_stalls_total counts it. At least 50ms; 0 switches it off.',
  }),
  profiling: bool('profiling', 'ignored', {
    default: true,
    help: "Go's profiles under /debug/pprof/. Use node --cpu-prof or --inspect.",
  }),
  contentionProfiling: bool('contention-profiling', 'ignored', { help: "Go's profile of lock contention." }),
  debugSocketPath: optionalText('debug-socket-path', 'ignored', {
    help: "Unix socket for Go's profiles without authentication.",
  }),
});

export const connections = section('Egress and tracing', {
  egressSelectorConfigFile: file('egress-selector-config-file', 'unsupported', {
    help: 'EgressSelectorConfiguration document: through which proxies nodes, etcd and webhooks are reached.',
  }),
  tracingConfigFile: file('tracing-config-file', 'unsupported', {
    help: 'TracingConfiguration document: where OpenTelemetry traces go, and how many.',
  }),
});

export const cloud = section('Cloud provider', {
  provider: optionalText('cloud-provider', 'ignored', {
    help: 'There is no code for clouds in this server; cloud controller managers run beside it.',
  }),
  config: file('cloud-config', 'ignored', { help: 'Goes with --cloud-provider.' }),
});

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
