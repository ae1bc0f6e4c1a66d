/** Types that stand for an operation: the body is read like that of any write, the answer was never stored. */
import { asJson, type KubeObject, metaOf } from '../../../machinery/object-meta.ts';
import type { AdmissionAttributes } from '../../../registry/admission.ts';
import { ensureNamespace } from '../../../registry/generic/before-create.ts';
import { createServedVersion, type ServedVersion } from '../../../registry/generic/served-version.ts';
import type { VersionRules } from '../../../registry/strategy.ts';
import type { WriteRequest } from '../../../registry/generic/write.ts';
import { negotiate, type Representation } from '../../request/negotiation.ts';
import type { ApiResponse } from '../../../server/exchange.ts';
import type { ApiRequest } from '../../request/request.ts';
import { attributesOf } from '../admit.ts';
import { readBody } from '../body.ts';
import { type EndpointContext, managerOf, writeRequest } from '../context.ts';
import { metaResponse, objectResponse, representationOfStatus } from '../respond.ts';
import { recordObject } from '../audit-objects.ts';
import type { ServedResource } from '../../served/served-resource.ts';
import { createParameters } from '../write-parameters.ts';

/**
 * The version of a kind that is no resource itself, such as the Binding that is POSTed to a pod.
 * @param more other apiVersions with the same fields, and what fills absent fields
 */
export function operationVersion(
  { codecs, schemas }: EndpointContext,
  apiVersion: string,
  kind: string,
  { accepts, rules }: { readonly accepts?: readonly string[]; readonly rules?: VersionRules } = {},
): ServedVersion {
  const typeId = schemas.ofKind(apiVersion, kind);
  if (typeId === undefined) throw new Error(`no type for ${apiVersion} ${kind}`);
  return createServedVersion({
    apiVersion,
    kind,
    listKind: `${kind}List`,
    typeId,
    storedTypeId: typeId,
    codecs,
    rules,
    ...(accepts === undefined ? {} : { accepts }),
  });
}

export interface Operation<T extends KubeObject> {
  readonly object: T;
  readonly write: WriteRequest;
  readonly representation: Representation;
  readonly servedVersion: ServedVersion;
}

/** Reads the body of a POST, records its managed fields, and runs mutating admission. */
export async function readOperation<T extends KubeObject>(
  context: EndpointContext,
  served: ServedResource,
  request: ApiRequest,
  servedVersion: ServedVersion,
): Promise<Operation<T>> {
  const representation = negotiated(request, false);
  const parameters = createParameters(request.query);
  const manager = managerOf(request, 'CreateOptions');
  const body = await readBody(context, request);
  const object = body.decode({ ...served, servedVersion }, parameters.fieldValidation, (text) =>
    request.warn(text),
  ) as T;
  recordObject(request, servedVersion, object);
  const write = writeRequest(context, served, request, {
    kind: 'CreateOptions',
    dryRun: parameters.dryRun,
    options: parameters.options,
  });
  ensureNamespace(object, write.namespace);
  const managedFields = context.fieldManager.update({
    live: undefined,
    object,
    manager,
    subresource: write.subresource,
    apiVersion: servedVersion.apiVersion,
    typeId: servedVersion.typeId,
    now: write.context.now,
    resetFields: [],
  });
  if (managedFields !== undefined) metaOf(object).managedFields = managedFields;
  const operation = { object, write, representation, servedVersion };
  await context.admission.admit(operationAttributes(context, served, request, operation));
  return operation;
}

/** The last word of admission, before anything happens. */
export const validateOperation = <T extends KubeObject>(
  context: EndpointContext,
  served: ServedResource,
  request: ApiRequest,
  operation: Operation<T>,
): Promise<void> => context.admission.validate(operationAttributes(context, served, request, operation));

const operationAttributes = (
  context: EndpointContext,
  served: ServedResource,
  request: ApiRequest,
  { object, write, servedVersion }: Operation<KubeObject>,
): AdmissionAttributes =>
  attributesOf(context, { ...served, servedVersion }, request, write, 'CREATE', object, undefined);

/** What was never stored is not shown as a table either. */
export const negotiated = (request: ApiRequest, isCollection: boolean): Representation =>
  negotiate({
    accept: request.header('accept'),
    userAgent: request.header('user-agent'),
    pretty: request.query.get('pretty'),
    convertible: () => false,
    isCollection,
  });

export function valueResponse(
  context: EndpointContext,
  served: ServedResource,
  request: ApiRequest,
  status: number,
  {
    servedVersion,
    representation,
    value,
  }: { readonly servedVersion: ServedVersion; readonly representation: Representation; readonly value: KubeObject },
): Promise<ApiResponse> {
  const attributes = { namespace: '', name: '', labels: new Map<string, string>(), fields: new Map<string, string>() };
  const object = { key: '', revision: 0, bytes: servedVersion.codec.encode(asJson(value)), attributes };
  return objectResponse(context, { ...served, servedVersion }, request, representation, status, object);
}

/** Operations without an object to show answer with a Status. */
export const doneResponse = (request: ApiRequest): ApiResponse =>
  metaResponse(request, representationOfStatus(request), 201, 'v1', 'Status', {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    code: 201,
  });
