/** OpenAPI 3.0 documents: one per section, complete in itself. */
import type { JsonObject } from '../../machinery/value.ts';
import { definitionName, reference, type SchemaDefinitions } from './schema-definitions.ts';
import type { Operation } from './operation.ts';
import type { Parameter } from './parameters.ts';
import { namedTypes, operationExtensions, pathItems, SECURITY_SCHEME } from './paths.ts';
import type { Section } from './sections.ts';

export function documentV3(version: string, { operations }: Section, definitions: SchemaDefinitions): JsonObject {
  const paths = pathItems(operations).map(({ path, shared, operations }) => [
    path,
    {
      ...Object.fromEntries(
        operations.map(({ operation, own }) => [operation.method, renderOperation(operation, own)]),
      ),
      ...(shared.length > 0 && { parameters: shared.map(renderParameter) }),
    },
  ]);
  const schemas = definitions.closure(namedTypes(operations));
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version },
    paths: Object.fromEntries(paths) as JsonObject,
    components: { ...(Object.keys(schemas).length > 0 && { schemas }), securitySchemes: SECURITY_SCHEME },
  };
}

function renderOperation(operation: Operation, own: readonly Parameter[]): JsonObject {
  const { description, consumes = [], produces, tag, operationId, body, responses } = operation;
  return {
    tags: [tag],
    description,
    operationId,
    ...(own.length > 0 && { parameters: own.map(renderParameter) }),
    ...(body && { requestBody: { content: content(consumes, body.type), ...(body.required && { required: true }) } }),
    responses: Object.fromEntries(
      Object.entries(responses).map(([code, { description, type }]) => [
        code,
        { description, ...(type && { content: content(produces, type) }) },
      ]),
    ),
    ...operationExtensions(operation),
  };
}

function content(mediaTypes: readonly string[], type: string): JsonObject {
  const schema = type === 'string' ? { type: 'string' } : reference('v3', definitionName(type));
  return Object.fromEntries([...mediaTypes].sort().map((mediaType) => [mediaType, { schema }]));
}

const renderParameter = ({ name, in: where, type, description }: Parameter): JsonObject => ({
  name,
  in: where,
  ...(description && { description }),
  ...(where === 'path' && { required: true }),
  schema: { type, uniqueItems: true },
});
