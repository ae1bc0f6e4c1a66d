/**
 * `EgressSelectorConfiguration`: through which tunnels this server connects to others.
 * @see {@link https://kep.k8s.io/1281 | KEP-1281: network proxy}
 */
import { decodeStrictDocument } from '../../machinery/codec/strict-document.ts';
import {
  configurationType,
  type Connection,
  egressCodecs,
  type EgressSelectorConfiguration,
} from './document-types.ts';
import { egressErrors } from './validation.ts';
import { aggregateText } from '../../machinery/field-error.ts';

/** Nodes, services of the cluster; webhooks outside of it; etcd. */
export type EgressName = 'cluster' | 'controlplane' | 'etcd';

/** By what a tunnel is reached. Paths of PEM files are read for each connection, so that renewed files count. */
export type Tunnel =
  | { readonly protocol: 'http_connect'; readonly transport: 'uds'; readonly path: string }
  | { readonly protocol: 'http_connect'; readonly transport: 'tcp'; readonly url: string; readonly tls?: TunnelTls }
  | { readonly protocol: 'grpc'; readonly transport: 'uds'; readonly path: string };

export interface TunnelTls {
  /** The authorities of the system where it is absent. */
  readonly caFile?: string;
  readonly certFile: string;
  readonly keyFile: string;
}

/** Plain values. What is absent is connected to directly. */
export type EgressConfiguration = Readonly<Partial<Record<EgressName, Tunnel>>>;

const kinds = [
  {
    kind: 'EgressSelectorConfiguration',
    apiVersions: ['apiserver.k8s.io/v1beta1', 'apiserver.k8s.io/v1alpha1'],
    typeId: configurationType,
  },
];

/** Throws an Error with upstream's message, without the file. */
export function readEgressConfiguration(text: string): EgressConfiguration {
  const { egressSelections: selections = [] } = decode(text);
  const named = selections.map((selection) => ({ ...selection, name: egressNameOf(selection.name ?? '') }));
  const errors = egressErrors(named);
  if (errors.length > 0) throw new Error(`failed to validate egress selector configuration: ${aggregateText(errors)}`);
  return Object.fromEntries(
    named.flatMap(({ name, connection }) => {
      const tunnel = tunnelOf(connection!);
      return tunnel === undefined ? [] : [[name, tunnel]];
    }),
  );
}

function decode(text: string): EgressSelectorConfiguration {
  try {
    return decodeStrictDocument(text, kinds, egressCodecs);
  } catch (error) {
    throw new Error(`failed to read egress selector config: ${(error as Error).message}`, { cause: error });
  }
}

/** Names of earlier versions, and of our specification, stand for those of today. */
function egressNameOf(name: string): string {
  const canonical = name.toLowerCase();
  return { master: 'controlplane', store: 'etcd' }[canonical] ?? canonical;
}

/** Undefined for `Direct`. The connection has been judged. */
function tunnelOf({ proxyProtocol, transport = {} }: Connection): Tunnel | undefined {
  const { tcp, uds } = transport;
  if (proxyProtocol === 'Direct') return undefined;
  if (proxyProtocol === 'GRPC') return { protocol: 'grpc', transport: 'uds', path: uds!.udsName! };
  if (uds !== undefined) return { protocol: 'http_connect', transport: 'uds', path: uds.udsName! };
  const { url = '', tlsConfig } = tcp!;
  if (tlsConfig === undefined) return { protocol: 'http_connect', transport: 'tcp', url };
  const { caBundle = '', clientCert = '', clientKey = '' } = tlsConfig;
  const tls = { certFile: clientCert, keyFile: clientKey, ...(caBundle === '' ? {} : { caFile: caBundle }) };
  return { protocol: 'http_connect', transport: 'tcp', url, tls };
}
