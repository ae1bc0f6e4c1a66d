/** ComponentStatus: the health of the parts that this server knows of. Deprecated upstream, still asked for by `kubectl get cs`. */
import type { ComponentStatus, ComponentStatusList } from '../../../api/gen/types/core-v1.ts';
import { plainError } from '../../../machinery/status.ts';
import type { ApiRequest, ApiResponse } from '../../request.ts';
import type { EndpointContext } from '../context.ts';
import type { SubresourceEndpoint } from '../served.ts';
import { negotiated, operationForm, valueResponse } from './operation.ts';

/** Rejects when the part is not well. */
export type ComponentCheck = () => Promise<void>;

export function createComponentStatuses(context: EndpointContext, components: ReadonlyMap<string, ComponentCheck>): SubresourceEndpoint['verbs'] {
  const listForm = operationForm(context, 'v1', 'ComponentStatusList');
  return {
    async get(served, request): Promise<ApiResponse> {
      const representation = negotiated(request, false);
      const check = components.get(request.info.name);
      if (check === undefined) throw plainError(`Component not found: ${request.info.name}`);
      return valueResponse(context, served, request, 200, { form: served.form, representation, value: await statusOf(request.info.name, check) });
    },
    async list(served, request: ApiRequest): Promise<ApiResponse> {
      const representation = negotiated(request, true);
      const items = await Promise.all([...components].map(([name, check]) => statusOf(name, check)));
      return valueResponse(context, served, request, 200, { form: listForm, representation, value: { metadata: {}, items } as ComponentStatusList });
    },
  };
}

async function statusOf(name: string, check: ComponentCheck): Promise<ComponentStatus> {
  const error = await check().then(() => undefined, (reason: unknown) => (reason instanceof Error ? reason.message : String(reason)));
  const condition = error === undefined ? { type: 'Healthy', status: 'True', message: 'ok' } : { type: 'Healthy', status: 'False', error };
  return { metadata: { name }, conditions: [condition] };
}
