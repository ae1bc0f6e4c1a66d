/**
 * Objects that are kept for long, with their equal parts in memory once.
 *
 * The pods of one workload differ in little more than their names, and a change of an object in little more than its
 * status: tens of thousands of objects then take a fraction of the memory. What was replaced is garbage at once, before
 * the collector has moved it to where collections are rare.
 */

/** What lies deeper stays as it is: users decide how deep the content of a custom resource is. */
const maxDepth = 32;

/**
 * Puts parts of `known` in the place of equal parts of `fresh`, which nothing else may refer to yet.
 * @param known is only read
 * @returns `known` itself where all is equal, else `fresh`
 */
export const shareEqualParts = <T>(known: unknown, fresh: T): T => share(known, fresh, maxDepth) as T;

function share(known: unknown, fresh: unknown, depth: number): unknown {
  // Of equal texts too only one is kept.
  if (known === fresh) return known;
  if (depth === 0 || !isObject(known) || !isObject(fresh)) return fresh;
  if (Array.isArray(fresh)) return Array.isArray(known) ? shareItems(known, fresh, depth) : fresh;
  const prototype: unknown = Object.getPrototypeOf(fresh);
  const isPlain = prototype === null || prototype === Object.prototype;
  return isPlain && Object.getPrototypeOf(known) === prototype ? shareMembers(known, fresh, depth) : fresh;
}

type Members = Record<string, unknown>;

const isObject = (value: unknown): value is Members => typeof value === 'object' && value !== null;

function shareItems(known: readonly unknown[], fresh: unknown[], depth: number): readonly unknown[] {
  let isSame = known.length === fresh.length;
  for (let i = 0; i < fresh.length; i++) {
    const item = share(known[i], fresh[i], depth - 1);
    fresh[i] = item;
    if (item !== known[i]) isSame = false;
  }
  return isSame ? known : fresh;
}

function shareMembers(known: Members, fresh: Members, depth: number): Members {
  let isSame = true;
  let missing = 0;
  for (const _ in known) missing++;
  for (const name in fresh) {
    missing--;
    const before = known[name];
    const member = share(before, fresh[name], depth - 1);
    fresh[name] = member;
    if (member !== before) isSame = false;
  }
  return isSame && missing === 0 ? known : fresh;
}
