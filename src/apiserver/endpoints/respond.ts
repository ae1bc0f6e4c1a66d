/** Answers of the verbs: one object or a list, in the representation the client asked for. */
import { currentSpan, type Span } from '../../base/span.ts';
import { type Status, StatusError } from '../../machinery/status.ts';
import type { StoredObject } from '../../storage/objects.ts';
import { jsonToYaml } from '../../machinery/json/yaml.ts';
import { compressible, gzip, gzipChunks, gzipList } from '../representation/gzip.ts';
import {
  type ChunkedBody,
  jsonItems,
  type ListItems,
  type ListPage,
  plainList,
  protobufItems,
} from '../representation/list.ts';
import { encodeMetaObject, prettyJson } from '../representation/meta-object.ts';
import { partialListJson, partialListProtobuf } from '../representation/partial-list.ts';
import { partialEnvelope, partialJson } from '../representation/partial-metadata.ts';
import { includeObjectParameter, tableJson } from '../representation/table.ts';
import { json, negotiate, negotiateStatus, protobuf, type Representation, yaml } from '../request/negotiation.ts';
import type { ApiResponse, HeaderMap } from '../../server/exchange.ts';
import type { ApiRequest } from '../request/request.ts';
import type { EndpointContext } from './context.ts';
import { isConvertible } from '../representation/convertible.ts';
import { settleAll } from '../../registry/generic/pending.ts';
import { mayWait, type ServedResource } from '../served/served-resource.ts';
import { recordAnswer } from './audit-objects.ts';

/** Negotiates before any work is done. Throws 406. */
export function representationOf(
  request: ApiRequest,
  { servedVersion }: ServedResource,
  isCollection: boolean,
): Representation {
  return negotiate({
    accept: request.header('accept'),
    userAgent: request.header('user-agent'),
    pretty: request.query.get('pretty'),
    convertible: isConvertible,
    isCollection,
    hasProtobuf: servedVersion.custom === undefined,
  });
}

export const representationOfStatus = (request: ApiRequest): Representation =>
  negotiateStatus(request.header('accept'), request.header('user-agent'), request.query.get('pretty'));

const plainJson = { mediaType: json, pretty: false } as const;

/** An object that was never stored. */
export function metaResponse(
  request: ApiRequest,
  representation: Representation,
  status: number,
  apiVersion: string,
  kind: string,
  value: object,
): ApiResponse {
  if (kind === 'Status') request.audit?.keepStatus(value as Partial<Status>);
  recordAnswer(request, () => encodeMetaObject(apiVersion, kind, value, plainJson));
  return bytesResponse(request, representation, status, encodeMetaObject(apiVersion, kind, value, representation));
}

export async function objectResponse(
  context: EndpointContext,
  served: ServedResource,
  request: ApiRequest,
  representation: Representation,
  status: number,
  object: StoredObject,
): Promise<ApiResponse> {
  if (mayWait(served)) await convertedAhead(served, [object]);
  const span = beginSerialization(request, representation);
  try {
    recordAnswer(request, () => objectBytes(context, served, request, { ...representation, ...plainJson }, object));
    return bytesResponse(
      request,
      representation,
      status,
      objectBytes(context, served, request, representation, object),
    );
  } finally {
    span?.end();
  }
}

/** Undefined where nothing is traced. */
const beginSerialization = (request: ApiRequest, { mediaType }: Representation): Span | undefined =>
  currentSpan()?.child('SerializeObject', {
    'audit-id': request.auditId,
    method: request.method,
    url: request.path,
    protocol: `HTTP/${request.exchange.httpVersion}`,
    mediaType,
  });

/**
 * Where a webhook converts custom objects, it is asked before anything is written: no answer begins that cannot be
 * ended.
 */
export async function convertedAhead({ store }: ServedResource, objects: readonly StoredObject[]): Promise<void> {
  await settleAll(objects, (object) => store!.decode(object));
}

function objectBytes(
  context: EndpointContext,
  served: ServedResource,
  request: ApiRequest,
  representation: Representation,
  object: StoredObject,
): Buffer {
  const { encoder } = context;
  const { revision } = object;
  if (representation.as === 'Table') {
    return asText(
      tableJson(encoder, served, [{ object, revision }], {
        include: includeObjectParameter(request.query.get('includeObject')),
        version: representation.asVersion ?? 'v1',
        now: context.now(),
        metadata: revision === 0 ? {} : { resourceVersion: String(revision) },
        withColumns: true,
      }),
      representation,
    );
  }
  if (representation.as !== undefined) {
    if (representation.as.endsWith('List')) throw notAList(served, representation.as);
    const message = encoder.message(served, object, revision);
    const version = representation.asVersion ?? 'v1';
    return representation.mediaType === protobuf
      ? partialEnvelope(message, version)
      : asText(partialJson(message, version), representation);
  }
  return representation.mediaType === protobuf
    ? encoder.envelope(served, object, revision)
    : asText(encoder.json(served, object, revision), representation);
}

