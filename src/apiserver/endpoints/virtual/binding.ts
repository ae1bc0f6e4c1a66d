/** Giving a pod to a node: POST of a Binding to `pods/{name}/binding`, or to `bindings` as schedulers of old did. */
import { bindingConflict, bindPod, validatePodBinding } from '../../../api/core/pods/binding.ts';
import type { Binding, Pod } from '../../../api/gen/types/core-v1.ts';
import { aggregateText } from '../../../machinery/field-error.ts';
import { badRequest, conflict, notFound, plainError } from '../../../machinery/status.ts';
import type { RegistryCatalog } from '../../../registry/catalog.ts';
import { readModifyWrite } from '../../../registry/generic/update.ts';
import type { WriteRequest } from '../../../registry/generic/write.ts';
import type { ApiResponse } from '../../../server/exchange.ts';
import type { ApiRequest } from '../../request/request.ts';
import type { EndpointContext } from '../context.ts';
import type { ServedResource } from '../../served/served-resource.ts';
import { doneResponse, operationVersion, readOperation, validateOperation } from './operation.ts';

type Handler = (served: ServedResource, request: ApiRequest) => Promise<ApiResponse>;

export function createBinding(context: EndpointContext, registry: RegistryCatalog): Handler {
  const servedVersion = operationVersion(context, 'v1', 'Binding');
  return async (served, request) => {
    const operation = await readOperation<Binding>(context, served, request, servedVersion);
    const { object: binding, write } = operation;
    const name = write.name === '' ? (binding.metadata.name ?? '') : write.name;
    if (binding.metadata.name !== name) throw badRequest('name in URL does not match name in Binding object');
    const errors = validatePodBinding(binding);
    if (errors.length > 0) throw plainError(aggregateText(errors));
    await validateOperation(context, served, request, operation);
    await bind(registry, binding, { ...write, name });
    return doneResponse(request);
  };
}

const pods = { group: '', resource: 'pods' };

async function bind(registry: RegistryCatalog, binding: Binding, write: WriteRequest): Promise<void> {
  const store = registry.storeOf('', 'pods')!;
  await readModifyWrite(
    store,
    store.key(write.namespace, write.name),
    (current) => {
      if (current === undefined) throw notFound(pods, write.name);
      const pod = current as Pod;
      checkIdentity(pod, binding);
      const why = bindingConflict(pod);
      if (why !== undefined) throw conflict({ group: '', resource: 'pods/binding' }, write.name, why);
      bindPod(pod, binding, write.context.now);
      return Promise.resolve({ action: 'write', object: pod });
    },
    write,
  );
}

/** A scheduler may say which pod it means; the name can be another pod's by now. */
function checkIdentity(
  { metadata: { name = '', uid = '', resourceVersion = '' } }: Pod,
  { metadata: wanted }: Binding,
): void {
  if (wanted.uid !== undefined && wanted.uid !== uid)
    throw conflict(pods, name, `Precondition failed: UID in precondition: ${wanted.uid}, UID in object meta: ${uid}`);
  if (wanted.resourceVersion !== undefined && wanted.resourceVersion !== resourceVersion) {
    throw conflict(
      pods,
      name,
      `Precondition failed: ResourceVersion in precondition: ${wanted.resourceVersion}, ResourceVersion in ` +
        `object meta: ${resourceVersion}`,
    );
  }
}
