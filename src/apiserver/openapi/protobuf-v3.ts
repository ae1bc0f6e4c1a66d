/**
 * The protobuf encoding of an OpenAPI 3.0 document, media type
 * `application/com.github.proto-openapi.spec.v3@v1.0+protobuf`. Field numbers are those of the public OpenAPIv3.proto;
 * the tables have what our documents use.
 *
 * A default can be a number, a boolean or a string in that encoding; others (`{}`) are left out.
 */
import type { JsonObject } from '../../machinery/value.ts';
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
  nested,
  text,
  wrapped,
  type MessageTable,
  type Write,
} from './message-table.ts';

export function encodeV3(document: JsonObject): Uint8Array {
  return encodeDocument(document, DOCUMENT);
}

const REFERENCE = messageTable(() => ({ $ref: text(1), summary: text(2), description: text(3) }));

/** What may be a reference is a message with the thing (1) or the reference (2). */
const orReference = (table: MessageTable): Write =>
  choose((value) => (isReference(value) ? message(2, REFERENCE) : message(1, table)));

const defaultValue: Write = (out, value) => {
  const field = DEFAULT_FIELDS[typeof value];
  if (field) nested(out, 33, () => field(out, value));
};
const DEFAULT_FIELDS: Readonly<Record<string, Write>> = { number: double(1), boolean: flag(2), string: text(3) };

const SCHEMA = messageTable(
  () => ({
    nullable: flag(1),
    readOnly: flag(3),
    writeOnly: flag(4),
    example: any(7),
    deprecated: flag(8),
    title: text(9),
    multipleOf: double(10),
    maximum: double(11),
    exclusiveMaximum: flag(12),
    minimum: double(13),
    exclusiveMinimum: flag(14),
    maxLength: integer(15),
    minLength: integer(16),
    pattern: text(17),
    maxItems: integer(18),
    minItems: integer(19),
    uniqueItems: flag(20),
    maxProperties: integer(21),
    minProperties: integer(22),
    required: each(text(23)),
    enum: each(any(24)),
    type: text(25),
    allOf: each(wrapped(26, schema)),
    oneOf: each(wrapped(27, schema)),
    anyOf: each(wrapped(28, schema)),
    not: message(29, SCHEMA),
    items: wrapped(30, wrapped(1, schema)),
    properties: wrapped(31, named(1, wrapped(2, schema))),
    additionalProperties: wrapped(
      32,
      choose((value) => (typeof value === 'boolean' ? flag(2) : wrapped(1, schema))),
    ),
    default: defaultValue,
    description: text(34),
    format: text(35),
  }),
  36,
);

const schema = orReference(SCHEMA);

const content = (field: number): Write =>
  wrapped(
    field,
    named(
      1,
      message(
        2,
        messageTable(() => ({ schema: wrapped(1, schema) }), 5),
      ),
    ),
  );

const PARAMETER = messageTable(
  () => ({
    name: text(1),
    in: text(2),
    description: text(3),
    required: flag(4),
    schema: wrapped(10, schema),
  }),
  14,
);

const REQUEST_BODY = messageTable(() => ({ description: text(1), content: content(2), required: flag(3) }), 4);

const RESPONSE = messageTable(() => ({ description: text(1), content: content(3) }), 5);

const OPERATION = messageTable(
  () => ({
    tags: each(text(1)),
    summary: text(2),
    description: text(3),
    operationId: text(5),
    parameters: each(wrapped(6, orReference(PARAMETER))),
    requestBody: wrapped(7, orReference(REQUEST_BODY)),
    responses: wrapped(8, named(2, wrapped(2, orReference(RESPONSE)))),
    deprecated: flag(10),
  }),
  13,
);

const PATH_ITEM = messageTable(
  () => ({
    get: message(4, OPERATION),
    put: message(5, OPERATION),
    post: message(6, OPERATION),
    delete: message(7, OPERATION),
    options: message(8, OPERATION),
    head: message(9, OPERATION),
    patch: message(10, OPERATION),
    parameters: each(wrapped(13, orReference(PARAMETER))),
  }),
  14,
);

const SECURITY_SCHEME = messageTable(() => ({ type: text(1), description: text(2), name: text(3), in: text(4) }), 9);

const COMPONENTS = messageTable(
  () => ({
    schemas: wrapped(1, named(1, wrapped(2, schema))),
    securitySchemes: wrapped(7, named(1, wrapped(2, orReference(SECURITY_SCHEME)))),
  }),
  10,
);

const DOCUMENT = messageTable(
  () => ({
    openapi: text(1),
    info: message(
      2,
      messageTable(() => ({ title: text(1), description: text(2), version: text(6) }), 7),
    ),
    paths: wrapped(4, named(1, message(2, PATH_ITEM))),
    components: message(5, COMPONENTS),
  }),
  9,
);
