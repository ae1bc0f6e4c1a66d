/** Objects that are not stored (Status, lists of groups, reviews, …) as bytes of a representation. */
import { codecs } from '../../api/codecs.ts';
import { schemas } from '../../api/schemas.ts';
import { writeEnvelope } from '../../machinery/codec/envelope.ts';
import { writeYaml } from '../../machinery/json/yaml.ts';
import { type Representation, protobuf, yaml } from '../request/negotiation.ts';

/** @param value the object's JSON value, kind and apiVersion included */
export function encodeMetaObject(
  apiVersion: string,
  kind: string,
  value: object,
  representation: Representation,
): Buffer {
  switch (representation.mediaType) {
    case protobuf:
      return encodeProtobuf(apiVersion, kind, value);
    case yaml:
      return Buffer.from(writeYaml(value));
    default:
      return encodeJson(value, representation.pretty);
  }
}

export const encodeJson = (value: object, pretty: boolean): Buffer =>
  Buffer.from(escapeHtml(pretty ? JSON.stringify(value, undefined, 2) : `${JSON.stringify(value)}\n`));

/** Upstream's encoder keeps these characters out of JSON, so that it can be embedded in a page. */
export const escapeHtml = (json: string): string =>
  /[<>&\u2028\u2029]/.test(json)
    ? json.replace(/[<>&\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
    : json;

function encodeProtobuf(apiVersion: string, kind: string, value: object): Buffer {
  const typeId = schemas.ofKind(apiVersion, kind);
  if (typeId === undefined) throw new Error(`${kind} of ${apiVersion} has no protobuf form`);
  const { kind: _kind, apiVersion: _apiVersion, ...members } = value as Record<string, never>;
  return writeEnvelope(apiVersion, kind, codecs.of(typeId).encode(members));
}

/** JSON text indented by two, members in the order they have; values are not read, so that large numbers stay exact. */
export function prettyJson(json: Buffer): Buffer {
  const text = json.toString();
  let out = '';
  let depth = 0;
  const line = (): string => `\n${'  '.repeat(depth)}`;
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!;
    if (char === '"') {
      const end = closingQuote(text, i);
      out += text.slice(i, end + 1);
      i = end;
    } else if (char === '{' || char === '[') {
      if (text[i + 1] === '}' || text[i + 1] === ']') out += char + text[++i]!;
      else {
        depth++;
        out += char + line();
      }
    } else if (char === '}' || char === ']') {
      depth--;
      out += line() + char;
    } else if (char === ',') out += char + line();
    else if (char === ':') out += ': ';
    else if (char !== '\n') out += char;
  }
  return Buffer.from(out);
}

function closingQuote(text: string, start: number): number {
  let i = start + 1;
  while (text[i] !== '"') i += text[i] === '\\' ? 2 : 1;
  return i;
}
