/**
 * Schemas of kinds as the server publishes them.
 * @see {@link https://kubernetes.io/docs/concepts/overview/kubernetes-api/#openapi-interface-definition | OpenAPI}
 */
import type { OpenApiSchema } from '../../cel/schema/schema-type.ts';
import type { Client } from '../../client/index.ts';
import { readBytes, statusErrorOf } from '../../client/status-answer.ts';
import type { KindName } from './sync.ts';

interface Published extends OpenApiSchema {
  readonly $ref?: string;
  readonly allOf?: readonly Published[];
  readonly oneOf?: readonly Published[];
  readonly 'x-kubernetes-group-version-kind'?: readonly KindName[];
}

interface Document {
  readonly components?: { readonly schemas?: Readonly<Record<string, Published>> };
}

interface Index {
  readonly paths?: Readonly<Record<string, { readonly serverRelativeURL?: string }>>;
}

/** Schemas that are kept, by the document that they are from: its address changes with its content. */
const maxKept = 100;

export class OpenApiSchemas {
  readonly #client: Pick<Client, 'request'>;
  readonly #known = new Map<string, OpenApiSchema | undefined>();

  constructor(client: Pick<Client, 'request'>) {
    this.#client = client;
  }

  /** The schema of a kind without references; undefined where none is published. Rejects when it cannot be read. */
  async schemaOf(kind: KindName, signal?: AbortSignal): Promise<OpenApiSchema | undefined> {
    const { paths } = (await this.#get('/openapi/v3', signal)) as Index;
    const path = kind.group === '' ? `api/${kind.version}` : `apis/${kind.group}/${kind.version}`;
    const url = paths?.[path]?.serverRelativeURL;
    if (url === undefined) return undefined;
    const key = `${url} ${kind.kind}`;
    if (!this.#known.has(key)) {
      const schema = find((await this.#get(url, signal)) as Document, kind);
      if (this.#known.size >= maxKept) this.#known.clear();
      this.#known.set(key, schema);
    }
    return this.#known.get(key);
  }

  async #get(path: string, signal?: AbortSignal): Promise<unknown> {
    const headers = { accept: 'application/json' };
    const answer = await this.#client.request({ method: 'GET', path, headers, signal });
    try {
      if (answer.status !== 200) throw await statusErrorOf(answer);
      return JSON.parse((await readBytes(answer)).toString());
    } finally {
      answer.end();
    }
  }
}

function find({ components }: Document, { group, version, kind }: KindName): OpenApiSchema | undefined {
  const schemas = components?.schemas ?? {};
  const found = Object.entries(schemas).find(([, schema]) =>
    schema['x-kubernetes-group-version-kind']?.some(
      (each) => each.group === group && each.version === version && each.kind === kind,
    ),
  );
  return found === undefined ? undefined : resolved(found[1], schemas, [found[0]]);
}

const prefix = '#/components/schemas/';

/** In place of what contains itself. */
const anything: OpenApiSchema = { type: 'object', nullable: true, 'x-kubernetes-preserve-unknown-fields': true };

/** @param within names of the schemas around it */
function resolved(
  schema: Published,
  schemas: Readonly<Record<string, Published>>,
  within: readonly string[],
): OpenApiSchema {
  const { $ref, allOf, oneOf, ...own } = schema;
  if ($ref !== undefined) {
    const name = $ref.slice(prefix.length);
    const target = schemas[name];
    if (target === undefined || within.includes(name)) return anything;
    return { ...resolved(target, schemas, [...within, name]), ...own };
  }
  if (allOf?.length === 1) return { ...resolved(allOf[0]!, schemas, within), ...own };
  if (own.format === 'int-or-string' || (own.type === undefined && oneOf !== undefined))
    return { ...own, 'x-kubernetes-int-or-string': true };
  const { properties, items, additionalProperties, ...rest } = own;
  const inner = (each: OpenApiSchema): OpenApiSchema => resolved(each, schemas, within);
  return {
    ...rest,
    ...(properties === undefined
      ? {}
      : { properties: Object.fromEntries(Object.entries(properties).map(([name, each]) => [name, inner(each)])) }),
    ...(items === undefined ? {} : { items: Array.isArray(items) ? items.map(inner) : inner(items as OpenApiSchema) }),
    ...(additionalProperties === undefined
      ? {}
      : {
          additionalProperties:
            typeof additionalProperties === 'object' ? inner(additionalProperties) : additionalProperties,
        }),
  };
}
