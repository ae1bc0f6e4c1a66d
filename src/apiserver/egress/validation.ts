/** What is wrong with the connections of an EgressSelectorConfiguration, at upstream's paths. */
import { existsSync } from 'node:fs';
import { duplicate, type FieldError, invalid, notSupported, required } from '../../machinery/field-error.ts';
import { FieldPath } from '../../machinery/field-path.ts';
import { GoSyntax } from '../../machinery/go-quote.ts';
import type { Connection, EgressSelection, TcpTransport } from './document-types.ts';

const names = ['cluster', 'controlplane', 'etcd'];
const protocols = ['Direct', 'HTTPConnect', 'GRPC'];
/** Of every selection, whichever it is: upstream's paths name none. */
const path = FieldPath.of('service').child('connection');

export function egressErrors(selections: readonly EgressSelection[]): FieldError[] {
  const seen = new Set<string>();
  return [
    ...selections.flatMap(({ connection = {} }) => connectionErrors(connection)),
    ...selections.flatMap(({ name = '' }, i) => {
      if (seen.has(name)) return [duplicate(path.index(i), name)];
      seen.add(name);
      return names.includes(name) ? [] : [notSupported(path, name, names)];
    }),
  ];
}

function connectionErrors({ proxyProtocol = '', transport }: Connection): FieldError[] {
  switch (proxyProtocol) {
    case 'Direct':
      return transport === undefined
        ? []
        : [invalid(path.child('transport'), 'direct', 'Transport config should be absent for direct connect')];
    case 'HTTPConnect':
      return transport === undefined ? [absent(proxyProtocol)] : httpConnectErrors(transport);
    case 'GRPC':
      if (transport === undefined) return [absent(proxyProtocol)];
      return transport.uds === undefined
        ? [required(path.child('uds'), 'UDS must be set with GRPC')]
        : udsErrors(transport.uds);
    default:
      return [notSupported(path.child('protocol'), proxyProtocol, protocols)];
  }
}

const absent = (protocol: string): FieldError =>
  required(path.child('transport'), `transport must be set for ${protocol}`);

function httpConnectErrors({ tcp, uds }: NonNullable<Connection['transport']>): FieldError[] {
  if (tcp !== undefined && uds !== undefined)
    return [invalid(path.child('tcp'), new GoSyntax(JSON.stringify(tcp)), 'TCP and UDS cannot both be set')];
  if (tcp !== undefined) return tcpErrors(tcp);
  return uds === undefined ? [required(path.child('tcp'), 'One of TCP or UDS must be set')] : udsErrors(uds);
}

const udsErrors = ({ udsName = '' }: { readonly udsName?: string }): FieldError[] =>
  udsName === '' ? [invalid(path.child('udsName'), 'nil', 'UDSName should be present for UDS connections')] : [];

function tcpErrors({ url = '', tlsConfig }: TcpTransport): FieldError[] {
  const isSecure = url.startsWith('https://');
  if (!isSecure && !url.startsWith('http://'))
    return [invalid(path.child('url'), url, 'supported connection protocols are http:// and https://')];
  const unusable = URL.canParse(url) ? [] : [invalid(path.child('url'), url, 'must be a URL with a host')];
  const tls = path.child('tlsConfig');
  if (isSecure)
    return tlsConfig === undefined
      ? [...unusable, required(tls, 'TLSConfig must be present when using HTTPS')]
      : [...unusable, ...tlsErrors(tlsConfig)];
  return tlsConfig === undefined
    ? unusable
    : [...unusable, invalid(tls, 'nil', 'TLSConfig config should not be present when using HTTP')];
}

function tlsErrors({ caBundle = '', clientCert = '', clientKey = '' }: NonNullable<TcpTransport['tlsConfig']>) {
  const tls = path.child('tlsConfig');
  const fileErrors = (field: string, file: string, what: string, isNeeded: boolean): FieldError[] => {
    if (file === '') return isNeeded ? [invalid(tls.child(field), 'nil', `Using TLS requires ${field}`)] : [];
    return existsSync(file) ? [] : [invalid(tls.child(field), file, `TLS ${what} does not exist`)];
  };
  return [
    ...fileErrors('caBundle', caBundle, 'config ca bundle', false),
    ...fileErrors('clientCert', clientCert, 'client cert', true),
    ...fileErrors('clientKey', clientKey, 'client key', true),
  ];
}
