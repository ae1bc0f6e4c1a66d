/** Values of `--strict-transport-security-directives` and `--cors-allowed-origins`. */

const directive = /^(?:max-age=\d+|includeSubDomains|preload)$/;

export const isTransportSecurityDirective = (text: string): boolean => directive.test(text.trim());

/** What is wrong with a regular expression for origins: one that is open at an end lets others in that look alike. */
export function originProblem(pattern: string): string | undefined {
  try {
    new RegExp(pattern);
  } catch (error) {
    return `has an invalid regular expression: ${(error as Error).message}`;
  }
  if (!pattern.startsWith('^') && !pattern.includes('//'))
    return `has a regular expression that does not pin to start of host in the origin header: ${pattern}`;
  // What stands behind the host is a port, or nothing.
  return /[$:]/.test(pattern.slice(pattern.lastIndexOf('//') + 2))
    ? undefined
    : `has a regular expression that does not pin to end of host in the origin header: ${pattern}`;
}
