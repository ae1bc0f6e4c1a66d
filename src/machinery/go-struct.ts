/**
 * Structs as Go's `%#v` prints them: every field of the type in its order, absent ones as their zero values.
 * @see {@link https://pkg.go.dev/fmt | package fmt}
 */
import { goQuote, GoSyntax } from './go-quote.ts';
import { TruncatedText, truncateQuoted } from './truncated-text.ts';

/** `core.ServicePort{Name:"", Port:80}`; what the fields show is Go syntax already. As much as an error shows. */
export function goFields(typeName: string, fields: Readonly<Record<string, string>>): GoSyntax {
  const text = new TruncatedText().add(`${typeName}{`);
  text.addAll(Object.entries(fields), ', ', ([name, shown]) => text.add(`${name}:${shown}`));
  return new GoSyntax(text.add('}').toString());
}

export const goText = (text: string | undefined): string => truncateQuoted(text ?? '', goQuote);

/** `(*bool)(nil)`, or an address, which is another one each time: what is there is not shown. */
export const goPointer = (typeName: string, value: unknown): string =>
  `(*${typeName})(${value === undefined ? 'nil' : '0xc000000000'})`;

const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/** `time.Date(2024, time.May, 1, 10, 0, 0, 0, time.UTC)`; an absent time is Go's zero time. */
export function goDate(text = '0001-01-01T00:00:00Z'): string {
  const [, year, month, ...rest] = /^(\d+)-(\d+)-(\d+)T(\d+):(\d+):(\d+)/.exec(text) ?? [];
  const numbers = rest.map(Number).join(', ');
  return `time.Date(${Number(year)}, time.${months[Number(month) - 1]}, ${numbers}, 0, time.UTC)`;
}
