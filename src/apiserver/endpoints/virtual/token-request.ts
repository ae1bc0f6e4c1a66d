/**
 * Tokens of a service account. Checks what is asked for.
 *
 * @NOTE differs from upstream: tokens are not signed yet. A request that is in order is answered as by a server without
 * a signing key, which does not serve this resource.
 * @see {@link https://kubernetes.io/docs/reference/kubernetes-api/authentication-resources/token-request-v1/ | TokenRequest}
 */
import type { BoundObjectReference, TokenRequest } from '../../../api/gen/types/authentication-v1.ts';
import { type FieldError, invalid } from '../../../machinery/field-error.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { badRequest, conflict, invalid as invalidStatus } from '../../../machinery/status.ts';
import type { RegistryCatalog } from '../../../registry/catalog.ts';
import type { ApiRequest, ApiResponse } from '../../request.ts';
import type { EndpointContext } from '../context.ts';
import { noSuchResource } from '../errors.ts';
import type { ServedResource } from '../served.ts';
import { operationForm, readOperation, validateOperation } from './operation.ts';

const defaultSeconds = 3600;
const minSeconds = 600;
const maxSeconds = 2 ** 32;

export function createTokenRequest(context: EndpointContext, registry: RegistryCatalog): (served: ServedResource, request: ApiRequest) => Promise<ApiResponse> {
  const form = operationForm(context, 'authentication.k8s.io/v1', 'TokenRequest');
  return async (served, request) => {
    const operation = await readOperation<TokenRequest>(context, served, request, form);
    const { object, write } = operation;
    await served.store!.get(write.namespace, write.name, { match: 'mostRecent' });
    const { name = '' } = object.metadata ?? {};
    if (name !== '' && name !== write.name) throw badRequest(`metadata.name: Invalid value: ${JSON.stringify(name)}: must match the service account name`);
    await validateOperation(context, served, request, operation);
    const errors = durationErrors(object);
    if (errors.length > 0) throw invalidStatus({ group: 'authentication.k8s.io', kind: 'TokenRequest' }, '', errors);
    if (object.spec?.boundObjectRef !== undefined) await checkBound(registry, object.spec.boundObjectRef, write.namespace);
    throw noSuchResource();
  };
}

function durationErrors({ spec }: TokenRequest): FieldError[] {
  const seconds = Number(spec?.expirationSeconds ?? defaultSeconds);
  const path = FieldPath.of('spec', 'expirationSeconds');
  return [
    ...(seconds < minSeconds ? [invalid(path, seconds, 'may not specify a duration less than 10 minutes')] : []),
    ...(seconds > maxSeconds ? [invalid(path, seconds, 'may not specify a duration larger than 2^32 seconds')] : []),
  ];
}

const bindable: Readonly<Record<string, string>> = { 'v1 Pod': 'pods', 'v1 Secret': 'secrets', 'v1 Node': 'nodes' };

async function checkBound(registry: RegistryCatalog, { apiVersion = '', kind = '', name = '', uid = '' }: BoundObjectReference, namespace: string): Promise<void> {
  const resource = bindable[`${apiVersion} ${kind}`];
  const store = resource === undefined ? undefined : registry.storeOf('', resource);
  if (store === undefined) throw badRequest(`cannot bind token to object of type ${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`);
  const found = store.decode(await store.get(store.namespaced ? namespace : '', name, { match: 'mostRecent' }));
  if (uid !== '' && uid !== found.metadata?.uid) {
    throw conflict(store.groupResource, name, `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`);
  }
}
