/** What the parser of upstream passes over: escapes that are none, and semicolons, which once divided parameters. */
const unreadable = /;|%(?![0-9A-Fa-f]{2})/;

/** The query of a request target, without the question mark. A parameter that cannot be read is not there. */
export function parseQuery(text: string): URLSearchParams {
  const readable = unreadable.test(text)
    ? text
        .split('&')
        .filter((parameter) => !unreadable.test(parameter))
        .join('&')
    : text;
  // A question mark in front would be taken away, and what stands there may be the first character of a name.
  return new URLSearchParams(`?${readable}`);
}

/** Go's boolean query parameter: present and not `0` or `false`. */
export function queryFlag(value: string | null): boolean {
  return value !== null && value !== '0' && value.toLowerCase() !== 'false';
}

export const flagParameter = (query: URLSearchParams, name: string): boolean =>
  query.has(name) && queryFlag(query.get(name));
