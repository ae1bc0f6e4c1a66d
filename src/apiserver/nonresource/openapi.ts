/**
 * `/openapi/v2` and `/openapi/v3`: documents by encoding, with ETag, and for version 3 an index that names each by its
 * hash.
 */
import type { VersionInfo } from '../../base/version.ts';
import type { GroupVersionInfo } from '../../api/resources.ts';
import { parseAccept } from '../request/negotiation.ts';
import type { PartV2 } from '../openapi/merge-v2.ts';
import { OpenApi, type Encoding, type Rendition, V2_ENCODINGS, V3_ENCODINGS } from '../openapi/openapi.ts';
import type { ApiResponse } from '../../server/exchange.ts';
import type { ApiRequest, Handler } from '../request/request.ts';

/** What other servers say. */
export interface RemoteOpenApi {
  /** In version 2, best first; another list when that changes. */
  parts(): readonly PartV2[];
  /** Where documents of version 3 lie, by their keys in the index: `apis/example.com/v1`. */
  paths(): ReadonlyMap<string, string>;
  answer(request: ApiRequest, key: string): Promise<ApiResponse>;
}

/** @param groupVersions what is served here now; another list when that changes */
export function openApiHandlers(
  { gitVersion }: VersionInfo,
  groupVersions: () => readonly GroupVersionInfo[],
  remote: RemoteOpenApi,
): [string, Handler][] {
  const documents = new OpenApi({ version: gitVersion, groupVersions });
  return [
    ['/openapi/v2', (request) => Promise.resolve(serveV2(documents, request, remote))],
    ['/openapi/v3', (request) => Promise.resolve(rendered(request, documents.v3Index(remote.paths()), 'Accept'))],
    [
      '/openapi/v3/*path',
      async (request) => {
        const key = request.path.slice('/openapi/v3/'.length);
        return remote.paths().has(key) ? remote.answer(request, key) : serveV3(documents, request);
      },
    ],
  ];
}

/** The encoding of the best clause that can be served; without an Accept header JSON. */
function encodingOf(request: ApiRequest, encodings: Readonly<Record<string, Encoding>>): Encoding | undefined {
  const accept = request.header('accept') ?? '';
  if (accept === '') return 'json';
  for (const { type } of parseAccept(accept)) {
    if (type === '*/*' || type === 'application/*') return 'json';
    const encoding = encodings[type];
    if (encoding !== undefined) return encoding;
  }
  return undefined;
}

/** Without a copy: a document has megabytes, and each unread answer would have its own. */
const sharedBytes = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);

function rendered(
  request: ApiRequest,
  { body, contentType, etag }: Rendition,
  vary: string | readonly string[],
  extra: Record<string, string> = {},
): ApiResponse {
  const quoted = `"${etag}"`;
  const headers = { 'content-type': contentType, etag: quoted, vary, ...extra };
  return request.header('if-none-match') === quoted
    ? { status: 304, headers }
    : { status: 200, headers, body: sharedBytes(body) };
}

function serveV2(documents: OpenApi, request: ApiRequest, remote: RemoteOpenApi): ApiResponse {
  const vary = ['Accept-Encoding', 'Accept'];
  const encoding = encodingOf(request, V2_ENCODINGS);
  return encoding === undefined
    ? { status: 406, headers: { vary } }
    : rendered(request, documents.v2(encoding, remote.parts()), vary);
}

function serveV3(documents: OpenApi, request: ApiRequest): ApiResponse {
  const path = request.path.slice('/openapi/v3/'.length);
  const encoding = encodingOf(request, V3_ENCODINGS);
  if (encoding === undefined) return { status: 406, headers: { vary: 'Accept' } };
  const document = documents.v3(path, encoding);
  if (document === undefined) return { status: 404, headers: {} };
  const wanted = request.query.get('hash');
  if (wanted === null) return rendered(request, document, 'Accept');
  const { etag: hash } = documents.v3(path, 'json')!;
  if (wanted === hash)
    return rendered(request, document, 'Accept', {
      'cache-control': 'public, immutable',
      expires: new Date(Date.now() + 365 * 24 * 3600 * 1000).toUTCString(),
    });
  return {
    ...rendered(request, document, 'Accept', {
      location: `/openapi/v3/${path}?hash=${hash}`,
      'content-type': 'application/json',
    }),
    status: 301,
  };
}
