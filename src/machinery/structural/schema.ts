/**
 * Structural schemas of custom resources, read once from the OpenAPI schema of a definition: the shape by which values
 * are pruned and defaulted lies open, what values must be beyond their shape stays in `rules`.
 * @see {@link
 *   https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema
 *   | Specifying a structural schema}
 */
import { keysOf, memberOf } from '../members.ts';
import { isObject, type JsonObject, type JsonValue } from '../value.ts';

export interface Structural {
  /** `object`, `array`, `string`, …; '' where any type may stand. */
  readonly type: string;
  readonly nullable: boolean;
  readonly intOrString: boolean;
  /** Has apiVersion, kind and metadata. True of the root. */
  readonly embedded: boolean;
  readonly preserve: boolean;
  readonly properties: ReadonlyMap<string, Structural>;
  /** Schema of the members that `properties` does not name; true for any value. */
  readonly additional: Structural | true | undefined;
  readonly items: Structural | undefined;
  readonly default: JsonValue | undefined;
  readonly listType: string;
  readonly listMapKeys: readonly string[];
  /** The schema itself: limits, enums, patterns, junctors. */
  readonly rules: JsonObject;
  /** Whether anything at or below it has a default, is nullable or not: whether defaulting has to look. */
  readonly hasDefaults: boolean;
}

export function readStructural(schema: JsonObject, isRoot = true): Structural {
  const properties = new Map<string, Structural>();
  const given = objectMember(schema, 'properties');
  for (const name of given === undefined ? [] : keysOf(given))
    properties.set(name, readStructural(given![name] as JsonObject, false));
  const additional = memberOf(schema, 'additionalProperties');
  const items = objectMember(schema, 'items');
  const readItems = items === undefined ? undefined : readStructural(items, false);
  const readAdditional = isObject(additional)
    ? readStructural(additional, false)
    : additional === true
      ? true
      : undefined;
  const keys = memberOf(schema, 'x-kubernetes-list-map-keys');
  const initial = memberOf(schema, 'default');
  return {
    type: textMember(schema, 'type'),
    nullable: memberOf(schema, 'nullable') === true,
    intOrString: memberOf(schema, 'x-kubernetes-int-or-string') === true,
    embedded: isRoot || memberOf(schema, 'x-kubernetes-embedded-resource') === true,
    preserve: memberOf(schema, 'x-kubernetes-preserve-unknown-fields') === true,
    properties,
    additional: readAdditional,
    items: readItems,
    default: initial,
    listType: textMember(schema, 'x-kubernetes-list-type'),
    listMapKeys: Array.isArray(keys) ? (keys as string[]) : [],
    rules: schema,
    hasDefaults:
      initial !== undefined ||
      [...properties.values()].some((property) => property.hasDefaults) ||
      readItems?.hasDefaults === true ||
      (readAdditional !== undefined && readAdditional !== true && readAdditional.hasDefaults),
  };
}

/** The schema of a member, `true` for one that may be anything. */
export const memberSchema = (schema: Structural, name: string): Structural | true | undefined =>
  schema.properties.get(name) ?? schema.additional;

export const identityMembers: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

function objectMember(schema: JsonObject, name: string): JsonObject | undefined {
  const value = memberOf(schema, name);
  return isObject(value) ? value : undefined;
}

function textMember(schema: JsonObject, name: string): string {
  const value = memberOf(schema, name);
  return typeof value === 'string' ? value : '';
}
