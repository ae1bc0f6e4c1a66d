import { invalid as invalidField, notSupported } from '../../machinery/field-error.ts';
import { FieldPath } from '../../machinery/field-path.ts';
import { invalid as invalidStatus } from '../../machinery/status.ts';
import type { JsonObject } from '../../machinery/value.ts';
import type { DeleteOptions } from '../../registry/generic/graceful-deletion.ts';
import type { ApiRequest } from '../request/request.ts';
import { decodeOptions } from './body.ts';
import type { EndpointContext } from './context.ts';
import type { ServedResource } from '../served/served-resource.ts';
import { flagParameter } from '../request/query.ts';
import { parseInteger } from './list-parameters.ts';
import { dryRunParameter, isDryRun } from './write-parameters.ts';

/** Options of a DELETE: the body when there is one, else the query. */
export async function readDeleteOptions(
  context: EndpointContext,
  served: ServedResource,
  request: ApiRequest,
): Promise<DeleteOptions> {
  const body = await request.exchange.readBody(context.maxBodyBytes);
  const options =
    body.length > 0 ? fromBody(await decodeOptions(context, request, body, 'DeleteOptions')) : fromQuery(request.query);
  validate(options);
  const warning = served.store?.resource.silentDeletionWarning;
  if (warning !== undefined && options.propagationPolicy === undefined && options.orphanDependents === undefined)
    request.warn(warning);
  return options;
}

function fromBody(body: JsonObject): DeleteOptions {
  const options = body as unknown as DeleteOptions & { gracePeriodSeconds?: number | bigint };
  return {
    ...options,
    ...(options.gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds: Number(options.gracePeriodSeconds) }),
  };
}

function fromQuery(query: URLSearchParams): DeleteOptions {
  const grace = query.get('gracePeriodSeconds');
  const policy = query.get('propagationPolicy');
  return {
    ...(grace === null ? {} : { gracePeriodSeconds: parseInteger(grace) }),
    ...(policy === null ? {} : { propagationPolicy: policy as NonNullable<DeleteOptions['propagationPolicy']> }),
    ...(query.has('orphanDependents') ? { orphanDependents: flagParameter(query, 'orphanDependents') } : {}),
    ...(dryRunParameter(query, 'DeleteOptions') ? { dryRun: ['All'] } : {}),
  };
}

const policies = ['Foreground', 'Background', 'Orphan'];

function validate(options: DeleteOptions): void {
  const errors = [];
  if (options.orphanDependents !== undefined && options.propagationPolicy !== undefined) {
    errors.push(
      invalidField(
        FieldPath.of('propagationPolicy'),
        options.propagationPolicy,
        'orphanDependents and deletionPropagation cannot be both set',
      ),
    );
  }
  if (options.propagationPolicy !== undefined && !policies.includes(options.propagationPolicy)) {
    errors.push(notSupported(FieldPath.of('propagationPolicy'), options.propagationPolicy, [...policies, 'nil']));
  }
  if (errors.length > 0) throw invalidStatus({ group: 'meta.k8s.io', kind: 'DeleteOptions' }, '', errors);
  isDryRun(options.dryRun ?? [], 'DeleteOptions');
}
