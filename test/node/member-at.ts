/** A member of an object by its path. */

/** Lists are entered by `name` or `type`. */
export function memberAt(value: unknown, path: string): unknown {
  let current: unknown = value;
  for (const part of path.split('.')) {
    if (Array.isArray(current))
      current = (current as { name?: string; type?: string }[]).find(
        ({ name, type }) => name === part || type === part,
      );
    else current = (current as Record<string, unknown> | undefined)?.[part];
  }
  return current;
}
