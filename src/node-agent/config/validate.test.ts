import { expect, test } from 'vitest';
import type { GateSettings } from '../../api/feature-gates.ts';
import { fieldErrorText } from '../../machinery/field-error.ts';
import { configWithoutFile, defaultConfig, fieldsByName, withValues } from './config.ts';
import { validateConfig } from './validate.ts';

const problemsOf = (changes: Readonly<Record<string, unknown>>, gates: GateSettings = {}): string[] =>
  validateConfig(withValues(defaultConfig, new Map(Object.entries(changes))), gates).map(({ error }) =>
    fieldErrorText(error),
  );

test('The defaults of documents and of flags are valid', () => {
  expect(validateConfig(defaultConfig, {})).toEqual([]);
  expect(validateConfig(configWithoutFile, {})).toEqual([]);
});

test.each<{ changes: Record<string, unknown>; message: string }>([
  { changes: { port: 65536 }, message: 'port: Invalid value: 65536: must be between 1 and 65535' },
  { changes: { maxPods: -1 }, message: 'maxPods: Invalid value: -1: must be at least 0' },
  { changes: { oomScoreAdj: 1001 }, message: 'oomScoreAdj: Invalid value: 1001: must be between -1000 and 1000' },
  { changes: { nodeStatusMaxImages: -2 }, message: 'nodeStatusMaxImages: Invalid value: -2: must be at least -1' },
  {
    changes: { 'authorization.mode': 'RBAC' },
    message: 'authorization.mode: Unsupported value: "RBAC": supported values: "AlwaysAllow", "Webhook"',
  },
  {
    changes: { systemReserved: { disk: '1' } },
    message: 'systemReserved: Invalid value: "disk": cannot reserve "disk" resource',
  },
  {
    changes: { kubeReserved: { cpu: 'much' } },
    message: 'kubeReserved: Invalid value: "much": cpu must be a quantity that is not negative',
  },
  {
    changes: { enforceNodeAllocatable: ['pods', 'none'] },
    message: 'enforceNodeAllocatable: Invalid value: "pods,none": must have none alone',
  },
  {
    changes: { enforceNodeAllocatable: ['pods'], cgroupsPerQOS: false },
    message: 'enforceNodeAllocatable: Invalid value: "pods": needs cgroupsPerQOS',
  },
  {
    changes: { enforceNodeAllocatable: ['kube-reserved'] },
    message: 'kubeReservedCgroup: Invalid value: "": must be set where enforceNodeAllocatable has kube-reserved',
  },
  {
    changes: {
      enforceNodeAllocatable: ['system-reserved', 'system-reserved-compressible'],
      systemReservedCgroup: '/system',
    },
    message:
      'enforceNodeAllocatable: Invalid value: "system-reserved,system-reserved-compressible": must not have both ' +
      'system-reserved and system-reserved-compressible',
  },
  {
    changes: { reservedSystemCPUs: '1', systemReservedCgroup: '/system' },
    message: 'reservedSystemCPUs: Invalid value: "1": can\'t be used with systemReservedCgroup',
  },
  {
    changes: { reservedSystemCPUs: '0-x' },
    message:
      'reservedSystemCPUs: Invalid value: "0-x": unable to parse reservedSystemCPUs (--reserved-cpus) 0-x, ' +
      'error: strconv.Atoi: parsing "x": invalid syntax',
  },
  {
    changes: { reservedMemory: [{ numaNode: 0, limits: { cpu: '1' } }] },
    message: 'reservedMemory: Invalid value: "cpu": must be memory or huge pages',
  },
  {
    changes: { reservedMemory: [{ numaNode: 0, limits: { memory: '0' } }] },
    message: 'reservedMemory: Invalid value: "0": memory must be a quantity greater than zero',
  },
  {
    changes: { evictionHard: { 'memory.free': '1' } },
    message: 'evictionHard: Invalid value: "memory.free": "memory.free" is no signal of eviction',
  },
  {
    changes: { evictionHard: { 'nodefs.available': '101%' } },
    message: 'evictionHard: Invalid value: "101%": nodefs.available: must be at most 100%',
  },
  {
    changes: { evictionSoftGracePeriod: { 'memory.available': 'soon' } },
    message: 'evictionSoftGracePeriod: Invalid value: "soon": memory.available must be a duration that is not negative',
  },
  {
    changes: { containerLogMaxSize: 'much' },
    message: 'containerLogMaxSize: Invalid value: "much": must be a quantity that is not negative',
  },
  {
    changes: { tlsCertFile: '/a' },
    message: 'tlsPrivateKeyFile: Invalid value: "": must be set where the other one is',
  },
  {
    changes: { registerWithTaints: [{ key: 'a', effect: 'Never' }] },
    message: 'registerWithTaints: Invalid value: "Never": effect must be NoSchedule, PreferNoSchedule or NoExecute',
  },
])('A configuration is refused with $changes', ({ changes, message }) => {
  expect(problemsOf(changes)).toEqual([message]);
});

test('Values that need a feature gate are refused without it', () => {
  const changes = { serverTLSBootstrap: true };
  expect(problemsOf(changes)).toEqual([]);
  expect(problemsOf(changes, { RotateKubeletServerCertificate: false })).toEqual([
    'serverTLSBootstrap: Forbidden: needs feature gate RotateKubeletServerCertificate',
  ]);
});

test.each([
  { qosReserved: { cpu: '10%' }, message: 'qosReserved: Invalid value: "cpu": must be of memory' },
  {
    qosReserved: { memory: '101%' },
    message: 'qosReserved: Invalid value: "101%": must be a percentage from 0% to 100%',
  },
])('Reservations for classes of pods are refused with $qosReserved', ({ qosReserved, message }) => {
  expect(problemsOf({ qosReserved }, { QOSReserved: true })).toEqual([message]);
});

test.each(
  [...fieldsByName].filter(([, { support }]) => support === 'ignored').map(([name, field]) => ({ name, field })),
)('The field $name, of which this runtime has nothing, is accepted', ({ name, field }) => {
  const other = field.oneOf?.[1] ?? (field.default as number) + 1;
  expect(problemsOf({ [name]: other })).toEqual([]);
});
