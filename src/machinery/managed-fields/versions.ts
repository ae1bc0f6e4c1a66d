/**
 * The API versions in which the fields of one object are recorded. Every manager's fields are paths of the version it
 * wrote, so a change is compared once per version.
 */
import type { JsonObject, JsonValue } from '../value.ts';
import { compareObjects, type Comparison } from './compare.ts';
import type { FieldSet } from './field-set.ts';
import { jsonEncoded } from './json-encoder.ts';
import type { MergeType } from './merge-type.ts';
import type { ValueEncoding } from './typed-value.ts';

/** Leaves out fields that a request to this resource or subresource does not change. */
export type FieldFilter = (fields: FieldSet) => FieldSet;

export interface VersionedType {
  readonly apiVersion: string;
  readonly type: MergeType;
}

/** What a resource with several versions brings. */
export interface VersionSource {
  /** Type of the object in a version; undefined for one that is not served any more. */
  typeOf(apiVersion: string): string | MergeType | undefined;
  /** The object in another version, normalized. `object` is normalized or a JSON value, and must not be changed. */
  convert(object: JsonObject, from: string, to: string): JsonObject;
}

export class Versions {
  readonly current: VersionedType;
  readonly #others: VersionSource | undefined;
  readonly #typeById: (type: string | MergeType) => MergeType;
  readonly #encoding: ValueEncoding;

  constructor(
    current: VersionedType,
    others: VersionSource | undefined,
    typeById: (type: string | MergeType) => MergeType,
    encoding: ValueEncoding,
  ) {
    this.current = current;
    this.#others = others;
    this.#typeById = typeById;
    this.#encoding = encoding;
  }

  typeOf(apiVersion: string): MergeType | undefined {
    if (apiVersion === this.current.apiVersion) return this.current.type;
    const type = this.#others?.typeOf(apiVersion);
    return type === undefined ? undefined : this.#typeById(type);
  }

  /** As a JSON value; undefined when the version is gone. */
  convert(value: JsonValue, from: string, to: string): JsonValue | undefined {
    if (from === to) return value;
    const type = this.typeOf(to);
    if (type === undefined || this.#others === undefined) return undefined;
    const converted = this.#others.convert(value as JsonObject, from, to);
    return this.#encoding === 'normalized' ? jsonEncoded(type, converted) : converted;
  }

  /** What changed, by version; made when asked for. */
  comparisons(
    before: JsonObject,
    after: JsonObject,
    filter: FieldFilter,
    encoding: ValueEncoding,
  ): (apiVersion: string) => Comparison | undefined {
    const made = new Map<string, Comparison | undefined>();
    return (apiVersion) => {
      if (!made.has(apiVersion)) made.set(apiVersion, this.#compare(before, after, apiVersion, filter, encoding));
      return made.get(apiVersion);
    };
  }

  #compare(
    before: JsonObject,
    after: JsonObject,
    apiVersion: string,
    filter: FieldFilter,
    encoding: ValueEncoding,
  ): Comparison | undefined {
    const current = this.current.apiVersion;
    const type = this.typeOf(apiVersion);
    if (type === undefined) return undefined;
    if (apiVersion === current) return filtered(compareObjects(type, before, after, encoding), filter);
    const [old, now] = [this.convert(before, current, apiVersion), this.convert(after, current, apiVersion)];
    return old === undefined || now === undefined
      ? undefined
      : filtered(compareObjects(type, old as JsonObject, now as JsonObject, 'json'), filter);
  }
}

const filtered = ({ removed, modified, added }: Comparison, filter: FieldFilter): Comparison => ({
  removed: filter(removed),
  modified: filter(modified),
  added: filter(added),
});
