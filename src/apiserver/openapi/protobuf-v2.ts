/**
 * The protobuf encoding of an OpenAPI 2.0 document, which clients ask for by the media type
 * `application/com.github.proto-openapi.spec.v2@v1.0+protobuf`. Field numbers are those of the public OpenAPIv2.proto;
 * the tables have what our documents use.
 */
import { isObject, type JsonObject } from '../../machinery/value.ts';
import {
  any,
  choose,
  double,
  each,
  encodeDocument,
  flag,
  integer,
  isReference,
  message,
  messageTable,
  named,
  text,
  wrapped,
} from './message-table.ts';

export function encodeV2(document: JsonObject): Uint8Array {
  return encodeDocument(document, DOCUMENT);
}

const SCHEMA = messageTable(
  () => ({
    $ref: text(1),
    format: text(2),
    title: text(3),
    description: text(4),
    default: any(5),
    multipleOf: double(6),
    maximum: double(7),
    exclusiveMaximum: flag(8),
    minimum: double(9),
    exclusiveMinimum: flag(10),
    maxLength: integer(11),
    minLength: integer(12),
    pattern: text(13),
    maxItems: integer(14),
    minItems: integer(15),
    uniqueItems: flag(16),
    maxProperties: integer(17),
    minProperties: integer(18),
    required: each(text(19)),
    enum: each(any(20)),
    additionalProperties: wrapped(
      21,
      choose((value) => (typeof value === 'boolean' ? flag(2) : message(1, SCHEMA))),
    ),
    type: wrapped(
      22,
      choose((value) => (Array.isArray(value) ? each(text(1)) : text(1))),
    ),
    items: wrapped(
      23,
      choose((value) => (Array.isArray(value) ? each(message(1, SCHEMA)) : message(1, SCHEMA))),
    ),
    allOf: each(message(24, SCHEMA)),
    properties: wrapped(25, named(1, message(2, SCHEMA))),
    discriminator: text(26),
    readOnly: flag(27),
    example: any(30),
  }),
  31,
);

const JSON_REFERENCE = messageTable(() => ({ $ref: text(1), description: text(2) }));

const BODY_PARAMETER = messageTable(
  () => ({
    description: text(1),
    name: text(2),
    in: text(3),
    required: flag(4),
    schema: message(5, SCHEMA),
  }),
  6,
);

const QUERY_PARAMETER = messageTable(
  () => ({
    required: flag(1),
    in: text(2),
    description: text(3),
    name: text(4),
    type: text(6),
    format: text(7),
    uniqueItems: flag(20),
  }),
  23,
);

const PATH_PARAMETER = messageTable(
  () => ({
    required: flag(1),
    in: text(2),
    description: text(3),
    name: text(4),
    type: text(5),
    format: text(6),
    uniqueItems: flag(19),
  }),
  22,
);

/** Numbers of what is in the body have those of the query, and those of headers have those of the path. */
const PLACES = {
  header: [1, PATH_PARAMETER],
  formData: [2, QUERY_PARAMETER],
  query: [3, QUERY_PARAMETER],
  path: [4, PATH_PARAMETER],
} as const;

const parameter = choose((value) => {
  const where = isObject(value) ? value['in'] : undefined;
  if (where === 'body') return message(1, BODY_PARAMETER);
  const [number, table] =
    typeof where === 'string' && Object.hasOwn(PLACES, where) ? PLACES[where as keyof typeof PLACES] : PLACES.query;
  return wrapped(2, message(number, table));
});

const parameterOrReference = choose((value) =>
  isReference(value) ? message(2, JSON_REFERENCE) : wrapped(1, parameter),
);

const RESPONSE = messageTable(() => ({ description: text(1), schema: wrapped(2, message(1, SCHEMA)) }), 5);

const OPERATION = messageTable(
  () => ({
    tags: each(text(1)),
    summary: text(2),
    description: text(3),
    operationId: text(5),
    produces: each(text(6)),
    consumes: each(text(7)),
    parameters: each(wrapped(8, parameterOrReference)),
    responses: wrapped(
      9,
      named(
        1,
        wrapped(
          2,
          choose((value) => (isReference(value) ? message(2, JSON_REFERENCE) : message(1, RESPONSE))),
        ),
      ),
    ),
    schemes: each(text(10)),
    deprecated: flag(11),
  }),
  13,
);

const PATH_ITEM = messageTable(
  () => ({
    get: message(2, OPERATION),
    put: message(3, OPERATION),
    post: message(4, OPERATION),
    delete: message(5, OPERATION),
    options: message(6, OPERATION),
    head: message(7, OPERATION),
    patch: message(8, OPERATION),
    parameters: each(wrapped(9, parameterOrReference)),
  }),
  10,
);

const API_KEY = messageTable(() => ({ type: text(1), name: text(2), in: text(3), description: text(4) }), 5);

const DOCUMENT = messageTable(
  () => ({
    swagger: text(1),
    info: message(
      2,
      messageTable(() => ({ title: text(1), version: text(2), description: text(3) }), 7),
    ),
    paths: wrapped(8, named(2, message(2, PATH_ITEM))),
    definitions: wrapped(9, named(1, message(2, SCHEMA))),
    parameters: wrapped(10, named(1, wrapped(2, parameter))),
    security: each(wrapped(12, named(1, wrapped(2, each(text(1)))))),
    securityDefinitions: wrapped(13, named(1, wrapped(2, message(2, API_KEY)))),
  }),
  16,
);
