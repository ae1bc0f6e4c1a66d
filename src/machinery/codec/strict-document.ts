/** Configuration documents with types: read as upstream reads them, strictly, and refused in its words. */
import { goQuote } from '../go-quote.ts';
import type { JsonBody } from '../json/body.ts';
import { readYaml } from '../json/yaml.ts';
import { truncateText } from '../truncated-text.ts';
import type { Codecs } from './index.ts';

/** A kind of document, and the versions in which it can be written. */
export interface DocumentKind {
  readonly kind: string;
  /** With `k8s.io` in their groups; the same with `orch.io` is read too. */
  readonly apiVersions: readonly string[];
  /** Of the codecs. */
  readonly typeId: string;
}

/** The text is of none of the kinds that are looked for. */
export class NoSuchKind extends Error {
  override readonly name = 'NoSuchKind';
}

/**
 * Reads YAML or JSON strictly: fields that are unknown or there twice are refused. Throws an Error that says what is
 * wrong, in the words of the reference.
 */
export function decodeStrictDocument<T>(text: string, kinds: readonly DocumentKind[], codecs: Codecs): T {
  const body = readBody(text);
  const { apiVersion, kind } = typeMetaOf(body);
  for (const [name, value] of Object.entries({ Kind: kind, apiVersion }))
    if (value === '') throw new NoSuchKind(`Object '${name}' is missing in '${truncateText(text.trim())}'`);
  const spelled = apiVersion.replace('.orch.io/', '.k8s.io/');
  const found = kinds.find((candidate) => candidate.kind === kind && candidate.apiVersions.includes(spelled));
  if (found === undefined)
    throw new NoSuchKind(`no kind ${goQuote(kind)} is registered for version ${goQuote(apiVersion)}`);
  return decodeBody(body, found.typeId, codecs);
}

/** The same for a document that does not say what it is. */
export const decodeStrictUntyped = <T>(text: string, typeId: string, codecs: Codecs): T =>
  decodeBody(readBody(text), typeId, codecs);

function decodeBody<T>(body: JsonBody, typeId: string, codecs: Codecs): T {
  const { value, problems } = codecs.of(typeId).fromJson(body);
  if (problems.length > 0) throw new Error(`strict decoding error: ${problems.join(', ')}`);
  return value as unknown as T;
}

function readBody(text: string): JsonBody {
  try {
    return readYaml(text);
  } catch (error) {
    throw new Error(`error converting YAML to JSON: ${(error as Error).message}`, { cause: error });
  }
}

function typeMetaOf(body: JsonBody): ReturnType<JsonBody['typeMeta']> {
  try {
    return body.typeMeta();
  } catch (error) {
    throw new Error(`couldn't get version/kind; json parse error: ${(error as Error).message}`, { cause: error });
  }
}
