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
