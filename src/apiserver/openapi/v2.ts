/**
 * The OpenAPI 2.0 document: everything that is served, in one. Parameters that mean the same everywhere are written
 * once and referred to.
 */
import { createHash } from 'node:crypto';
import type { JsonObject } from '../../machinery/value.ts';
import { definitionName, reference, type SchemaDefinitions } from './schema-definitions.ts';
import type { Operation } from './operation.ts';
import type { Parameter } from './parameters.ts';
import { namedTypes, operationExtensions, pathItems, SECURITY_SCHEME } from './paths.ts';
import type { Section } from './sections.ts';

/**
 * Clients find out what a server can do by looking for these in the operation itself, so they are never referred to.
 */
const ALWAYS_WRITTEN: ReadonlySet<string> = new Set(['name', 'dryRun', 'fieldValidation']);

export function documentV2(version: string, sections: readonly Section[], definitions: SchemaDefinitions): JsonObject {
  const operations = sections.flatMap((section) => section.operations);
  const parameters = new SharedParameters();
  const paths = pathItems(operations).map(({ path, shared, operations }) => [
    path,
    {
      ...Object.fromEntries(
        operations.map(({ operation, own }) => [operation.method, renderOperation(operation, own, parameters)]),
      ),
      ...(shared.length > 0 && { parameters: shared.map((parameter) => parameters.use(renderParameter(parameter))) }),
    },
  ]);
  return {
    swagger: '2.0',
    info: { title: 'Kubernetes', version },
    paths: Object.fromEntries(paths) as JsonObject,
    definitions: definitions.closure(namedTypes(operations)),
    parameters: parameters.all(),
    securityDefinitions: SECURITY_SCHEME,
    security: [{ BearerToken: [] }],
  };
}

function renderOperation(operation: Operation, own: readonly Parameter[], shared: SharedParameters): JsonObject {
  const { description, consumes, produces, tag, operationId, body, responses } = operation;
  const parameters = [...(body ? [renderBody(body)] : []), ...own.map(renderParameter)].map((parameter) =>
    shared.use(parameter),
  );
  return {
    description,
    ...(consumes && { consumes: [...consumes] }),
    produces: [...produces],
    schemes: ['https'],
    tags: [tag],
    operationId,
    ...(parameters.length > 0 && { parameters }),
    responses: Object.fromEntries(
      Object.entries(responses).map(([code, { description, type }]) => [
        code,
        { description, ...(type && { schema: renderType(type) }) },
      ]),
    ),
    ...operationExtensions(operation),
  };
}

const renderType = (type: string): JsonObject =>
  type === 'string' ? { type: 'string' } : reference('v2', definitionName(type));

const renderBody = ({ type, required }: NonNullable<Operation['body']>): JsonObject => ({
  name: 'body',
  in: 'body',
  ...(required && { required }),
  schema: renderType(type),
});

const renderParameter = ({ name, in: where, type, description }: Parameter): JsonObject => ({
  uniqueItems: true,
  type,
  ...(description && { description }),
  name,
  in: where,
  ...(where === 'path' && { required: true }),
});

/** Parameters by a name made of their content, so that the same parameter has the same name in every document. */
class SharedParameters {
  readonly #byName = new Map<string, JsonObject>();

  /** A reference to the parameter, or the parameter where it has to stand in its operation. */
  use(parameter: JsonObject): JsonObject {
    const name = String(parameter['name']);
    if (ALWAYS_WRITTEN.has(name) || (parameter['in'] === 'body' && !isGeneric(parameter))) return parameter;
    const hash = createHash('sha256').update(JSON.stringify(parameter)).digest();
    const key = `${name}-${hash.subarray(0, 6).toString('base64url')}`;
    this.#byName.set(key, parameter);
    return { $ref: `#/parameters/${key}` };
  }

  all(): JsonObject {
    return Object.fromEntries([...this.#byName].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

/** A body that many kinds take, such as a patch. */
function isGeneric(parameter: JsonObject): boolean {
  const { $ref } = parameter['schema'] as { $ref: string };
  return $ref.startsWith('#/definitions/io.k8s.apimachinery.');
}
