/** What admission is told of a write, for every verb that writes. */
import { describeWork } from '../../base/work-description.ts';
import type { KubeObject } from '../../machinery/object-meta.ts';
import type { AdmissionAttributes } from '../../registry/admission.ts';
import type { WriteRequest } from '../../registry/generic/write.ts';
import type { ApiRequest } from '../request/request.ts';
import type { ServedResource } from '../served/served-resource.ts';
import type { EndpointContext } from './context.ts';
import { formsOf, groupVersionOf } from './object-forms.ts';

export function attributesOf(
  context: EndpointContext,
  served: ServedResource,
  request: ApiRequest,
  write: WriteRequest,
  operation: AdmissionAttributes['operation'],
  object: KubeObject | undefined,
  oldObject: KubeObject | undefined,
): AdmissionAttributes {
  const { info, servedVersion } = served;
  return {
    operation,
    resource: { group: info.group, version: info.version, resource: info.name },
    subresource: request.info.subresource,
    kind: { ...groupVersionOf(servedVersion.apiVersion), kind: servedVersion.kind },
    namespace: write.namespace,
    name: write.name !== '' ? write.name : (object?.metadata?.name ?? ''),
    object,
    oldObject,
    options: optionsOf(operation, write.options),
    forms: formsOf(context, served, request.info.subresource),
    user: request.user,
    dryRun: write.dryRun,
    warn: write.warn,
    annotate: (key, value) => request.annotate(key, value),
    annotateObject: (key, value) => {
      if (request.audit?.keepsRequest === true) request.annotate(key, value);
    },
    get signal() {
      return request.signal;
    },
    deadline: request.deadline,
    [describeWork]: () => request[describeWork](),
  };
}

/** What a patch does is a create or an update to admission, and a PUT may be a create. */
function optionsOf(
  operation: AdmissionAttributes['operation'],
  { force: _, ...options }: WriteRequest['options'],
): WriteRequest['options'] {
  return { ...options, kind: optionsKinds[operation], apiVersion: 'meta.k8s.io/v1' };
}

const optionsKinds = {
  CREATE: 'CreateOptions',
  UPDATE: 'UpdateOptions',
  DELETE: 'DeleteOptions',
  /** Has none. */
  CONNECT: '',
} as const;
