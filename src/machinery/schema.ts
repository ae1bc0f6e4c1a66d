/**
 * The type schema at run time: what `proto/` says, as data.
 *
 * Types are named `<package>.<Type>`, for example `core/v1.PodSpec`. The generated data in `api/gen/` fills a
 * {@link SchemaRegistry}; codecs, validation of types, merge and OpenAPI are driven by it, none has a case per kind.
 * Descriptions lie apart (`api/descriptions.ts`): only OpenAPI needs them.
 */

/** Types without fields of their own, whose JSON differs from the structure of their protobuf message. */
export type ScalarType =
  | 'string'
  | 'bytes'
  | 'bool'
  | 'int32'
  | 'int64'
  | 'uint32'
  | 'uint64'
  | 'double'
  | 'time'
  | 'microtime'
  | 'duration'
  | 'fieldsV1'
  | 'quantity'
  | 'intOrString'
  | 'rawExtension'
  | 'goDuration'
  | 'any';

/**
 * Types whose JSON is not an object of their fields: a message that JSON shows as a scalar, any JSON value (`json`;
 * `unknown` is runtime.Unknown, a value with its content type), or a choice between a JSON schema and something else.
 */
export type JsonType =
  | Extract<ScalarType, 'time' | 'microtime' | 'duration' | 'fieldsV1' | 'quantity' | 'intOrString' | 'rawExtension'>
  | 'json'
  | 'unknown'
  | 'schemaOrArray'
  | 'schemaOrBool'
  | 'schemaOrStringArray';

export interface Field {
  /** Name in JSON; '' for an inlined struct, '-' for a field that JSON does not have. */
  readonly json: string;
  /** Go's name, which error messages of upstream's JSON decoder show. */
  readonly name: string;
  /** A scalar, or the full name of a struct type. */
  readonly type: string;
  /** Protobuf field number; absent when the type has no protobuf message. */
  readonly number?: number;
  readonly repeated?: boolean;
  /** Key type of a map, whose value type is `type`; with `repeated` each value is a list (a wrapped message). */
  readonly mapKey?: 'string' | 'int32' | 'int64';
  /** Absent and zero differ; protobuf writes it only when set. */
  readonly pointer?: boolean;
  /** JSON leaves it out when zero; a struct that is no pointer is always written. */
  readonly omitempty?: boolean;
  readonly inline?: boolean;
  readonly required?: boolean;
  readonly patchStrategy?: string;
  readonly patchMergeKey?: string;
  /** Atomic when absent. */
  readonly listType?: 'atomic' | 'set' | 'map';
  readonly listMapKeys?: readonly string[];
  /** Granular when absent. */
  readonly mapType?: 'atomic' | 'granular';
  readonly structType?: 'atomic' | 'granular';
  readonly default?: unknown;
  /** The only valid values, sorted. */
  readonly enum?: readonly string[];
  /** Full name of Go's string type (`core/v1.Protocol`) of a value, and of a map's keys; decoding errors show it. */
  readonly named?: string;
  readonly keyNamed?: string;
  /** Full name of Go's list or map type (`core/v1.ResourceList`). */
  readonly alias?: string;
  /** At most one field of those with the same value is set. */
  readonly oneOf?: string;
  readonly featureGate?: string;
}

export interface TypeSchema {
  /** `core/v1.Pod` */
  readonly id: string;
  /** In declaration order, which is the order of the JSON members. */
  readonly fields: readonly Field[];
  /** Has apiVersion and kind. */
  readonly kind?: boolean;
  readonly namespaced?: boolean;
  readonly structType?: 'atomic' | 'granular';
  readonly unions?: readonly {
    readonly discriminator?: string;
    readonly fields: readonly { readonly fieldName: string; readonly discriminatorValue: string }[];
  }[];
  /** Its JSON is not an object of its fields. */
  readonly jsonType?: JsonType;
  /** Has no protobuf message (Table). */
  readonly noProto?: boolean;
  /** A named list or map, as a message with one field `items`. */
  readonly alias?: { readonly type: string; readonly repeated?: boolean; readonly mapKey?: Field['mapKey'] };
  readonly introduced?: string;
  readonly deprecated?: string;
  readonly removed?: string;
  /** `group,version,Kind` to use instead. */
  readonly replacement?: string;
}

export interface PackageSchema {
  /** `core/v1` */
  readonly name: string;
  /** API group; '' for core. */
  readonly group: string;
  readonly version: string;
  /** `k8s.io.api.core.v1`; '' for a package without protobuf messages. */
  readonly protoPackage: string;
  /** `k8s.io/api/core/v1`: Go's import path, which OpenAPI names come from. */
  readonly goPackage: string;
  /** `io.k8s.api.core.v1` */
  readonly openapiPrefix: string;
}

export interface SchemaRegistry {
  readonly packages: readonly PackageSchema[];
  /** Names of all types of a package. */
  typesOf(packageName: string): readonly string[];
  /** Throws for a name that does not exist: a programmer's error. */
  type(id: string): TypeSchema;
  /**
   * The type id of a kind: `('v1', 'Pod')` is `core/v1.Pod`. Kinds that every version has are found in each
   * (`('apps/v1', 'DeleteOptions')` is `meta/v1.DeleteOptions`).
   */
  ofKind(apiVersion: string, kind: string): string | undefined;
}
