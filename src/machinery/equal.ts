/**
 * Whether two API values mean the same. Unset and empty lists or maps are equal; unset and zero scalars are not (a
 * scalar that is no pointer is absent when zero, so only pointers can differ in that).
 */
export function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (a === undefined || a === null) return isUnset(b);
  if (b === undefined || b === null) return isUnset(a);
  if (typeof a !== 'object' || typeof b !== 'object') return isSameInteger(a, b);
  if (Array.isArray(a)) return Array.isArray(b) ? isEqualList(a, b) : false;
  return !Array.isArray(b) && isEqualObject(a as Record<string, unknown>, b as Record<string, unknown>);
}

function isEqualList(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!isEqual(a[i], b[i])) return false;
  return true;
}

function isEqualObject(a: Record<string, unknown>, b: Record<string, unknown>): boolean {
  // Whether a member is the object's own is asked only where it is not plainly the same.
  for (const key in a) if (a[key] !== b[key] && !isEqual(a[key], own(b, key))) return false;
  for (const key in b) if (a[key] !== b[key] && own(a, key) === undefined && !isUnset(b[key])) return false;
  return true;
}

/** A key that users chose can be the name of something every object inherits. */
const own = (object: Record<string, unknown>, key: string): unknown =>
  Object.hasOwn(object, key) ? object[key] : undefined;

/** Absent, or a list or map without members. A struct has a prototype and is set even when empty. */
function isUnset(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  if (typeof value !== 'object') return false;
  if (Array.isArray(value)) return value.length === 0;
  if (Object.getPrototypeOf(value) !== null) return false;
  for (const _ in value) return false;
  return true;
}

/** int64 values are bigints only where numbers are inexact, but a hand-made object may not know. */
const isSameInteger = (a: unknown, b: unknown): boolean =>
  ((typeof a === 'bigint' && typeof b === 'number') || (typeof a === 'number' && typeof b === 'bigint')) &&
  // eslint-disable-next-line eqeqeq
  (a as number) == (b as number);
