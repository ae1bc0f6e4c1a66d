/**
 * The OpenAPI documents of a server: made when first asked for, kept as bytes, each with the hash that clients cache
 * by.
 *
 * No HTTP here. The endpoint that serves them negotiates among {@link V2_ENCODINGS} and {@link V3_ENCODINGS}, quotes
 * `etag` in the ETag header, and for version 3 compares the `hash` parameter: with the right one the answer may be
 * cached for good, with another one it is a redirect to the right one.
 *
 * @see {@link https://kubernetes.io/docs/concepts/overview/kubernetes-api/#openapi-interface-definition | OpenAPI
 *   interface definition}
 * @see {@link https://kep.k8s.io/2896 | KEP-2896} for version 3
 */
import { createHash } from 'node:crypto';
import type { GroupVersionInfo } from '../../api/resources.ts';
import type { JsonObject } from '../../machinery/value.ts';
import { customDefinitions, customReferences } from './custom.ts';
import { SchemaDefinitions } from './schema-definitions.ts';
import { basePath } from './operations.ts';
import { mergeV2, type PartV2 } from './merge-v2.ts';
import { encodeV2 } from './protobuf-v2.ts';
import { encodeV3 } from './protobuf-v3.ts';
import { buildSections, type Section } from './sections.ts';
import { documentV2 } from './v2.ts';
import { documentV3 } from './v3.ts';

export type Encoding = 'json' | 'protobuf';

export interface Rendition {
  readonly body: Uint8Array;
  readonly contentType: string;
  /** SHA-512 in upper-case hex, without quotes. */
  readonly etag: string;
}

/** Media types that clients may ask for, best first, and the encoding of each. */
export const V2_ENCODINGS: Readonly<Record<string, Encoding>> = {
  'application/json': 'json',
  'application/com.github.proto-openapi.spec.v2@v1.0+protobuf': 'protobuf',
  'application/com.github.proto-openapi.spec.v2.v1.0+protobuf': 'protobuf',
};
export const V3_ENCODINGS: Readonly<Record<string, Encoding>> = {
  'application/json': 'json',
  'application/com.github.proto-openapi.spec.v3@v1.0+protobuf': 'protobuf',
  'application/com.github.proto-openapi.spec.v3.v1.0+protobuf': 'protobuf',
};
const PROTOBUF_TYPES = {
  v2: 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
  v3: 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf',
};

export interface OpenApiOptions {
  /** Of the server: `v1.32.0`. */
  readonly version: string;
  /**
   * What is served: enabled group versions with enabled resources and subresources only. Another list when that
   * changes.
   */
  readonly groupVersions: () => readonly GroupVersionInfo[];
}

export class OpenApi {
  readonly #version: string;
  readonly #served: OpenApiOptions['groupVersions'];
  #groupVersions: readonly GroupVersionInfo[] = [];
  readonly #kept = new Map<string, Rendition>();
  /** Hashes of the sections in version 3, which the index names. */
  readonly #etags = new Map<string, string>();
  #sections: ReadonlyMap<string, Section> = new Map();
  /** Of other servers, in version 2. */
  #parts: readonly PartV2[] = [];

  constructor({ version, groupVersions }: OpenApiOptions) {
    this.#version = version;
    this.#served = groupVersions;
  }

  /** `/openapi/v2`. @param parts of other servers; another list when that changes */
  v2(encoding: Encoding, parts: readonly PartV2[] = this.#parts): Rendition {
    const sections = this.#current();
    if (parts !== this.#parts) this.#forgetV2();
    this.#parts = parts;
    return this.#keep(`v2 ${encoding}`, () => {
      const document = mergeV2(
        documentV2(this.#version, [...sections.values()], this.#definitions('v2', this.#groupVersions)),
        parts,
      );
      return encoding === 'json' ? renderJson(document) : render(encodeV2(document), PROTOBUF_TYPES.v2);
    });
  }

