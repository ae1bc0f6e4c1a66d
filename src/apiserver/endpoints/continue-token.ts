/**
 * Continue tokens in upstream's format, so that a client can go on at another replica or after a change of server.
 * Base64url JSON `{"v":"meta.k8s.io/v1","rv":<revision>,"start":"<relative key>\u0000"}`.
 */
import { goJsonKind } from '../../machinery/go-format.ts';
import { JsonSyntaxError, JsonTypeError } from '../../machinery/json/json-error.ts';
import { parseJson } from '../../machinery/json/reader.ts';
import { memberOf } from '../../machinery/members.ts';
import { isObject, type JsonObject } from '../../machinery/value.ts';
import { badRequest, type StatusError } from '../../machinery/status.ts';

export interface ContinueToken {
  /** Revision of the snapshot; -1 asks for the current state, after the snapshot had expired. */
  readonly revision: number;
  /** Resume behind this full key. */
  readonly after: string;
}

const version = 'meta.k8s.io/v1';

/** @param lastKey full key of the last object given out */
export function encodeContinueToken(lastKey: string, prefix: string, revision: number): string {
  const token = JSON.stringify({ v: version, rv: revision, start: `${lastKey.slice(prefix.length)}\u0000` });
  return Buffer.from(token).toString('base64url');
}

/** Throws 400 for what is no token of ours, or leads out of the collection. */
export function decodeContinueToken(text: string, prefix: string): ContinueToken {
  const { v, rv, start } = parse(text);
  if (v !== version) throw invalid(`server does not recognize this encoded version ${v}`, '');
  if (rv === 0) throw invalid('incorrect encoded start resourceVersion (version meta.k8s.io/v1)', '');
  if (start === '') throw invalid('encoded start key empty (version meta.k8s.io/v1)', '');
  const key = prefix + start;
  if (`/${start}`.split('/').some((segment) => segment === '..' || segment === '.')) throw invalid(start, '');
  // A token that names a key itself resumes at it; ours end with a zero byte and resume behind.
  return { revision: rv, after: key.endsWith('\u0000') ? key.slice(0, -1) : predecessor(key) };
}

interface TokenFields {
  readonly v: string;
  readonly rv: number;
  readonly start: string;
}

function parse(text: string): TokenFields {
  const bad = /[^A-Za-z0-9_-]/.exec(text);
  if (bad !== null || text.length % 4 === 1)
    throw notValid(`illegal base64 data at input byte ${bad?.index ?? text.length - 1}`);
  const json = Buffer.from(text, 'base64url').toString();
  try {
    const value = parseJson(json);
    if (value === null) return { v: '', rv: 0, start: '' };
    if (isObject(value)) return { v: textIn(value, 'v'), rv: integerIn(value, 'rv'), start: textIn(value, 'start') };
    throw notValid(`json: cannot unmarshal ${goJsonKind(value)} into Go value of type storage.continueToken`);
  } catch (error) {
    throw error instanceof JsonSyntaxError || error instanceof JsonTypeError ? notValid(error.message) : error;
  }
}

function textIn(object: JsonObject, name: string): string {
  const value = memberOf(object, name) ?? '';
  return typeof value === 'string' ? value : fail(goJsonKind(value), name, 'string');
}

/** A revision; one that no number holds exactly lies in the future anyway. */
function integerIn(object: JsonObject, name: string): number {
  const value = memberOf(object, name) ?? 0;
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'number') return fail(goJsonKind(value), name, 'int64');
  return Number.isSafeInteger(value) ? value : fail(`number ${value}`, name, 'int64');
}

function fail(what: string, name: string, goType: string): never {
  throw notValid(`json: cannot unmarshal ${what} into Go struct field continueToken.${name} of type ${goType}`);
}

const notValid = (why: string): StatusError => badRequest(`invalid continue token: continue key is not valid: ${why}`);

const invalid = (why: string, suffix: string): StatusError =>
  badRequest(`invalid continue token: continue key is not valid: ${why}${suffix}`);

/** The greatest text below `key` that a stored key can have. */
const predecessor = (key: string): string =>
  `${key.slice(0, -1)}${String.fromCharCode(Math.max(1, key.charCodeAt(key.length - 1) - 1))}\uffff`;
