/** The requests of the complexity test: each puts much into one place, and says how much. */
import { codecs } from '../../src/api/codecs.ts';
import { groupVersions, type ResourceInfo } from '../../src/api/resources.ts';
import { schemas } from '../../src/api/schemas.ts';
import { writeEnvelope } from '../../src/machinery/codec/envelope.ts';
import { writeYaml } from '../../src/machinery/json/yaml.ts';
import type { JsonObject, JsonValue } from '../../src/machinery/value.ts';
import { minimalNames, minimalObjects } from '../fixtures/minimal-objects.ts';
import type { MemoryRequest } from '../support/memory-exchange.ts';
import { type Place, Places, placeText } from './places.ts';
import { Values, varieties, type Variety } from './values.ts';

export interface Case {
  /** Tells it from all others: `v1 pods spec.containers[] different update yaml`. */
  readonly name: string;
  /** Cases of one group exercise the same declaration of a field, in other kinds. */
  readonly group: string;
  readonly variety?: Variety;
  /** The request with about `size` bytes; undefined where the encoding of the body has no such object. */
  request(size: number): MemoryRequest | undefined;
}

export const operations = ['create', 'update', 'merge', 'strategic', 'jsonPatch', 'apply'] as const;
export type Operation = (typeof operations)[number];
export const formats = ['json', 'yaml', 'protobuf'] as const;
export type Format = (typeof formats)[number];

export interface Combination {
  readonly operation: Operation;
  readonly format: Format;
}

/** Patches are JSON, but for a configuration, which may be YAML as well. */
export const combinations: readonly Combination[] = operations.flatMap((operation) =>
  formats
    .filter(
      (format) =>
        operation === 'create' ||
        operation === 'update' ||
        format === 'json' ||
        (operation === 'apply' && format === 'yaml'),
    )
    .map((format) => ({ operation, format })),
);

const places = new Places(schemas);
const values = new Values(schemas);
const pathOf = ({ apiVersion, group, namespaced, name }: ResourceInfo): string =>
  `${group === '' ? '/api' : '/apis'}/${apiVersion}/${namespaced ? 'namespaces/default/' : ''}${name}`;
const keyOf = ({ group, name }: ResourceInfo): string => `${group}/${name}`;

/** The least valid object of a kind. */
export function minimalObject(info: ResourceInfo): JsonObject {
  const name = minimalNames[keyOf(info)] ?? 'minimal';
  const metadata = { name, ...(info.namespaced ? { namespace: 'default' } : {}) };
  return {
    apiVersion: info.apiVersion,
    kind: info.kind,
    metadata,
    ...structuredClone(minimalObjects[keyOf(info)]),
  } as unknown as JsonObject;
}

/** Resources that are stored, and those that only answer. */
const resources = groupVersions.flatMap((info) => info.resources);
const stored = resources.filter(({ storage }) => storage !== undefined);
const answered = resources.filter(({ storage, verbs }) => storage === undefined && verbs.includes('create'));

/** What the cases that change an object need to be there. Kinds that several groups serve are there after the first. */
export const setup: readonly MemoryRequest[] = stored
  .filter(
    ({ group, name }, i) =>
      group !== 'events.k8s.io' && stored.findIndex((other) => other.group === group && other.name === name) === i,
  )
  .map((info) => ({
    method: 'POST',
    target: pathOf(info),
    headers: [['content-type', 'application/json']],
    body: Buffer.from(JSON.stringify(minimalObject(info))),
  }));

/** Every place of every stored kind, in each variety, by each way of writing it. */
export const storedCases = (): Case[] =>
  stored.flatMap((info) =>
    placesOf(info).flatMap((place) =>
      varieties.flatMap((variety) => combinations.map((combination) => storedCase(info, place, variety, combination))),
    ),
  );

/** Every place of what is sent to resources that only answer, such as reviews. */
export const answeredCases = (): Case[] =>
  answered.flatMap((info) =>
    placesOf(info).flatMap((place) =>
      varieties.map((variety) => {
        const minimal = {
          apiVersion: info.apiVersion,
          kind: info.kind,
          metadata: info.namespaced ? { namespace: 'default' } : {},
        } as unknown as JsonObject;
        return {
          name: `${info.apiVersion} ${info.name} ${placeText(place)} ${variety}`,
          group: place.declaredAt,
          variety,
          request: (size: number) => ({
            method: 'POST',
            target: pathOf(info),
            headers: jsonHeaders,
            body: jsonBody(values.fill(minimal, place, variety, size)),
          }),
        };
      }),
    ),
  );

