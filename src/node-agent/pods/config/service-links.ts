/**
 * The environment that services give to containers.
 * @see {@link https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables | Service:
 *   environment variables}
 */
import type { Service } from '../../../api/gen/types/core-v1.ts';

/** Of `default/kubernetes`, and with links of all services of the namespace that have an address. */
export function serviceVariables(
  services: Iterable<Service>,
  { namespace, hasLinks }: { readonly namespace: string; readonly hasLinks: boolean },
): Map<string, string> {
  const variables = new Map<string, string>();
  const sorted = [...services].sort((a, b) => Number(isApiServer(b)) - Number(isApiServer(a)));
  for (const service of sorted) {
    const isLinked = isApiServer(service) || (hasLinks && service.metadata.namespace === namespace);
    if (isLinked && hasAddress(service)) addVariables(variables, service);
  }
  return variables;
}

const isApiServer = ({ metadata }: Service): boolean =>
  metadata.namespace === 'default' && metadata.name === 'kubernetes';

const hasAddress = ({ spec }: Service): boolean =>
  spec.clusterIP !== undefined && spec.clusterIP !== '' && spec.clusterIP !== 'None';

function addVariables(variables: Map<string, string>, { metadata, spec }: Service): void {
  const prefix = variableName(metadata.name ?? '');
  const ip = spec.clusterIP!;
  const host = ip.includes(':') ? `[${ip}]` : ip;
  const ports = spec.ports ?? [];
  variables.set(`${prefix}_SERVICE_HOST`, ip);
  if (ports[0] === undefined) return;
  variables.set(`${prefix}_SERVICE_PORT`, String(ports[0].port ?? 0));
  for (const { name = '', port = 0 } of ports)
    if (name !== '') variables.set(`${prefix}_SERVICE_PORT_${variableName(name)}`, String(port));
  for (const [index, { port = 0, protocol = 'TCP' }] of ports.entries()) {
    const url = `${protocol.toLowerCase()}://${host}:${port}`;
    if (index === 0) variables.set(`${prefix}_PORT`, url);
    const portPrefix = `${prefix}_PORT_${port}_${protocol.toUpperCase()}`;
    variables.set(portPrefix, url);
    variables.set(`${portPrefix}_PROTO`, protocol.toLowerCase());
    variables.set(`${portPrefix}_PORT`, String(port));
    variables.set(`${portPrefix}_ADDR`, ip);
  }
}

const variableName = (name: string): string => name.replaceAll('-', '_').toUpperCase();
