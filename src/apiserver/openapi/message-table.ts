/**
 * A table maps the members of a JSON object to fields of a protobuf message; a document is written by its table.
 * Members that no table has are left out, extensions (`x-…`) are written as the table says.
 */
import { ProtoWriter } from '../../base/protobuf/writer.ts';
import { isObject, type JsonObject, type JsonValue } from '../../machinery/value.ts';

export type Write = (out: ProtoWriter, value: JsonValue) => void;

export interface MessageTable {
  /** Functions, so that tables can name each other. */
  readonly members: () => Readonly<Record<string, Write>>;
  /** Field of the list of named extensions. */
  readonly extensions?: number;
}

export function messageTable(members: () => Record<string, Write>, extensions?: number): MessageTable {
  let made: Record<string, Write> | undefined;
  return { members: () => (made ??= members()), ...(extensions !== undefined && { extensions }) };
}

/** A whole document. */
export function encodeDocument(document: JsonObject, table: MessageTable): Uint8Array {
  const out = new ProtoWriter(initialBytes);
  writeMembers(out, document, table);
  return new Uint8Array(out.finish());
}

const initialBytes = 64 * 1024;

function writeMembers(out: ProtoWriter, object: JsonValue, table: MessageTable): void {
  if (!isObject(object)) return;
  const writers = table.members();
  for (const [name, value] of Object.entries(object).reverse()) {
    if (value === undefined) continue;
    const write = Object.hasOwn(writers, name) ? writers[name] : undefined;
    if (write) write(out, value);
    else if (table.extensions !== undefined && name.startsWith('x-'))
      named(table.extensions, anyField)(out, { [name]: value });
  }
}

export const text =
  (field: number): Write =>
  (out, value) => {
    if (typeof value === 'string') out.string(field, value);
  };
export const flag =
  (field: number): Write =>
  (out, value) => {
    if (typeof value === 'boolean') out.uint(field, value ? 1 : 0);
  };
export const integer =
  (field: number): Write =>
  (out, value) => {
    if (Number.isSafeInteger(value) && (value as number) >= 0) out.uint(field, value as number);
  };
export const double =
  (field: number): Write =>
  (out, value) => {
    if (typeof value === 'number') out.double(field, value);
  };

export function nested(out: ProtoWriter, field: number, write: () => void): void {
  const end = out.length;
  write();
  out.message(field, end);
}

/** A message whose fields are the members of the object. */
export const message =
  (field: number, table: MessageTable): Write =>
  (out, value) =>
    nested(out, field, () => writeMembers(out, value, table));

/** A message around what another writer writes. */
export const wrapped =
  (field: number, write: Write): Write =>
  (out, value) =>
    nested(out, field, () => write(out, value));

/** One field per element. */
export const each =
  (write: Write): Write =>
  (out, value) => {
    if (Array.isArray(value)) for (const element of value.toReversed()) write(out, element);
  };

/** A map as a list of messages with the name (1) and what `write` makes of the value. */
export const named =
  (field: number, write: Write): Write =>
  (out, value) => {
    if (!isObject(value)) return;
    for (const [name, member] of Object.entries(value).reverse()) {
      if (member === undefined) continue;
      nested(out, field, () => {
        write(out, member);
        out.string(1, name);
      });
    }
  };

/** Any value: as YAML, of which JSON is a part. */
export const any =
  (field: number): Write =>
  (out, value) =>
    nested(out, field, () => out.string(2, JSON.stringify(value)));
const anyField = any(2);

export const choose =
  (select: (value: JsonValue) => Write): Write =>
  (out, value) =>
    select(value)(out, value);
export const isReference = (value: JsonValue): boolean => isObject(value) && '$ref' in value;
