/** `$(NAME)` in commands, arguments, values and paths. */

/** `$$(NAME)` stands for `$(NAME)`; what is not known stays as it is written. */
export function expanded(text: string, values: ReadonlyMap<string, string>): string {
  return text.replace(/\$\$|\$\(([^)]*)\)/g, (written, name?: string) =>
    name === undefined ? '$' : (values.get(name) ?? written),
  );
}

/** The first name that has no value, where all must have one. */
export function firstUnknown(text: string, values: ReadonlyMap<string, string>): string | undefined {
  for (const [, name] of text.matchAll(/\$\$|\$\(([^)]*)\)/g)) if (name !== undefined && !values.has(name)) return name;
  return undefined;
}