/** What the server owns is not read from clients. */
const placesOf = (info: ResourceInfo): Place[] => places.of(info.type);

const jsonHeaders = [['content-type', 'application/json']] as const;
const jsonBody = (value: JsonValue): Buffer => Buffer.from(JSON.stringify(value));

function storedCase(info: ResourceInfo, place: Place, variety: Variety, { operation, format }: Combination): Case {
  return {
    name: `${info.apiVersion} ${info.name} ${placeText(place)} ${variety} ${operation} ${format}`,
    group: place.declaredAt,
    variety,
    request(size) {
      const object = values.fill(minimalObject(info), place, variety, size);
      return operation === 'create'
        ? createRequest(info, object, format)
        : changeRequest(info, object, place, operation, format);
    },
  };
}

/** Under a name of its own, where the kind leaves it open: what is there already is refused. */
function createRequest(info: ResourceInfo, object: JsonObject, format: Format): MemoryRequest | undefined {
  const metadata = object['metadata'] as Record<string, JsonValue>;
  if (metadata['name'] === 'minimal') metadata['name'] = 'another';
  const body = bodyOf(info, object, format);
  return body === undefined ? undefined : { method: 'POST', target: `${pathOf(info)}?dryRun=All`, ...body };
}

const patchTypes: Readonly<Record<Exclude<Operation, 'create' | 'update'>, string>> = {
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  jsonPatch: 'application/json-patch+json',
  apply: 'application/apply-patch+yaml',
};

function changeRequest(
  info: ResourceInfo,
  object: JsonObject,
  place: Place,
  operation: Exclude<Operation, 'create'>,
  format: Format,
): MemoryRequest | undefined {
  const subresource =
    place.path[0]!.json === 'status' && info.subresources.some(({ name }) => name === 'status') ? '/status' : '';
  const target = `${pathOf(info)}/${minimalNames[keyOf(info)] ?? 'minimal'}${subresource}?dryRun=All`;
  if (operation === 'update') {
    const body = bodyOf(info, object, format);
    return body === undefined ? undefined : { method: 'PUT', target, ...body };
  }
  const headers = [['content-type', patchTypes[operation]]] as const;
  if (operation === 'apply')
    return {
      method: 'PATCH',
      target: `${target}&fieldManager=complexity&force=true`,
      headers,
      body: format === 'yaml' ? Buffer.from(writeYaml(object)) : jsonBody(object),
    };
  return {
    method: 'PATCH',
    target,
    headers,
    body: jsonBody(operation === 'jsonPatch' ? patchOperations(object, place) : object),
  };
}

/** Each item is an operation of its own, up to the number that a patch may have. */
function patchOperations(object: JsonObject, { path, what }: Place): JsonValue {
  const pointer: string[] = [];
  let value: JsonValue = object;
  for (const { json, shape } of path.slice(0, -1)) {
    pointer.push(json);
    value = (value as Record<string, JsonValue>)[json]!;
    if (shape === 'single') continue;
    const key: string = Object.keys(value as object)[0]!;
    pointer.push(key);
    value = (value as Record<string, JsonValue>)[key]!;
  }
  const last = path.at(-1)!.json;
  const large = (value as Record<string, JsonValue>)[last]!;
  const at = `/${[...pointer, last].map((name) => name.replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`;
  if (what !== 'list' || !Array.isArray(large) || large.length > maxOperations)
    return [{ op: 'add', path: at, value: large }];
  return [{ op: 'add', path: at, value: [] }, ...large.map((item) => ({ op: 'add', path: `${at}/-`, value: item }))];
}

const maxOperations = 9_999;

function bodyOf(
  info: ResourceInfo,
  object: JsonObject,
  format: Format,
): Pick<MemoryRequest, 'headers' | 'body'> | undefined {
  if (format === 'json') return { headers: jsonHeaders, body: jsonBody(object) };
  if (format === 'yaml')
    return { headers: [['content-type', 'application/yaml']], body: Buffer.from(writeYaml(object)) };
  const codec = codecs.of(info.type);
  try {
    const message = codec.encode(codec.normalize(object).value as JsonObject);
    return {
      headers: [['content-type', 'application/vnd.kubernetes.protobuf']],
      body: writeEnvelope(info.apiVersion, info.kind, message),
    };
  } catch {
    // Some of what JSON can say has no message, and does not get that far.
    return undefined;
  }
}
