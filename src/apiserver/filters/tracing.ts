/**
 * Spans of requests, under upstream's names: one for the whole request, one for the verb. Neither is made, and these
 * functions are not called, where nothing is traced.
 */
import { currentSpan, inChildSpan, runInSpan, type SpanAttributes } from '../../base/span.ts';
import type { ApiResponse } from '../../server/exchange.ts';
import type { Tracer } from '../../server/tracing/tracer.ts';
import { requestUriOf } from '../audit/redaction.ts';
import { sourceAddresses } from '../audit/source-addresses.ts';
import { scopeLabel, verbLabel } from '../metrics/request-labels.ts';
import type { ApiRequest, Filter, Handler } from '../request/request.ts';
import type { RequestInfo } from '../request/request-info.ts';

/** `GET /api/v1/namespaces/{:namespace}/pods/{:name}`: names of objects are in no name of a span. */
function spanName({ method, info }: ApiRequest): string {
  if (!info.isResourceRequest) return method;
  return `${method} ${pathPattern(info)}`;
}

const pathPattern = ({ group, version, namespace, resource, name, subresource }: RequestInfo): string =>
  (group === '' ? '/api' : `/apis/${group}`) +
  `/${version}` +
  (namespace === '' ? '' : '/namespaces/{:namespace}') +
  `/${resource}` +
  (name === '' ? '' : '/{:name}') +
  (subresource === '' ? '' : `/${subresource}`);

/** Outside of all other steps. */
export function traceRequests(tracer: Tracer): Filter {
  return async (request, next) => {
    const { exchange, method, auditId } = request;
    const span = tracer.begin({
      name: spanName(request),
      traceparent: exchange.header('traceparent'),
      attributes: {
        'http.method': method,
        'http.scheme': 'https',
        ...hostOf(exchange.header('host') ?? ''),
        'http.target': requestUriOf(exchange.target),
        'user_agent.original': exchange.header('user-agent') ?? '',
        'net.protocol.version': exchange.httpVersion,
        'net.sock.peer.addr': exchange.remoteAddress,
        'audit-id': auditId,
      },
    });
    if (span === undefined) return next();
    try {
      const response = await runInSpan(span, next);
      span.set({
        'http.status_code': response.status,
        ...('body' in response && response.body !== undefined ? { 'http.wrote_bytes': response.body.length } : {}),
      });
      if (response.status >= 500) span.fail(`HTTP status ${response.status}`);
      if ('stream' in response) exchange.onClose(() => span.end());
      else span.end();
      return response;
    } catch (error) {
      span.fail(error);
      span.end();
      throw error;
    }
  };
}

/** From the header `Host`, which clients choose. */
function hostOf(host: string): SpanAttributes {
  const [, name = '', port] = /^(.*?)(?::(\d{1,5}))?$/s.exec(host)!;
  return { 'net.host.name': name, ...(port === undefined ? {} : { 'net.host.port': Number(port) }) };
}

const verbs: Readonly<Record<string, string>> = {
  create: 'Create',
  delete: 'Delete',
  deletecollection: 'Delete',
  get: 'Get',
  list: 'List',
  patch: 'Patch',
  update: 'Update',
  // Upstream lists and watches by one handler.
  watch: 'List',
};

/** Around what answers requests for resources. */
export const traceVerbs =
  (resources: Handler): Handler =>
  (request): Promise<ApiResponse> => {
    const parent = currentSpan();
    const { info, auditId, exchange } = request;
    const spanName = Object.hasOwn(verbs, info.verb) ? verbs[info.verb] : undefined;
    if (parent === undefined || spanName === undefined) return resources(request);
    return inChildSpan(parent, spanName, () => resources(request), {
      accept: exchange.header('accept') ?? '',
      'audit-id': auditId,
      client: sourceAddresses(exchange).addresses[0] ?? '',
      'api-group': info.group,
      'api-version': info.version,
      name: info.name,
      subresource: info.subresource,
      namespace: info.namespace,
      protocol: `HTTP/${exchange.httpVersion}`,
      resource: info.resource,
      scope: scopeLabel(info),
      url: request.path,
      'user-agent': exchange.header('user-agent') ?? '',
      verb: verbLabel(request),
    });
  };
