import { describe, expect, test } from 'vitest';
import { defaultConfig, type NodeAgentConfig } from '../../node-agent/config/config.ts';
import type { NodeAgentSettings } from '../../node-agent/config/settings.ts';
import { agentFlags } from '../flags/node-agent/agent.ts';
import { parseFlags } from '../flags/parse.ts';
import { daemonOptionsOf } from './daemon-options.ts';

const optionsOf = (changes: Partial<NodeAgentConfig>, argv: readonly string[] = []) => {
  const { options, given } = parseFlags(agentFlags, [...argv]);
  const settings = { config: { ...defaultConfig, ...changes }, kubeconfig: '/k' } as NodeAgentSettings;
  return daemonOptionsOf(settings, options, given);
};

describe('What the configuration says of the process', () => {
  test.each<{ name: string; changes: Partial<NodeAgentConfig>; options: object }>([
    { name: 'kubeAPIQPS', changes: { kubeAPIQPS: 7 }, options: { client: { qps: 7 } } },
    { name: 'kubeAPIBurst', changes: { kubeAPIBurst: 8 }, options: { client: { burst: 8 } } },
    {
      name: 'contentType',
      changes: { contentType: 'application/json' },
      options: { client: { contentType: 'application/json' } },
    },
    {
      name: 'enableProfilingHandler',
      changes: { enableProfilingHandler: false },
      options: { debugging: { profiling: false } },
    },
    {
      name: 'enableContentionProfiling',
      changes: { enableContentionProfiling: true },
      options: { debugging: { contentionProfiling: true } },
    },
    {
      name: 'showHiddenMetricsForVersion',
      changes: { showHiddenMetricsForVersion: '1.31' },
      options: { metrics: { showHiddenMetricsForVersion: '1.31' } },
    },
    { name: 'logging.format', changes: { logging: { format: 'json' } }, options: { logs: { format: 'json' } } },
    { name: 'logging.verbosity', changes: { logging: { verbosity: 4 } }, options: { logs: { verbosity: 4 } } },
    {
      name: 'logging.flushFrequency as a duration',
      changes: { logging: { flushFrequency: '2s' } },
      options: { logs: { flushFrequencyMs: 2000 } },
    },
    {
      name: 'logging.flushFrequency in nanoseconds',
      changes: { logging: { flushFrequency: 3e9 } },
      options: { logs: { flushFrequencyMs: 3000 } },
    },
    {
      name: 'logging.options',
      changes: {
        logging: { options: { json: { splitStream: true, infoBufferSize: '1Ki' }, text: { splitStream: true } } },
      },
      options: { logs: { jsonSplitStream: true, jsonInfoBufferSize: 1024, textSplitStream: true } },
    },
  ])('The field $name arrives at the daemon', ({ changes, options }) => {
    expect(optionsOf(changes)).toMatchObject(options);
    expect(optionsOf({})).not.toMatchObject(options);
  });

  test('A flag of the log goes over the document', () => {
    expect(optionsOf({ logging: { verbosity: 4 } }, ['--v=2']).logs.verbosity).toBe(2);
  });
});
