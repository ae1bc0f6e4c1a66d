/**
 * Admission of connections: what a client asks for in the query is an object of its own kind, such as PodExecOptions.
 * It comes before anything else: also where there is no such pod.
 *
 * @NOTE differs from upstream: what a webhook changes in the options has no effect on the connection.
 */
import type { KubeObject } from '../../../machinery/object-meta.ts';
import { badRequest } from '../../../machinery/status.ts';
import type { ApiRequest } from '../../request/request.ts';
import { queryFlag } from '../../request/query.ts';
import type { ServedResource, SubresourceEndpoint } from '../../served/served-resource.ts';
import { attributesOf } from '../admit.ts';
import { type EndpointContext, writeRequest } from '../context.ts';
import { operationVersion } from './operation.ts';

type Handler = (served: ServedResource, request: ApiRequest) => ReturnType<NonNullable<Verbs[string]>>;
type Verbs = SubresourceEndpoint['verbs'];
type ReadParameter = (request: ApiRequest, name: string) => unknown;

const text: ReadParameter = ({ query }, name) => query.get(name) ?? '';
const texts: ReadParameter = ({ query }, name) => query.getAll(name);
const numbers: ReadParameter = ({ query }, name) => query.getAll(name).map(Number).filter(Number.isInteger);
const flag: ReadParameter = ({ query }, name) => query.has(name) && queryFlag(query.get(name));
/** What stands behind the name of the subresource, with the slash before it. */
const subpath: ReadParameter = ({ info, path }) => {
  const end = path.indexOf('/', path.indexOf(`/${info.resource}/`) + info.resource.length + 2);
  return path.slice(end + 1 + info.subresource.length);
};

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

/** The same verbs, with admission in front. Subresources that only read, such as logs, stay as they are. */
export function admitted(context: EndpointContext, kind: string, verbs: Verbs): Verbs {
  if (!(kind in parameters)) return verbs;
  const servedVersion = operationVersion(context, 'v1', kind);
  const behind =
    (handler: Handler): Handler =>
    async (served, request) => {
      if (request.query.has('dryRun')) throw badRequest('dryRun is not supported');
      const about = { ...served, servedVersion };
      const write = writeRequest(context, about, request, { kind: 'CreateOptions', dryRun: false, options: {} });
      const object = optionsOf(kind, request);
      const attributes = attributesOf(context, about, request, write, 'CONNECT', object, undefined);
      await context.admission.admit(attributes);
      await context.admission.validate(attributes);
      return handler(served, request);
    };
  return Object.fromEntries(
    Object.entries(verbs).flatMap(([verb, handler]) => (handler === undefined ? [] : [[verb, behind(handler)]])),
  );
}
