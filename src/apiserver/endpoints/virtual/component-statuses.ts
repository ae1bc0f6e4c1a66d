/**
 * ComponentStatus: the health of the parts that this server knows of. Deprecated upstream, still asked for by `kubectl
 * get cs`.
 */
import { columnsOf } from '../../../api/columns.ts';
import type { ComponentStatus, ComponentStatusList } from '../../../api/gen/types/core-v1.ts';
import { plainError } from '../../../machinery/status.ts';
import { negotiate, type Representation } from '../../request/negotiation.ts';
import { includeObjectParameter } from '../../representation/table.ts';
import type { ApiResponse } from '../../../server/exchange.ts';
import type { ApiRequest } from '../../request/request.ts';
import type { EndpointContext } from '../context.ts';
import { isConvertible } from '../../representation/convertible.ts';
import { metaResponse } from '../respond.ts';
import type { SubresourceEndpoint } from '../../served/served-resource.ts';
import { operationVersion, valueResponse } from './operation.ts';

/** Rejects when the part is not well. */
export type ComponentCheck = () => Promise<void>;

export function createComponentStatuses(
  context: EndpointContext,
  components: ReadonlyMap<string, ComponentCheck>,
): SubresourceEndpoint['verbs'] {
  const listForm = operationVersion(context, 'v1', 'ComponentStatusList');
  return {
    async get(served, request): Promise<ApiResponse> {
      const representation = negotiated(request, false);
      const check = components.get(request.info.name);
      if (check === undefined) throw plainError(`Component not found: ${request.info.name}`);
      const value = await statusOf(request.info.name, check);
      if (representation.as === 'Table') return tableResponse(request, representation, [value]);
      return valueResponse(context, served, request, 200, {
        servedVersion: served.servedVersion,
        representation,
        value,
      });
    },
    async list(served, request: ApiRequest): Promise<ApiResponse> {
      const representation = negotiated(request, true);
      const items = await Promise.all([...components].map(([name, check]) => statusOf(name, check)));
      if (representation.as === 'Table') return tableResponse(request, representation, items);
      return valueResponse(context, served, request, 200, {
        servedVersion: listForm,
        representation,
        value: { metadata: {}, items } as ComponentStatusList,
      });
    },
  };
}

async function statusOf(name: string, check: ComponentCheck): Promise<ComponentStatus> {
  const error = await check().then(
    () => undefined,
    (reason: unknown) => (reason instanceof Error ? reason.message : String(reason)),
  );
  const condition =
    error === undefined
      ? { type: 'Healthy', status: 'True', message: 'ok' }
      : { type: 'Healthy', status: 'False', error };
  return { metadata: { name }, conditions: [condition] };
}

/** kubectl shows them as a table; objects that are never stored have no other representation. */
const negotiated = (request: ApiRequest, isCollection: boolean): Representation =>
  negotiate({
    accept: request.header('accept'),
    userAgent: request.header('user-agent'),
    pretty: request.query.get('pretty'),
    isCollection,
    convertible: (as, group, version, mediaType) => as === 'Table' && isConvertible(as, group, version, mediaType),
  });

function tableResponse(
  request: ApiRequest,
  representation: Representation,
  statuses: readonly ComponentStatus[],
): ApiResponse {
  const version = `meta.k8s.io/${representation.asVersion ?? 'v1'}`;
  const include = includeObjectParameter(request.query.get('includeObject'));
  const shown = (status: ComponentStatus): object | null => {
    if (include === 'None') return null;
    return include === 'Object'
      ? { kind: 'ComponentStatus', apiVersion: 'v1', ...status }
      : {
          kind: 'PartialObjectMetadata',
          apiVersion: version,
          metadata: { ...status.metadata, creationTimestamp: null },
        };
  };
  const columnDefinitions = columnsOf('', 'ComponentStatus').map(({ name, type, format, priority, description }) => ({
    name,
    type,
    format,
    description,
    priority,
  }));
  const rows = statuses.map((status) => ({ cells: cellsOf(status), object: shown(status) }));
  return metaResponse(request, representation, 200, version, 'Table', {
    kind: 'Table',
    apiVersion: version,
    metadata: {},
    columnDefinitions,
    rows,
  });
}

function cellsOf({ metadata, conditions = [] }: ComponentStatus): readonly string[] {
  const health = conditions.find(({ type }) => type === 'Healthy');
  const status = health === undefined ? 'Unknown' : health.status === 'True' ? 'Healthy' : 'Unhealthy';
  return [metadata?.name ?? '', status, health?.message ?? '', health?.error ?? ''];
}
