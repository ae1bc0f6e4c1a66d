/** Answers of the verbs: one object or a list, in the representation the client asked for. */
import { StatusError } from '../../machinery/status.ts';
import type { StoredObject } from '../../storage/objects.ts';
import { jsonToYaml } from '../../machinery/json/yaml.ts';
import { compressible, gzip, gzipChunks } from '../representation/gzip.ts';
import { jsonList, type ListPage, protobufList } from '../representation/list.ts';
import { encodeMetaObject, prettyJson } from '../representation/meta-object.ts';
import { partialListJson, partialListProtobuf } from '../representation/partial-list.ts';
import { partialEnvelope, partialJson } from '../representation/partial-metadata.ts';
import { includeObjectParameter, tableJson } from '../representation/table.ts';
import { negotiate, negotiateStatus, protobuf, type Representation, yaml } from '../negotiation.ts';
import type { ApiRequest, ApiResponse, HeaderMap } from '../request.ts';
import type { EndpointContext } from './context.ts';
import { isConvertible } from './convertible.ts';
import type { ServedResource } from './served.ts';

/** Negotiates before any work is done. Throws 406. */
export function representationOf(request: ApiRequest, _served: ServedResource, isCollection: boolean): Representation {
  return negotiate({ accept: request.header('accept'), userAgent: request.header('user-agent'), pretty: request.query.get('pretty'), convertible: isConvertible, isCollection });
}

export const representationOfStatus = (request: ApiRequest): Representation =>
  negotiateStatus(request.header('accept'), request.header('user-agent'), request.query.get('pretty'));

/** An object that was never stored. */
export function metaResponse(request: ApiRequest, representation: Representation, status: number, apiVersion: string, kind: string, value: object): ApiResponse {
  return bytesResponse(request, representation, status, encodeMetaObject(apiVersion, kind, value, representation));
}

export function objectResponse(context: EndpointContext, served: ServedResource, request: ApiRequest, representation: Representation, status: number, object: StoredObject): ApiResponse {
  return bytesResponse(request, representation, status, objectBytes(context, served, request, representation, object));
}

function objectBytes(context: EndpointContext, served: ServedResource, request: ApiRequest, representation: Representation, object: StoredObject): Buffer {
  const { encoder } = context;
  const { revision } = object;
  if (representation.as === 'Table') {
    return asText(tableJson(encoder, served, [{ object, revision }], {
      include: includeObjectParameter(request.query.get('includeObject')), version: representation.asVersion ?? 'v1', now: context.now(),
      metadata: revision === 0 ? {} : { resourceVersion: String(revision) }, withColumns: true,
    }), representation);
  }
  if (representation.as !== undefined) {
    if (representation.as.endsWith('List')) throw notAList(served, representation.as);
    const message = encoder.message(served, object, revision);
    const version = representation.asVersion ?? 'v1';
    return representation.mediaType === protobuf ? partialEnvelope(message, version) : asText(partialJson(message, version), representation);
  }
  return representation.mediaType === protobuf ? encoder.envelope(served, object, revision) : asText(encoder.json(served, object, revision), representation);
}

const notAList = ({ info }: ServedResource, as: string): StatusError =>
  new StatusError(406, 'NotAcceptable', `you requested ${as}, but the requested object is not a list (*${goPackage(info.group)}.${info.kind})`);

const isAList = ({ info, form }: ServedResource, as: string): StatusError =>
  new StatusError(406, 'NotAcceptable', `you requested ${as}, but the requested object is a list (*${goPackage(info.group)}.${form.listKind})`);

/** The package that upstream's message names: the group's first label, `core` for the core group. */
const goPackage = (group: string): string => (group === '' ? 'core' : group.split('.', 1)[0]!);

/** JSON as it is sent: a line, indented for people, or turned into YAML. */
function asText(json: Buffer, { mediaType, pretty }: Representation): Buffer {
  if (mediaType === yaml) return jsonToYaml(json);
  if (pretty) return prettyJson(json);
  return json[json.length - 1] === 0x0a ? json : Buffer.concat([json, newline]);
}

const newline = Buffer.from('\n');

export function listResponse(context: EndpointContext, served: ServedResource, request: ApiRequest, representation: Representation, page: ListPage): ApiResponse {
  const { encoder } = context;
  const version = representation.asVersion ?? 'v1';
  if (representation.as === 'Table') return bytesResponse(request, representation, 200, asText(tableOf(context, served, request, version, page), representation));
  if (representation.as === 'PartialObjectMetadata') throw isAList(served, representation.as);
  const isPartial = representation.as !== undefined;
  if (representation.mediaType === protobuf) {
    return chunkedResponse(request, representation, isPartial ? partialListProtobuf(encoder, served, page, version) : protobufList(encoder, served, page));
  }
  const json = isPartial ? partialListJson(encoder, served, page, version) : jsonList(encoder, served, page);
  if (representation.mediaType !== yaml && !representation.pretty) return chunkedResponse(request, representation, json);
  return bytesResponse(request, representation, 200, asText(Buffer.concat([...json.chunks]), representation));
}

function tableOf(context: EndpointContext, served: ServedResource, request: ApiRequest, version: string, page: ListPage): Buffer {
  const objects = page.objects.map((object) => ({ object, revision: object.revision }));
  return tableJson(context.encoder, served, objects, {
    include: includeObjectParameter(request.query.get('includeObject')), version, now: context.now(), withColumns: true,
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

function chunkedResponse(request: ApiRequest, { mediaType }: Representation, { chunks, length }: { chunks: Iterable<Buffer>; length?: number }): ApiResponse {
  const headers: HeaderMap = { 'content-type': mediaType };
  if (length === undefined || compressible(request, length)) return gzipChunks(request, headers, chunks, length);
  return { status: 200, headers, chunks, length };
}
