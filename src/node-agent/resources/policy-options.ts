/** Values of policy options, as flags and documents write them. */

export class OptionError extends Error {
  override readonly name = 'OptionError';
}

const booleans: Readonly<Record<string, boolean>> = {
  ...Object.fromEntries(['1', 't', 'T', 'TRUE', 'true', 'True'].map((text) => [text, true])),
  ...Object.fromEntries(['0', 'f', 'F', 'FALSE', 'false', 'False'].map((text) => [text, false])),
};

export function booleanOption(name: string, value: string): boolean {
  const parsed = booleans[value];
  if (parsed === undefined) throw badValue(name, `strconv.ParseBool: parsing "${value}": invalid syntax`);
  return parsed;
}

export function integerOption(name: string, value: string): number {
  if (!/^[+-]?\d{1,9}$/.test(value)) throw badValue(name, `strconv.Atoi: parsing "${value}": invalid syntax`);
  return Number(value);
}

const badValue = (name: string, why: string): OptionError => new OptionError(`bad value for option "${name}": ${why}`);
