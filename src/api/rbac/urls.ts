/** `*` at the end matches any suffix. */
export const coversUrl = (own: string, url: string): boolean =>
  own === '*' || own === url || (own.endsWith('*') && url.startsWith(prefixOf(own)));

/** What is before the stars at the end. */
export function prefixOf(pattern: string): string {
  let end = pattern.length;
  while (end > 0 && pattern[end - 1] === '*') end--;
  return pattern.slice(0, end);
}
