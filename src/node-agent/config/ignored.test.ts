import { expect, test } from 'vitest';
import { defaultConfig, type NodeAgentConfig } from './config.ts';
import { ignoredFields } from './ignored.ts';

test.each<{ name: string; changes: Partial<NodeAgentConfig>; told: string[] }>([
  { name: 'defaults', changes: {}, told: [] },
  { name: 'a field with an effect', changes: { maxPods: 5 }, told: [] },
  { name: 'the network of a bridge', changes: { hairpinMode: 'hairpin-veth' }, told: ['hairpinMode'] },
  {
    name: 'marks of packets',
    changes: { iptablesDropBit: 1, iptablesMasqueradeBit: 2 },
    told: ['iptablesMasqueradeBit', 'iptablesDropBit'],
  },
  {
    name: 'verbosity by source files',
    changes: { logging: { vmodule: [{ filePattern: 'a', verbosity: 1 }] } },
    told: ['logging.vmodule'],
  },
])('Of $name the fields $told are told to have no effect', ({ changes, told }) => {
  expect(ignoredFields({ ...defaultConfig, ...changes })).toEqual(told);
});
