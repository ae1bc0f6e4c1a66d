import { describe, expect, test } from 'vitest';
import { readTracingConfiguration } from './configuration.ts';

const head = 'apiVersion: apiserver.config.k8s.io/v1beta1\nkind: TracingConfiguration\n';
const local = { host: 'localhost', port: 4317 };

describe('a TracingConfiguration', () => {
  test.each([
    { text: head, collector: local, samplingRatePerMillion: 0 },
    { text: head.replace('k8s.io/v1beta1', 'orch.io/v1'), collector: local, samplingRatePerMillion: 0 },
    {
      text: `${head}samplingRatePerMillion: 1000000\nendpoint: collector.example:1\n`,
      collector: { host: 'collector.example', port: 1 },
      samplingRatePerMillion: 1_000_000,
    },
    {
      text: `${head}endpoint: dns:///[fd00::1]:4317\n`,
      collector: { host: 'fd00::1', port: 4317 },
      samplingRatePerMillion: 0,
    },
    { text: `${head}endpoint: unix:///run/c.sock\n`, collector: { path: '/run/c.sock' }, samplingRatePerMillion: 0 },
    { text: `${head}endpoint: unix-abstract://c\n`, collector: { path: '@c' }, samplingRatePerMillion: 0 },
  ])('A TracingConfiguration is read: $text', ({ text, ...expected }) => {
    expect(readTracingConfiguration(text)).toEqual(expected);
  });

  const unread = 'failed to read tracing config: unable to decode tracing configuration data: ';
  const wrong = 'failed to validate tracing configuration: ';
  test.each([
    {
      text: 'nonsense',
      message:
        `${unread}couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value of type ` +
        'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }',
    },
    {
      text: 'apiVersion: apiserver.config.k8s.io/v1beta1\nkind: Other\n',
      message:
        `${unread}no kind "Other" is registered for version "apiserver.config.k8s.io/v1beta1" in scheme ` +
        '"pkg/server/options/tracing.go:49"',
    },
    { text: `${head}rate: 1\n`, message: `${unread}strict decoding error: unknown field "rate"` },
    { text: `${head}endpoint: 1\n`, message: `${unread}endpoint must be a string` },
    {
      text: `${head}samplingRatePerMillion: 0.5\n`,
      message: `${unread}samplingRatePerMillion must be an integer of 32 bits`,
    },
    {
      text: `${head}samplingRatePerMillion: -1\n`,
      message: `${wrong}samplingRatePerMillion: Invalid value: -1: sampling rate must be positive`,
    },
    {
      text: `${head}samplingRatePerMillion: 1000001\n`,
      message:
        `${wrong}samplingRatePerMillion: Invalid value: 1000001: sampling rate per million must be less than or ` +
        'equal to one million',
    },
    {
      text: `${head}endpoint: 'ftp://x:1'\n`,
      message:
        `${wrong}endpoint: Invalid value: "ftp://x:1": unsupported scheme: ftp.  Options are none, dns, unix, or ` +
        'unix-abstract.  See https://github.com/grpc/grpc/blob/master/doc/naming.md',
    },
    { text: `${head}endpoint: 'a b:c'\n`, message: `${wrong}endpoint: Invalid value: "a b:c": must be of the form` },
  ])('A TracingConfiguration is refused: $text', ({ text, message }) => {
    expect(() => readTracingConfiguration(text)).toThrow(message);
  });
});
