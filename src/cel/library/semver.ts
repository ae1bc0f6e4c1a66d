/**
 * Semantic versions, which 1.32 has for device selectors only. @see {@link https://semver.org | Semantic Versioning
 * 2.0.0}
 */
import { globalOverload, type Library, memberOverload } from '../check/declarations.ts';
import { opaqueType } from '../check/types.ts';
import { CelError, Opaque, type Value } from '../values/values.ts';
import { intResult } from './arithmetic.ts';
import { B, I, S } from './signatures.ts';

const V = opaqueType('kubernetes.Semver');
const numeric = String.raw`0|[1-9]\d*`;
const prerelease = String.raw`(?:${numeric}|\d*[A-Za-z-][0-9A-Za-z-]*)`;
const build = '[0-9A-Za-z-]+';
const form = new RegExp(
  String.raw`^(${numeric})\.(${numeric})\.(${numeric})` +
    String.raw`(?:-(${prerelease}(?:\.${prerelease})*))?(?:\+${build}(?:\.${build})*)?$`,
);

class SemverValue extends Opaque {
  override readonly type = V;
  readonly numbers: readonly bigint[];
  /** Empty for a release, which is above all of them. */
  readonly preRelease: readonly string[];

  constructor(numbers: readonly bigint[], preRelease: readonly string[]) {
    super();
    this.numbers = numbers;
    this.preRelease = preRelease;
  }

  override equals(other: Opaque): boolean {
    return other instanceof SemverValue && this.compare(other) === 0;
  }

  compare(other: SemverValue): number {
    for (const [i, number] of this.numbers.entries())
      if (number !== other.numbers[i]) return number < other.numbers[i]! ? -1 : 1;
    if (this.preRelease.length === 0 || other.preRelease.length === 0)
      return Math.sign(other.preRelease.length - this.preRelease.length);
    for (const [i, part] of this.preRelease.entries()) {
      const order = other.preRelease[i] === undefined ? 1 : compareParts(part, other.preRelease[i]);
      if (order !== 0) return order;
    }
    return Math.sign(this.preRelease.length - other.preRelease.length);
  }
}

/** Numbers come before names. */
function compareParts(a: string, b: string): number {
  const [x, y] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (x && y) return BigInt(a) < BigInt(b) ? -1 : a === b ? 0 : 1;
  return x !== y ? (x ? -1 : 1) : a < b ? -1 : a === b ? 0 : 1;
}

function read(text: string): SemverValue | CelError {
  const match = text.length <= 256 ? form.exec(text) : null;
  if (match === null)
    return new CelError(
      `Semver parse error during conversion from string: ${JSON.stringify(text)} is no semantic version`,
    );
  return new SemverValue(match.slice(1, 4).map(BigInt), match[4]?.split('.') ?? []);
}

/** The version of a text; an error for what is none. */
export const semverOf = (text: string): Value => read(text);

type Compare = (a: SemverValue, b: SemverValue) => Value;
const part = (name: string, index: number) => ({
  name,
  overloads: [memberOverload(`semver_${name}`, [V], I, ({ numbers }: SemverValue) => intResult(numbers[index]!))],
});

export const semver: Library = {
  functions: [
    { name: 'semver', overloads: [globalOverload('string_to_semver', [S], V, read)] },
    {
      name: 'isSemver',
      overloads: [globalOverload('is_semver_string', [S], B, (text: string) => read(text) instanceof SemverValue)],
    },
    {
      name: 'isGreaterThan',
      overloads: [memberOverload('semver_is_greater_than', [V, V], B, ((a, b) => a.compare(b) > 0) as Compare)],
    },
    {
      name: 'isLessThan',
      overloads: [memberOverload('semver_is_less_than', [V, V], B, ((a, b) => a.compare(b) < 0) as Compare)],
    },
    {
      name: 'compareTo',
      overloads: [memberOverload('semver_compare_to', [V, V], I, ((a, b) => a.compare(b)) as Compare)],
    },
    part('major', 0),
    part('minor', 1),
    part('patch', 2),
  ],
  types: new Map([['kubernetes.Semver', V]]),
};
