/** Reads a document by a description of what it may have. What it does not have stays absent. */
import { type FieldError, forbidden, typeInvalid } from './field-error.ts';
import type { FieldPath } from './field-path.ts';
import { parseDuration } from './duration.ts';

/**
 * `[shape]` is a list; an object has members by name, or any members where its only one is `*`; `any` is taken as it
 * is.
 */
export type Shape =
  | 'string'
  | 'boolean'
  | 'integer'
  | 'number'
  /** `15s`; read as milliseconds. */
  | 'duration'
  | 'any'
  | readonly [Shape]
  | { readonly [member: string]: Shape };

type Members = Readonly<Record<string, unknown>>;

/** Every error is added to `errors`; what is read then is of no use. */
export function readShape(value: unknown, shape: Shape, path: FieldPath, errors: FieldError[]): unknown {
  if (value === undefined || value === null) return undefined;
  if (shape === 'any') return value;
  if (typeof shape === 'string') return readScalar(value, shape, path, errors);
  return isList(shape) ? readList(value, shape[0], path, errors) : readMembers(value, shape, path, errors);
}

const isList = (shape: Shape): shape is readonly [Shape] => Array.isArray(shape);

function readList(value: unknown, shape: Shape, path: FieldPath, errors: FieldError[]): unknown[] {
  if (Array.isArray(value)) return value.map((item, i) => readShape(item, shape, path.index(i), errors));
  errors.push(typeInvalid(path, shown(value), 'must be a list'));
  return [];
}

function readMembers(
  value: unknown,
  shape: { readonly [member: string]: Shape },
  path: FieldPath,
  errors: FieldError[],
): Members {
  if (typeof value !== 'object' || Array.isArray(value)) {
    errors.push(typeInvalid(path, shown(value), 'must be an object'));
    return {};
  }
  const members: Record<string, unknown> = {};
  const every = shape['*'];
  for (const [name, member] of Object.entries(value as Members)) {
    const known = every ?? (Object.hasOwn(shape, name) ? shape[name] : undefined);
    const at = every === undefined ? path.child(name) : path.key(name);
    if (known === undefined) errors.push(forbidden(at, 'unknown field'));
    else if (member !== null) members[name] = readShape(member, known, at, errors);
  }
  return members;
}

function readScalar(
  value: unknown,
  type: 'string' | 'boolean' | 'integer' | 'number' | 'duration',
  path: FieldPath,
  errors: FieldError[],
): unknown {
  if (type === 'duration') return readDuration(value, path, errors);
  const isRight = type === 'integer' ? Number.isSafeInteger(value) : typeof value === type;
  if (!isRight) errors.push(typeInvalid(path, shown(value), `must be ${article(type)} ${type}`));
  return value;
}

const article = (type: string): string => (type === 'integer' ? 'an' : 'a');

const nanosecondsPerMillisecond = 1e6;

function readDuration(value: unknown, path: FieldPath, errors: FieldError[]): number | undefined {
  try {
    if (typeof value === 'string') return Number(parseDuration(value)) / nanosecondsPerMillisecond;
  } catch {
    // As any other text that is none.
  }
  errors.push(typeInvalid(path, shown(value), 'must be a duration, such as 15s'));
  return undefined;
}

const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
