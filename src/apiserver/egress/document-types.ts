/**
 * The types of `EgressSelectorConfiguration` as schemas for the JSON decoder.
 * @see {@link https://kubernetes.io/docs/tasks/extend-kubernetes/setup-konnectivity/ | Konnectivity service}
 */
import { createCodecs } from '../../machinery/codec/index.ts';
import type { Field } from '../../machinery/schema.ts';

const field = (json: string, type: string, more: Partial<Field> = {}): Field => ({
  json,
  name: json.charAt(0).toUpperCase() + json.slice(1),
  type,
  omitempty: true,
  ...more,
});
const pointer = { pointer: true };
const texts = (...names: readonly string[]): readonly Field[] => names.map((name) => field(name, 'string'));

export const configurationType = 'egress.EgressSelectorConfiguration';

const fieldsOf: Readonly<Record<string, readonly Field[]>> = {
  [configurationType]: [field('egressSelections', 'egress.EgressSelection', { repeated: true })],
  'egress.EgressSelection': [...texts('name'), field('connection', 'egress.Connection')],
  'egress.Connection': [...texts('proxyProtocol'), field('transport', 'egress.Transport', pointer)],
  'egress.Transport': [field('tcp', 'egress.TCPTransport', pointer), field('uds', 'egress.UDSTransport', pointer)],
  'egress.TCPTransport': [...texts('url'), field('tlsConfig', 'egress.TLSConfig', pointer)],
  'egress.UDSTransport': texts('udsName'),
  'egress.TLSConfig': texts('caBundle', 'clientKey', 'clientCert'),
};

export const egressCodecs = createCodecs({
  packages: [],
  typesOf: () => [],
  type: (id) => ({ id, fields: fieldsOf[id]!, noProto: true, ...(id === configurationType ? { kind: true } : {}) }),
  ofKind: () => undefined,
});

export interface EgressSelectorConfiguration {
  readonly egressSelections?: readonly EgressSelection[];
}

export interface EgressSelection {
  readonly name?: string;
  readonly connection?: Connection;
}

export interface Connection {
  readonly proxyProtocol?: string;
  readonly transport?: {
    readonly tcp?: TcpTransport;
    readonly uds?: { readonly udsName?: string };
  };
}

export interface TcpTransport {
  readonly url?: string;
  readonly tlsConfig?: { readonly caBundle?: string; readonly clientKey?: string; readonly clientCert?: string };
}
