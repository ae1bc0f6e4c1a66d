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

test('Each field without its effect is refused by its name', () => {
  const changed = (value: unknown): unknown => {
    if (typeof value === 'boolean') return !value;
    if (typeof value === 'number') return value + 1;
    if (typeof value === 'string') return `${value}x`;
    return Array.isArray(value) ? [{}] : { x: 'y' };
  };
  const unsupported = [...fieldsByName].filter(([, { support }]) => support === 'unsupported');
  const told = unsupported.map(([name, field]) => problemsOf({ [name]: changed(field.default) })[0]);
  expect(told).toEqual(unsupported.map(([name]) => `${name}: Forbidden: is not supported by this version yet`));
});
