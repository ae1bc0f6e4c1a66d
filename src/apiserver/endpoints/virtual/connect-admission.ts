/**
 * Admission of connections: what a client asks for in the query is an object of its own kind, such as PodExecOptions.
 * It comes before anything else: also where there is no such pod.
 */
import type { KubeObject } from '../../../machinery/object-meta.ts';
import { badRequest } from '../../../machinery/status.ts';
import type { ApiRequest } from '../../request/request.ts';
import { queryFlag } from '../../request/query.ts';
import { subresourcePath } from '../../request/subresource-path.ts';
import type { ConnectHandler, SubresourceEndpoint } from '../../served/served-resource.ts';
import { attributesOf } from '../admit.ts';
import { type EndpointContext, writeRequest } from '../context.ts';
import { operationVersion } from './operation.ts';

type ReadParameter = (request: ApiRequest, name: string) => unknown;

const text: ReadParameter = ({ query }, name) => query.get(name) ?? '';
const texts: ReadParameter = ({ query }, name) => query.getAll(name);
const numbers: ReadParameter = ({ query }, name) => query.getAll(name).map(Number).filter(Number.isInteger);
const flag: ReadParameter = ({ query }, name) => query.has(name) && queryFlag(query.get(name));
/** What stands behind the name of the subresource, with the slash before it. */
const subpath: ReadParameter = ({ info, path }) => subresourcePath(info, path)[1];

const streams = { stdin: flag, stdout: flag, stderr: flag, tty: flag, container: text };

const parameters: Readonly<Record<string, Readonly<Record<string, ReadParameter>>>> = {
  PodExecOptions: { ...streams, command: texts },
  PodAttachOptions: streams,
  PodPortForwardOptions: { ports: numbers },
  PodProxyOptions: { path: subpath },
  ServiceProxyOptions: { path: subpath },
  NodeProxyOptions: { path: subpath },
};

const isSet = (value: unknown): boolean => (Array.isArray(value) ? value.length > 0 : value !== '' && value !== false);

function optionsOf(kind: string, request: ApiRequest): KubeObject {
  const read = Object.entries(parameters[kind]!).map(([name, of]) => [name, of(request, name)] as const);
  return Object.fromEntries(read.filter(([, value]) => isSet(value)));
}

/** For every verb that the resource table allows, with admission in front where there is something to admit. */
export function admitted(
  context: EndpointContext,
  kind: string,
  connect: ConnectHandler,
): SubresourceEndpoint['verbs'] {
  const handler: Handler =
    kind in parameters ? behind(context, kind, connect) : (served, request) => connect(served, request, {});
  return { get: handler, create: handler, update: handler, patch: handler, delete: handler };
}

type Handler = NonNullable<SubresourceEndpoint['verbs'][string]>;

function behind(context: EndpointContext, kind: string, connect: ConnectHandler): Handler {
  const servedVersion = operationVersion(context, 'v1', kind);
  return async (served, request) => {
    // There is no going somewhere as if.
    if (request.query.has('dryRun')) throw badRequest('dryRun is not supported');
    const about = { ...served, servedVersion };
    const write = writeRequest(context, about, request, { kind: 'CreateOptions', dryRun: false, options: {} });
    const options = optionsOf(kind, request);
    const attributes = attributesOf(context, about, request, write, 'CONNECT', options, undefined);
    await context.admission.admit(attributes);
    await context.admission.validate(attributes);
    return connect(served, request, options);
  };
}
