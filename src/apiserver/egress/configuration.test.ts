import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { hasShared, sharedPath } from '../../../test/support/shared.ts';
import { readEgressConfiguration } from './configuration.ts';

const document = (selections: string, apiVersion = 'apiserver.k8s.io/v1beta1'): string =>
  `apiVersion: ${apiVersion}\nkind: EgressSelectorConfiguration\negressSelections:\n${selections}\n`;
const here = import.meta.filename;

test.each([
  {
    name: 'of each kind',
    text: document(`
- {name: cluster, connection: {proxyProtocol: GRPC, transport: {uds: {udsName: /run/tunnel.sock}}}}
- {name: controlplane, connection: {proxyProtocol: Direct}}
- name: etcd
  connection:
    proxyProtocol: HTTPConnect
    transport:
      tcp: {url: 'https://proxy:8131', tlsConfig: {caBundle: ${here}, clientCert: ${here}, clientKey: ${here}}}
`),
    tunnels: {
      cluster: { protocol: 'grpc', transport: 'uds', path: '/run/tunnel.sock' },
      etcd: {
        protocol: 'http_connect',
        transport: 'tcp',
        url: 'https://proxy:8131',
        tls: { caFile: here, certFile: here, keyFile: here },
      },
    },
  },
  {
    name: 'by names of other versions and of our specification',
    text: document(
      `- {name: Master, connection: {proxyProtocol: HTTPConnect, transport: {uds: {udsName: a}}}}
- {name: store, connection: {proxyProtocol: HTTPConnect, transport: {tcp: {url: 'http://proxy'}}}}`,
      'apiserver.orch.io/v1alpha1',
    ),
    tunnels: {
      controlplane: { protocol: 'http_connect', transport: 'uds', path: 'a' },
      etcd: { protocol: 'http_connect', transport: 'tcp', url: 'http://proxy' },
    },
  },
  { name: 'that are none', text: document('  []'), tunnels: {} },
])('A configuration is read with tunnels $name', ({ text, tunnels }) => {
  expect(readEgressConfiguration(text)).toEqual(tunnels);
});

const invalid = 'failed to validate egress selector configuration: service.connection';
const one = (connection: string): string => document(`- {name: cluster, connection: {${connection}}}`);

test.each([
  {
    name: 'an unknown field',
    text: one('proxyProtocol: Direct, proxy: x'),
    message:
      'failed to read egress selector config: strict decoding error: unknown field ' +
      '"egressSelections[0].connection.proxy"',
  },
  {
    name: 'a field twice',
    text: `${one('proxyProtocol: Direct')}kind: EgressSelectorConfiguration\n`,
    message: /strict decoding error: .*\n.*key "kind" already set in map/,
  },
  {
    name: 'another kind',
    text: 'apiVersion: apiserver.k8s.io/v1beta1\nkind: Other\n',
    message:
      'failed to read egress selector config: no kind "Other" is registered for version "apiserver.k8s.io/v1beta1"',
  },
  {
    name: 'no protocol',
    text: one('transport: {}'),
    message: `${invalid}.protocol: Unsupported value: "": supported values: "Direct", "HTTPConnect", "GRPC"`,
  },
  {
    name: 'two transports',
    text: one("proxyProtocol: HTTPConnect, transport: {tcp: {url: 'http://x'}, uds: {udsName: a}}"),
    message: `${invalid}.tcp: Invalid value: {"url":"http://x"}: TCP and UDS cannot both be set`,
  },
  {
    name: 'an empty transport',
    text: one('proxyProtocol: HTTPConnect, transport: {}'),
    message: `${invalid}.tcp: Required value: One of TCP or UDS must be set`,
  },
  {
    name: 'gRPC without a transport',
    text: one('proxyProtocol: GRPC'),
    message: `${invalid}.transport: Required value: transport must be set for GRPC`,
  },
  {
    name: 'a socket without a name',
    text: one('proxyProtocol: GRPC, transport: {uds: {}}'),
    message: `${invalid}.udsName: Invalid value: "nil": UDSName should be present for UDS connections`,
  },
  {
    name: 'another scheme',
    text: one("proxyProtocol: HTTPConnect, transport: {tcp: {url: 'socks5://x'}}"),
    message: `${invalid}.url: Invalid value: "socks5://x": supported connection protocols are http:// and https://`,
  },
  {
    name: 'a URL without a host',
    text: one("proxyProtocol: HTTPConnect, transport: {tcp: {url: 'http://'}}"),
    message: `${invalid}.url: Invalid value: "http://": must be a URL with a host`,
  },
  {
    name: 'files that do not exist',
    text: one(
      "proxyProtocol: HTTPConnect, transport: {tcp: {url: 'https://x', " +
        'tlsConfig: {caBundle: /no/ca, clientCert: /no/c}}}',
    ),
    message:
      'failed to validate egress selector configuration: [' +
      'service.connection.tlsConfig.caBundle: Invalid value: "/no/ca": TLS config ca bundle does not exist, ' +
      'service.connection.tlsConfig.clientCert: Invalid value: "/no/c": TLS client cert does not exist, ' +
      'service.connection.tlsConfig.clientKey: Invalid value: "nil": Using TLS requires clientKey]',
  },
])('A configuration is refused with $name', ({ text, message }) => {
  expect(() => readEgressConfiguration(text)).toThrow(message);
});

interface RecordedStart {
  readonly id: string;
  readonly server: { readonly files?: Readonly<Record<string, string>> };
  readonly start?: { readonly message: readonly string[] };
}

describe.skipIf(!hasShared('golden', 'server-options.jsonl'))(
  'recorded refusals of configurations (skipped where the recordings are absent)',
  () => {
    const recorded = hasShared('golden', 'server-options.jsonl')
      ? readFileSync(sharedPath('golden', 'server-options.jsonl'), 'utf8')
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line) as RecordedStart)
          .filter(({ server }) => server.files?.['egress.yaml'] !== undefined)
      : [];
    test.each(recorded)('The recorded configuration $id is refused in the same words', ({ server, start }) => {
      expect(() => readEgressConfiguration(server.files!['egress.yaml']!)).toThrow(start!.message[0]);
    });
  },
);
