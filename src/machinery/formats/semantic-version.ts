/** Semantic versions. @see {@link https://semver.org | Semantic Versioning 2.0.0} */
const numeric = String.raw`0|[1-9]\d*`;
const prerelease = String.raw`(?:${numeric}|\d*[A-Za-z-][0-9A-Za-z-]*)`;
const build = '[0-9A-Za-z-]+';
const form = new RegExp(
  String.raw`^(${numeric})\.(${numeric})\.(${numeric})` +
    String.raw`(?:-(${prerelease}(?:\.${prerelease})*))?(?:\+${build}(?:\.${build})*)?$`,
);
const maxLength = 256;

export interface SemanticVersion {
  /** Major, minor, patch. */
  readonly numbers: readonly bigint[];
  /** Empty for a release, which is above all of its pre-releases. */
  readonly preRelease: readonly string[];
}

/** Undefined for what is none. */
export function parseSemanticVersion(text: string): SemanticVersion | undefined {
  const match = text.length <= maxLength ? form.exec(text) : null;
  return match === null
    ? undefined
    : { numbers: match.slice(1, 4).map(BigInt), preRelease: match[4]?.split('.') ?? [] };
}

/** Of any length. */
export const isSemanticVersion = (text: string): boolean => form.test(text);

/** Negative when `a` is older. Metadata of the build does not count (section 10). */
export function compareSemanticVersions(a: SemanticVersion, b: SemanticVersion): number {
  for (const [i, number] of a.numbers.entries()) if (number !== b.numbers[i]) return number < b.numbers[i]! ? -1 : 1;
  if (a.preRelease.length === 0 || b.preRelease.length === 0)
    return Math.sign(b.preRelease.length - a.preRelease.length);
  for (const [i, part] of a.preRelease.entries()) {
    const order = b.preRelease[i] === undefined ? 1 : compareParts(part, b.preRelease[i]);
    if (order !== 0) return order;
  }
  return Math.sign(a.preRelease.length - b.preRelease.length);
}

/** Numbers come before names. */
function compareParts(a: string, b: string): number {
  const [x, y] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (x && y) return BigInt(a) < BigInt(b) ? -1 : a === b ? 0 : 1;
  return x !== y ? (x ? -1 : 1) : a < b ? -1 : a === b ? 0 : 1;
}
