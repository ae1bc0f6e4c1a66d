import type { StatusError } from '../../machinery/status.ts';
import { negotiateStatus } from '../request/negotiation.ts';
import type { ApiResponse, HeaderMap } from '../../server/exchange.ts';
import type { ApiRequest } from '../request/request.ts';
import { encodeMetaObject } from './meta-object.ts';

/** An error in the first media type of the client's Accept header that a Status has. */
export function statusResponse(request: ApiRequest, error: StatusError): ApiResponse {
  const representation = negotiateStatus(
    request.header('accept'),
    request.header('user-agent'),
    request.query.get('pretty'),
  );
  const headers: HeaderMap = { 'content-type': representation.mediaType };
  const retry = error.details?.retryAfterSeconds;
  if (retry !== undefined && retry > 0) headers['retry-after'] = String(retry);
  return { status: error.code, headers, body: encodeMetaObject('v1', 'Status', error.toStatus(), representation) };
}