const notAList = ({ info }: ServedResource, as: string): StatusError =>
  new StatusError(
    406,
    'NotAcceptable',
    `you requested ${as}, but the requested object is not a list (*${goPackage(info.group)}.${info.kind})`,
  );

const isAList = ({ info, servedVersion }: ServedResource, as: string): StatusError =>
  new StatusError(
    406,
    'NotAcceptable',
    `you requested ${as}, but the requested object is a list (*${goPackage(info.group)}.${servedVersion.listKind})`,
  );

/** The package that upstream's message names: the group's first label, `core` for the core group. */
const goPackage = (group: string): string => (group === '' ? 'core' : group.split('.', 1)[0]!);

/** JSON as it is sent: a line, indented for people, or turned into YAML. */
function asText(json: Buffer, { mediaType, pretty }: Representation): Buffer {
  if (mediaType === yaml) return jsonToYaml(json);
  if (pretty) return prettyJson(json);
  return json[json.length - 1] === 0x0a ? json : Buffer.concat([json, newline]);
}

const newline = Buffer.from('\n');

export async function listResponse(
  context: EndpointContext,
  served: ServedResource,
  request: ApiRequest,
  representation: Representation,
  page: ListPage,
): Promise<ApiResponse> {
  if (mayWait(served)) await convertedAhead(served, page.objects);
  const span = beginSerialization(request, representation);
  try {
    return pageResponse(context, served, request, representation, page);
  } finally {
    span?.end();
  }
}

/** What is sent piece by piece is encoded later, as the client takes it. */
function pageResponse(
  context: EndpointContext,
  served: ServedResource,
  request: ApiRequest,
  representation: Representation,
  page: ListPage,
): ApiResponse {
  const { encoder } = context;
  const version = representation.asVersion ?? 'v1';
  if (representation.as === 'Table') {
    recordAnswer(request, () => tableOf(context, served, request, version, page));
    return bytesResponse(
      request,
      representation,
      200,
      asText(tableOf(context, served, request, version, page), representation),
    );
  }
  if (representation.as === 'PartialObjectMetadata') throw isAList(served, representation.as);
  const asJson = (): ChunkedBody =>
    representation.as === undefined
      ? plainList(jsonItems(encoder, served, page))
      : partialListJson(encoder, served, page, version);
  recordAnswer(request, () => Buffer.concat([...asJson().chunks]));
  const isText = representation.mediaType !== protobuf && (representation.mediaType === yaml || representation.pretty);
  if (representation.as !== undefined) {
    const body =
      representation.mediaType === protobuf
        ? partialListProtobuf(encoder, served, page, version)
        : partialListJson(encoder, served, page, version);
    return isText ? textResponse(request, representation, body) : chunkedResponse(request, representation, body);
  }
  if (representation.mediaType === protobuf)
    return itemsResponse(context, request, representation, protobufItems(encoder, served, page));
  const items = jsonItems(encoder, served, page);
  return isText
    ? textResponse(request, representation, plainList(items))
    : itemsResponse(context, request, representation, items);
}

const textResponse = (request: ApiRequest, representation: Representation, { chunks }: ChunkedBody): ApiResponse =>
  bytesResponse(request, representation, 200, asText(Buffer.concat([...chunks]), representation));

function itemsResponse(
  { encoder }: EndpointContext,
  request: ApiRequest,
  representation: Representation,
  items: ListItems,
): ApiResponse {
  return (
    gzipList(request, { 'content-type': representation.mediaType }, items, encoder.budget) ??
    chunkedResponse(request, representation, plainList(items))
  );
}

function tableOf(
  context: EndpointContext,
  served: ServedResource,
  request: ApiRequest,
  version: string,
  page: ListPage,
): Buffer {
  const objects = page.objects.map((object) => ({ object, revision: object.revision }));
  return tableJson(context.encoder, served, objects, {
    include: includeObjectParameter(request.query.get('includeObject')),
    version,
    now: context.now(),
    withColumns: true,
    metadata: {
      resourceVersion: String(page.revision),
      ...(page.continueToken === undefined ? {} : { continue: page.continueToken }),
      ...(page.remaining === undefined || page.remaining === 0 ? {} : { remainingItemCount: page.remaining }),
    },
  });
}

function bytesResponse(request: ApiRequest, { mediaType }: Representation, status: number, body: Buffer): ApiResponse {
  const headers: HeaderMap = { 'content-type': mediaType };
  return compressible(request, body.length) ? gzip(status, headers, body) : { status, headers, body };
}

function chunkedResponse(
  request: ApiRequest,
  { mediaType }: Representation,
  { chunks, length }: ChunkedBody,
): ApiResponse {
  const headers: HeaderMap = { 'content-type': mediaType };
  if (length === undefined || compressible(request, length)) return gzipChunks(request, headers, chunks, length);
  return { status: 200, headers, chunks, length };
}
