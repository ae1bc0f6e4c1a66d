/** What the kernel of daemons takes, from the settings of the agent. */
import { parseQuantity } from '../../machinery/quantity.ts';
import type { NodeAgentSettings } from '../../node-agent/config/settings.ts';
import { parseDuration } from '../flags/duration.ts';
import type { OptionsOf, Sections } from '../flags/flag.ts';
import { type GivenFlags, parseFlags } from '../flags/parse.ts';
import { type DaemonOptions, daemonSections } from '../flags/shared/daemon.ts';
import type { LogOptions } from '../flags/shared/logs.ts';
import type { AgentOptions } from './settings.ts';

const defaultsOf = <S extends Sections>(sections: S): OptionsOf<S> => parseFlags(sections, []).options;

export function daemonOptionsOf(settings: NodeAgentSettings, options: AgentOptions, given: GivenFlags): DaemonOptions {
  const { config } = settings;
  const defaults = defaultsOf(
    daemonSections({
      securePort: 10250,
      pairName: 'kubelet',
      lock: { namespace: 'kube-system', name: 'kubelet' },
      tolerateLookupFailure: true,
    }),
  );
  return {
    ...defaults,
    client: {
      kubeconfig: settings.kubeconfig,
      master: undefined,
      qps: config.kubeAPIQPS,
      burst: config.kubeAPIBurst,
      contentType: config.contentType,
    },
    debugging: {
      ...defaults.debugging,
      ...options.debugging,
      profiling: config.enableProfilingHandler,
      contentionProfiling: config.enableContentionProfiling,
    },
    logs: logOptions(settings, options.logs, given),
    metrics: {
      ...defaults.metrics,
      showHiddenMetricsForVersion: config.showHiddenMetricsForVersion || undefined,
    },
  };
}

/** Flags go over the document. */
function logOptions({ config }: NodeAgentSettings, flags: LogOptions, given: GivenFlags): LogOptions {
  const { format, verbosity, flushFrequency, options } = config.logging;
  const { json, text } = options ?? {};
  const pick = <T>(flag: string, own: T, fromFile: T | undefined): T =>
    given.has(flag) || fromFile === undefined ? own : fromFile;
  const bytes = (quantity: string | undefined): number | undefined =>
    quantity === undefined ? undefined : Math.ceil(parseQuantity(quantity).toNumber());
  return {
    verbosity: pick('v', flags.verbosity, verbosity),
    format: pick('logging-format', flags.format, format),
    vmodule: flags.vmodule,
    flushFrequencyMs: pick('log-flush-frequency', flags.flushFrequencyMs, milliseconds(flushFrequency)),
    jsonSplitStream: pick('log-json-split-stream', flags.jsonSplitStream, json?.splitStream),
    jsonInfoBufferSize: pick('log-json-info-buffer-size', flags.jsonInfoBufferSize, bytes(json?.infoBufferSize)),
    textSplitStream: pick('log-text-split-stream', flags.textSplitStream, text?.splitStream),
    textInfoBufferSize: pick('log-text-info-buffer-size', flags.textInfoBufferSize, bytes(text?.infoBufferSize)),
  };
}

/** @param value a duration, or nanoseconds */
const milliseconds = (value: string | number | undefined): number | undefined =>
  typeof value === 'string' ? parseDuration(value) : value === undefined ? undefined : value / 1e6;
