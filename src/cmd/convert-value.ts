/** The work behind `orch convert`: stored values and objects from one encoding into another. */
import { codecs } from '../api/codecs.ts';
import { schemas } from '../api/schemas.ts';
import { prettyJson } from '../apiserver/representation/meta-object.ts';
import { hasEnvelope, readEnvelope, type TypeMeta } from '../machinery/codec/envelope.ts';
import { JsonBody } from '../machinery/json/body.ts';
import { encodeJson } from '../machinery/json/writer.ts';
import { jsonToYaml, readYaml } from '../machinery/json/yaml.ts';
import { isObject, type JsonObject, type JsonValue } from '../machinery/value.ts';
import type { ConversionFormat } from './conversion.ts';

/** An object with its type where that is one of ours, or as it is. */
type Opened =
  | { readonly typeMeta: TypeMeta; readonly typeId: string; readonly value: JsonObject }
  | { readonly typeId: undefined; readonly value: JsonValue; readonly why: string };

/** Throws an error whose message says what is wrong with the value. */
export function convertValue(input: Uint8Array, to: ConversionFormat): Uint8Array {
  const bytes = Buffer.from(input.buffer, input.byteOffset, input.byteLength);
  const opened = open(bytes);
  if (to === 'protobuf') return toProtobuf(opened);
  const json =
    opened.typeId === undefined
      ? encodeJson(opened.value)
      : codecs.of(opened.typeId).toJson(opened.value, { typeMeta: opened.typeMeta });
  return to === 'yaml' ? jsonToYaml(json) : Buffer.concat([prettyJson(json), Buffer.from('\n')]);
}

function toProtobuf(opened: Opened): Buffer {
  if (opened.typeId === undefined) throw new Error(`there is no protobuf form: ${opened.why}`);
  return codecs.of(opened.typeId).encodeEnvelope(opened.value, opened.typeMeta);
}

const encrypted = Buffer.from('k8s:enc:');

function open(bytes: Buffer): Opened {
  if (bytes.length === 0) throw new Error('nothing to convert');
  if (bytes.subarray(0, encrypted.length).equals(encrypted))
    throw new Error(
      `the value is encrypted (${bytes.subarray(0, 40).toString('latin1').split(':').slice(0, 5).join(':')})`,
    );
  return hasEnvelope(bytes) ? openEnvelope(bytes) : openText(bytes);
}

function openEnvelope(bytes: Buffer): Opened {
  const { apiVersion, kind, raw, contentType } = readEnvelope(bytes);
  if (contentType === 'application/json') return openText(raw);
  const typeId = schemas.ofKind(apiVersion, kind);
  if (typeId === undefined)
    throw new Error(`unknown type: kind ${JSON.stringify(kind)} of ${JSON.stringify(apiVersion)}`);
  return { typeMeta: { apiVersion, kind }, typeId, value: codecs.of(typeId).decode(raw) };
}

function openText(bytes: Buffer): Opened {
  const body = firstCharacter(bytes) === '{' ? new JsonBody(bytes) : readYaml(bytes);
  const typeMeta = body.typeMeta();
  const typeId = schemas.ofKind(typeMeta.apiVersion, typeMeta.kind);
  if (typeId === undefined) return untyped(body, `${nameOf(typeMeta)} is no built-in type`);
  const { value, problems } = codecs.of(typeId).fromJson(body);
  // What the type does not know would be lost.
  return problems.length > 0 ? untyped(body, problems.join(', ')) : { typeMeta, typeId, value };
}

function untyped(body: JsonBody, why: string): Opened {
  const { value } = body.value();
  if (!isObject(value)) throw new Error('the value is no object');
  return { typeId: undefined, value, why };
}

const nameOf = ({ apiVersion, kind }: TypeMeta): string =>
  kind === '' ? 'an object without kind' : `${kind} of ${apiVersion}`;

const firstCharacter = (bytes: Buffer): string | undefined =>
  /[^\s]/.exec(bytes.subarray(0, 1024).toString('latin1'))?.[0];
