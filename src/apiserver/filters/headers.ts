import { orchMediaType } from '../names.ts';
import type { Filter, HeaderMap } from '../request.ts';

/** Headers that every answer carries: `Audit-Id`, no caching, warnings; and the media type as the client spells it. */
export const answerInKind: Filter = async (request, next) => {
  const response = await next(request);
  const headers: HeaderMap = { 'audit-id': request.auditId, 'cache-control': 'no-cache, private', ...response.headers };
  if (request.warnings.length > 0) headers['warning'] = shortened(request.warnings).map((text) => `299 - ${quote(text)}`);
  if (request.closes && request.exchange.httpVersion === '2.0') headers['connection'] = 'close';
  const type = headers['content-type'];
  if (request.orchNames && typeof type === 'string') headers['content-type'] = orchMediaType(type);
  return { ...response, headers };
};

/** Upstream's limits, in characters: clients refuse answers whose headers are too long. */
const maxTotalLength = 4096;
const maxItemLength = 256;

/** All of them, or when that is too much the beginning of each until there are enough. */
function shortened(texts: readonly string[]): readonly string[] {
  if (texts.reduce((sum, text) => sum + text.length, 0) <= maxTotalLength) return texts;
  const items: string[] = [];
  let length = 0;
  for (const text of texts) {
    if (length >= maxTotalLength) break;
    const item = text.length <= maxItemLength ? text : [...text.slice(0, 2 * maxItemLength)].slice(0, maxItemLength).join('');
    items.push(item);
    length += item.length;
  }
  return items;
}

/** A quoted-string (RFC 9110 section 5.6.4), a character for each byte of its UTF-8; control characters would end the header. */
const quote = (text: string): string => `"${Buffer.from(text.replace(/[\x00-\x1f\x7f]/g, ' ').replace(/[\\"]/g, '\\$&'), 'utf8').toString('latin1')}"`;
