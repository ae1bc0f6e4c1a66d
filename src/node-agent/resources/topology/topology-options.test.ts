import { expect, test } from 'vitest';
import { parseCpuOptions } from '../cpu/cpu-options.ts';
import { checkNumaNodes, parseTopologyOptions } from './topology-options.ts';

interface Row {
  options: Record<string, string>;
  gates?: Record<string, boolean>;
  message: string;
}

const alpha = { CPUManagerPolicyAlphaOptions: true };

test.each<Row>([
  { options: { x: 'true' }, message: 'unknown CPU Manager Policy option: "x"' },
  {
    options: { 'full-pcpus-only': 'yes' },
    message: 'bad value for option "full-pcpus-only": strconv.ParseBool: parsing "yes": invalid syntax',
  },
  {
    options: { 'align-by-socket': 'true' },
    gates: {},
    message: 'CPU Manager Policy Alpha-level Options not enabled, but option "align-by-socket" provided',
  },
  {
    options: { 'full-pcpus-only': 'true' },
    gates: { CPUManagerPolicyBetaOptions: false },
    message: 'CPU Manager Policy Beta-level Options not enabled, but option "full-pcpus-only" provided',
  },
  {
    options: { 'full-pcpus-only': 'true', 'distribute-cpus-across-cores': '1' },
    message: 'static policy options full-pcpus-only and distribute-cpus-across-cores can not be used at the same time',
  },
])('Options of the CPU manager are refused: $message', ({ options, gates = alpha, message }) => {
  expect(() => parseCpuOptions(options, gates)).toThrow(message);
});

test('Options of the CPU manager that are set to false are off', () => {
  const options = { 'full-pcpus-only': 'false', 'distribute-cpus-across-cores': 'true' };
  expect(parseCpuOptions(options, alpha)).toMatchObject({ fullCores: false, spreadsOverCores: true });
});

test.each<Row>([
  { options: { x: 'true' }, message: 'unknown Topology Manager Policy option: "x"' },
  {
    options: { 'max-allowable-numa-nodes': 'many' },
    message: 'bad value for option "max-allowable-numa-nodes": strconv.Atoi: parsing "many": invalid syntax',
  },
  {
    options: { 'max-allowable-numa-nodes': '4' },
    message: 'the minimum value of "max-allowable-numa-nodes" should not be less than 8',
  },
  {
    options: { 'max-allowable-numa-nodes': '10' },
    gates: { TopologyManagerPolicyBetaOptions: false },
    message: 'Topology Manager Policy Beta-level Options not enabled, but option "max-allowable-numa-nodes" provided',
  },
])('Options of the topology manager are refused: $message', ({ options, gates = {}, message }) => {
  expect(() => parseTopologyOptions(options, gates)).toThrow(message);
});

test('More NUMA nodes than eight have to be allowed', () => {
  expect(() => checkNumaNodes(9, parseTopologyOptions({}, {}))).toThrow(
    'unsupported on machines with more than 8 NUMA Nodes',
  );
  checkNumaNodes(9, parseTopologyOptions({ 'max-allowable-numa-nodes': '9' }, {}));
});
