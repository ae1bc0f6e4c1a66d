import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../machinery/value.ts';
import { configWithoutFile, defaultConfig, type NodeAgentConfig } from './config.ts';
import { type ConfigSource, type ConfigSources, mergeConfig, sourceOf } from './merge.ts';

const source = (file: string, members: JsonObject): ConfigSource => ({ file, members });
const flagsOf = (values: Record<string, unknown>): ConfigSources['flags'] =>
  new Map(Object.entries(values).map(([name, value]) => [name, { value, written: `--${name}` }]));

const sources = (
  parts: Partial<Omit<ConfigSources, 'flags'>> & { flags?: Record<string, unknown> },
): ConfigSources => ({
  main: parts.main,
  dropIns: parts.dropIns ?? [],
  flags: flagsOf(parts.flags ?? {}),
});

describe('the sources of a configuration', () => {
  test.each<{ name: string; given: Parameters<typeof sources>[0]; expected: NodeAgentConfig }>([
    { name: 'without a file flags have the defaults of flags', given: {}, expected: configWithoutFile },
    { name: 'a file has the defaults of documents', given: { main: source('a', {}) }, expected: defaultConfig },
    {
      name: 'files of the folder go over the file, later ones over earlier ones',
      given: {
        main: source('a', { maxPods: 1, port: 11 }),
        dropIns: [source('10.conf', { maxPods: 2 }), source('20.conf', { maxPods: 3 })],
      },
      expected: { ...defaultConfig, maxPods: 3, port: 11 },
    },
    {
      name: 'lists are replaced and maps are merged',
      given: {
        main: source('a', { clusterDNS: ['1', '2'], systemReserved: { cpu: '1', memory: '1Gi' } }),
        dropIns: [source('10.conf', { clusterDNS: ['3'], systemReserved: { cpu: '2' } })],
      },
      expected: { ...defaultConfig, clusterDNS: ['3'], systemReserved: { cpu: '2', memory: '1Gi' } },
    },
    {
      name: 'thresholds of the folder go over those of the default',
      given: { main: source('a', {}), dropIns: [source('10.conf', { evictionHard: { 'memory.available': '1Gi' } })] },
      expected: { ...defaultConfig, evictionHard: { ...defaultConfig.evictionHard, 'memory.available': '1Gi' } },
    },
    {
      name: 'flags go over all files',
      given: {
        main: source('a', { maxPods: 1 }),
        dropIns: [source('10.conf', { maxPods: 2 })],
        flags: { maxPods: 4, 'authentication.anonymous.enabled': true },
      },
      expected: {
        ...defaultConfig,
        maxPods: 4,
        authentication: { ...defaultConfig.authentication, anonymous: { enabled: true } },
      },
    },
    {
      name: 'gates of flags go over those of files one by one',
      given: { main: source('a', { featureGates: { A: true, B: true } }), flags: { featureGates: { B: false } } },
      expected: { ...defaultConfig, featureGates: { A: true, B: false } },
    },
  ])('The sources of a configuration: $name', ({ given, expected }) => {
    expect(mergeConfig(sources(given))).toEqual(expected);
  });

  test.each([
    { name: 'a flag', flags: { maxPods: 1 }, expected: '--maxPods' },
    { name: 'the last file that says it', flags: {}, expected: '10.conf' },
  ])('The value of a field comes from $name', ({ flags, expected }) => {
    const given = sources({
      main: source('a', { maxPods: 1, port: 5 }),
      dropIns: [source('10.conf', { maxPods: 2 }), source('20.conf', {})],
      flags,
    });
    expect(sourceOf('maxPods', given)).toBe(expected);
    expect(sourceOf('port', given)).toBe('a');
    expect(sourceOf('address', given)).toBeUndefined();
  });
});
