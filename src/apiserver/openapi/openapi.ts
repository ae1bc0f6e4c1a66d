/**
 * The OpenAPI documents of a server: made when first asked for, kept as bytes, each with the hash that clients cache by.
 *
 * No HTTP here. The endpoint that serves them negotiates among {@link V2_FORMS} and {@link V3_FORMS}, quotes `etag` in
 * the ETag header, and for version 3 compares the `hash` parameter: with the right one the answer may be cached for
 * good, with another one it is a redirect to the right one.
 *
 * @see {@link https://kubernetes.io/docs/concepts/overview/kubernetes-api/#openapi-interface-definition | OpenAPI interface definition}
 * @see {@link https://kep.k8s.io/2896 | KEP-2896} for version 3
 */
import { createHash } from 'node:crypto';
import type { GroupVersionInfo } from '../../api/resources.ts';
import type { JsonObject } from '../../machinery/value.ts';
import { Definitions } from './definitions.ts';
import { encodeV2 } from './protobuf-v2.ts';
import { encodeV3 } from './protobuf-v3.ts';
import { buildSections, type Section } from './sections.ts';
import { documentV2 } from './v2.ts';
import { documentV3 } from './v3.ts';

export type Form = 'json' | 'protobuf';

export interface Rendition {
  readonly body: Uint8Array;
  readonly contentType: string;
  /** SHA-512 in upper-case hex, without quotes. */
  readonly etag: string;
}

/** Media types that clients may ask for, best first, and the form each of them gets. */
export const V2_FORMS: Readonly<Record<string, Form>> = {
  'application/json': 'json',
  'application/com.github.proto-openapi.spec.v2@v1.0+protobuf': 'protobuf',
  'application/com.github.proto-openapi.spec.v2.v1.0+protobuf': 'protobuf',
};
export const V3_FORMS: Readonly<Record<string, Form>> = {
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
  /** What is served: enabled group versions with enabled resources and subresources only. */
  readonly groupVersions: readonly GroupVersionInfo[];
}

export class OpenApi {
  readonly #version: string;
  readonly #groupVersions: readonly GroupVersionInfo[];
  readonly #kept = new Map<string, Rendition>();
  #sections: ReadonlyMap<string, Section> | undefined;

  constructor({ version, groupVersions }: OpenApiOptions) {
    this.#version = version;
    this.#groupVersions = groupVersions;
  }

  /** `/openapi/v2` */
  v2(form: Form): Rendition {
    return this.#keep(`v2 ${form}`, () => {
      const document = documentV2(this.#version, [...this.#all().values()], new Definitions('v2'));
      return form === 'json' ? renderJson(document) : render(encodeV2(document), PROTOBUF_TYPES.v2);
    });
  }

  /** `/openapi/v3`: where the document of each section lies. */
  v3Index(): Rendition {
    return this.#keep('v3', () => {
      const definitions = new Definitions('v3');
      const paths = [...this.#all().values()].map((section) => {
        const { etag } = this.#kept.get(`v3 json ${section.key}`) ?? renderJson(this.#v3(section, definitions));
        return [section.key, { serverRelativeURL: `/openapi/v3/${section.key}?hash=${etag}` }];
      });
      return render(jsonBytes({ paths: Object.fromEntries(paths) as JsonObject }), 'text/plain; charset=utf-8');
    });
  }

  /** `/openapi/v3/<key>`, for example `apis/apps/v1`; undefined where there is no such section. */
  v3(key: string, form: Form): Rendition | undefined {
    const section = this.#all().get(key);
    if (section === undefined) return undefined;
    const json = this.#keep(`v3 json ${key}`, () => renderJson(this.#v3(section, new Definitions('v3'))));
    if (form === 'json') return json;
    // Both forms have the hash of the JSON: it is what the index names.
    return this.#keep(`v3 protobuf ${key}`, () =>
      ({ ...json, body: encodeV3(this.#v3(section, new Definitions('v3'))), contentType: PROTOBUF_TYPES.v3 }));
  }

  #v3(section: Section, definitions: Definitions): JsonObject {
    return documentV3(this.#version, section, definitions);
  }

  #all(): ReadonlyMap<string, Section> {
    return (this.#sections ??= new Map(buildSections(this.#groupVersions).map((section) => [section.key, section])));
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
