/** `name=value`, comma separated. Throws for what is none. */
export const labelsOf = (value: string): Record<string, string> =>
  Object.fromEntries(
    value.split(',').map((pair) => {
      const [name = '', ...rest] = pair.split('=');
      if (name === '' || rest.length === 0) throw new Error(`must be pairs of the form name=value, got ${pair}`);
      return [name.trim(), rest.join('=').trim()];
    }),
  );
