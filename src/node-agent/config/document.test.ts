import { describe, expect, test } from 'vitest';
import { configOf, defaultConfig, fieldsByName, type NodeAgentConfig } from './config.ts';
import { configFrom, formatConfig, readDocument } from './document.ts';

const head = { apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration' };
const read = (members: object): NodeAgentConfig =>
  configFrom(readDocument(JSON.stringify({ ...head, ...members }), (path) => `/etc/agent/${path}`));

describe('the fields of a node agent configuration', () => {
  test('Each field has a help that is a sentence', () => {
    expect([...fieldsByName].filter(([, { help }]) => !/^[A-Za-z-].*\.$/.test(help)).map(([name]) => name)).toEqual([]);
  });

  test('No two fields have the same flag', () => {
    const flags = [...fieldsByName.values()].flatMap(({ flag }) => (flag === undefined ? [] : [flag]));
    expect(flags.filter((flag, index) => flags.indexOf(flag) !== index)).toEqual([]);
  });

  test('A configuration of the defaults is the one that is read from a document without fields', () => {
    expect(read({})).toEqual(defaultConfig);
    expect(configOf((field) => field.default)).toEqual(defaultConfig);
  });
});

describe('a NodeAgentConfiguration document', () => {
  test.each([
    ['kubelet.config.k8s.io/v1beta1', 'KubeletConfiguration'],
    ['nodeagent.config.orch.io/v1beta1', 'NodeAgentConfiguration'],
  ])('A document of %s %s is read', (apiVersion, kind) => {
    const members = readDocument(JSON.stringify({ apiVersion, kind, maxPods: 7 }), (path) => path);
    expect(configFrom(members).maxPods).toBe(7);
  });

  test.each([
    { name: 'no type', text: '{}', message: '[apiVersion: Required value, kind: Required value]' },
    {
      name: 'a mix of both spellings',
      text: 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: NodeAgentConfiguration',
      message: 'apiVersion: Unsupported value: "kubelet.config.k8s.io/v1beta1"',
    },
    { name: 'an unknown field', members: { maxPod: 1 }, message: 'maxPod: Forbidden: unknown field' },
    {
      name: 'an unknown field further down',
      members: { authentication: { x509: { ca: 'x' } } },
      message: 'authentication.x509.ca: Forbidden: unknown field',
    },
    {
      name: 'a number in place of a text',
      members: { evictionHard: { 'memory.available': 100 } },
      message: 'evictionHard[memory.available]: Invalid value: "100": must be a string',
    },
    {
      name: 'a number in place of a duration',
      members: { syncFrequency: 5 },
      message: 'syncFrequency: Invalid value: "5": must be a duration, such as 15s',
    },
    {
      name: 'a field twice',
      text: 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nport: 1\nport: 2',
      message: 'key "port" already set in map',
    },
  ])('A document with $name is refused', ({ text, members, message }) => {
    const given = text ?? JSON.stringify({ ...head, ...members });
    expect(() => readDocument(given, (path) => path)).toThrow(message);
  });

  test('Relative paths are those of the folder of the document', () => {
    const config = read({
      staticPodPath: 'static',
      authentication: { x509: { clientCAFile: 'ca.crt' } },
      resolvConf: '',
      clusterDomain: 'cluster.local',
    });
    expect(config.staticPodPath).toBe('/etc/agent/static');
    expect(config.authentication.x509.clientCAFile).toBe('/etc/agent/ca.crt');
    expect(config.resolvConf).toBe('');
    expect(config.clusterDomain).toBe('cluster.local');
  });

  test.each<{ name: string; members: object; expected: Partial<NodeAgentConfig> }>([
    { name: 'durations are milliseconds', members: { syncFrequency: '1m30s' }, expected: { syncFrequency: 90_000 } },
    {
      name: 'a zero is as if it were left out',
      members: { maxPods: 0, syncFrequency: '0s' },
      expected: { maxPods: 110, syncFrequency: 60_000 },
    },
    {
      name: 'a zero that means something stays',
      members: { healthzPort: 0, eventRecordQPS: 0 },
      expected: { healthzPort: 0, eventRecordQPS: 0 },
    },
    { name: 'null is as if it were left out', members: { maxPods: null }, expected: { maxPods: 110 } },
    {
      name: 'thresholds replace those of the default',
      members: { evictionHard: { 'memory.available': '1Gi' } },
      expected: { evictionHard: { 'memory.available': '1Gi' } },
    },
    { name: 'thresholds may be none', members: { evictionHard: {} }, expected: { evictionHard: {} } },
    {
      name: 'the status is reported as often as it is updated',
      members: { nodeStatusUpdateFrequency: '5s' },
      expected: { nodeStatusUpdateFrequency: 5000, nodeStatusReportFrequency: 5000 },
    },
    {
      name: 'the frequency of reports may be another one',
      members: { nodeStatusUpdateFrequency: '5s', nodeStatusReportFrequency: '1m' },
      expected: { nodeStatusUpdateFrequency: 5000, nodeStatusReportFrequency: 60_000 },
    },
    {
      name: 'parallel pulls are not serial',
      members: { maxParallelImagePulls: 3 },
      expected: { maxParallelImagePulls: 3, serializeImagePulls: false },
    },
  ])('What a document says: $name', ({ members, expected }) => {
    expect(read(members)).toEqual({ ...defaultConfig, ...expected });
  });

  test('A configuration that is shown is the same when it is read again', () => {
    const config = read({ maxPods: 7, authentication: { anonymous: { enabled: true } }, clusterDNS: ['10.0.0.10'] });
    expect(configFrom(formatConfig(config))).toEqual(config);
  });

  test('What is shown of a configuration leaves out what is empty', () => {
    const shown = formatConfig(defaultConfig);
    expect(shown).toMatchObject({
      syncFrequency: '1m0s',
      imageMaximumGCAge: '0s',
      failCgroupV1: false,
      memorySwap: {},
    });
    for (const name of ['readOnlyPort', 'rotateCertificates', 'clusterDNS', 'staticPodPath', 'tracing'])
      expect(shown).not.toHaveProperty(name);
  });
});
