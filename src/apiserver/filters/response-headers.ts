import { describeWork, type Work } from '../../base/work-description.ts';
import { orchMediaType } from '../request/orch-names.ts';
import type { HeaderMap } from '../../server/exchange.ts';
import type { Filter } from '../request/request.ts';

/** Headers that every answer carries: `Audit-Id`, no caching, warnings; and the media type as the client spells it. */
export const responseHeaders: Filter = async (request, next) => {
  const response = await next();
  const headers: HeaderMap = { 'audit-id': request.auditId, 'cache-control': 'no-cache, private', ...response.headers };
  const { flow } = request;
  if (flow !== undefined) {
    headers['x-kubernetes-pf-flowschema-uid'] = flow.schemaUid;
    headers['x-kubernetes-pf-prioritylevel-uid'] = flow.levelUid;
  }
  const { texts } = request.warnings;
  if (texts.length > 0) headers['warning'] = texts.map((text) => `299 - ${quote(text)}`);
  if (request.closes && request.exchange.httpVersion === '2.0') headers['connection'] = 'close';
  const type = headers['content-type'];
  if (request.orchNames && typeof type === 'string') headers['content-type'] = orchMediaType(type);
  // What is made while it is sent is made for this request too.
  const work: Work = { [describeWork]: () => request[describeWork]() };
  if ('stream' in response)
    return { ...response, headers, stream: (sink) => response.stream(Object.assign(sink, work)) };
  return 'chunks' in response ? { ...response, headers, ...work } : { ...response, headers };
};

/**
 * A quoted-string (RFC 9110 section 5.6.4), a character for each byte of its UTF-8; control characters would end the
 * header.
 */
const quote = (text: string): string =>
  `"${Buffer.from(text.replace(/[\x00-\x1f\x7f]/g, ' ').replace(/[\\"]/g, '\\$&'), 'utf8').toString('latin1')}"`;