  /** `/openapi/v3`: where the document of each section lies. @param remote where those of others lie, by key */
  v3Index(remote: ReadonlyMap<string, string> = new Map()): Rendition {
    const sections = this.#current();
    const make = (): Rendition => {
      const own = [...sections.values()].map(({ key }) => [key, `/openapi/v3/${key}?hash=${this.#etag(key)}`] as const);
      const paths = [...own, ...remote].map(([key, serverRelativeURL]) => [key, { serverRelativeURL }]);
      return render(jsonBytes({ paths: Object.fromEntries(paths) as JsonObject }), 'text/plain; charset=utf-8');
    };
    return remote.size === 0 ? this.#keep('v3', make) : make();
  }

  /** `/openapi/v3/<key>`, for example `apis/apps/v1`; undefined where there is no such section. */
  v3(key: string, encoding: Encoding): Rendition | undefined {
    const section = this.#current().get(key);
    if (section === undefined) return undefined;
    const json = this.#keep(`v3 json ${key}`, () => renderJson(this.#v3(section)));
    if (encoding === 'json') return json;
    // Both encodings have the hash of the JSON, which the index names.
    return this.#keep(`v3 protobuf ${key}`, () => ({
      ...json,
      body: encodeV3(this.#v3(section)),
      contentType: PROTOBUF_TYPES.v3,
    }));
  }

  #etag(key: string): string {
    let etag = this.#kept.get(`v3 json ${key}`)?.etag ?? this.#etags.get(key);
    if (etag === undefined) this.#etags.set(key, (etag = renderJson(this.#v3(this.#sections.get(key)!)).etag));
    return etag;
  }

  #v3(section: Section): JsonObject {
    return documentV3(
      this.#version,
      section,
      this.#definitions(
        'v3',
        this.#groupVersions.filter(({ group, version }) => basePath(group, version).slice(1) === section.key),
      ),
    );
  }

  #definitions(dialect: 'v2' | 'v3', groupVersions: readonly GroupVersionInfo[]): SchemaDefinitions {
    const custom = groupVersions
      .flatMap(({ resources }) => resources)
      .flatMap((resource) => customDefinitions(resource, dialect));
    return new SchemaDefinitions(
      dialect,
      new Map(custom.map(([id, definition]) => [id, { definition, references: customReferences }])),
    );
  }

  /** The sections of what is served now. Of what was made before, that stays which would come out the same. */
  #current(): ReadonlyMap<string, Section> {
    const groupVersions = this.#served();
    if (groupVersions === this.#groupVersions) return this.#sections;
    const before = new Map(this.#groupVersions.map((info) => [info.apiVersion, info]));
    const isSame = (info: GroupVersionInfo): boolean => {
      const old = before.get(info.apiVersion);
      return (
        old !== undefined &&
        old.resources.length === info.resources.length &&
        old.resources.every((resource, i) => resource === info.resources[i])
      );
    };
    const changed = [
      ...groupVersions.filter((info) => !isSame(info)),
      ...this.#groupVersions.filter(({ apiVersion }) => !groupVersions.some((info) => info.apiVersion === apiVersion)),
    ];
    this.#forgetV2();
    this.#kept.delete('v3');
    for (const { group, version } of changed) this.#forget(basePath(group, version).slice(1));
    this.#groupVersions = groupVersions;
    this.#sections = new Map(buildSections(groupVersions).map((section) => [section.key, section]));
    return this.#sections;
  }

  #forgetV2(): void {
    for (const encoding of ['json', 'protobuf']) this.#kept.delete(`v2 ${encoding}`);
  }

  #forget(key: string): void {
    this.#etags.delete(key);
    for (const encoding of ['json', 'protobuf']) this.#kept.delete(`v3 ${encoding} ${key}`);
  }

  #keep(key: string, make: () => Rendition): Rendition {
    let rendition = this.#kept.get(key);
    if (rendition === undefined) this.#kept.set(key, (rendition = make()));
    return rendition;
  }
}

const jsonBytes = (value: JsonObject): Uint8Array => Buffer.from(JSON.stringify(value));
const renderJson = (document: JsonObject): Rendition => render(jsonBytes(document), 'application/json');

function render(body: Uint8Array, contentType: string): Rendition {
  return { body, contentType, etag: createHash('sha512').update(body).digest('hex').toUpperCase() };
}
