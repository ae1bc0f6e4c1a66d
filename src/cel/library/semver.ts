/**
 * Semantic versions, which 1.32 has for device selectors only. @see {@link https://semver.org | Semantic Versioning
 * 2.0.0}
 */
import { globalOverload, type Library, memberOverload } from '../check/declarations.ts';
import { opaqueType } from '../check/types.ts';
import {
  compareSemanticVersions,
  parseSemanticVersion,
  type SemanticVersion,
} from '../../machinery/formats/semantic-version.ts';
import { CelError, Opaque, type Value } from '../values/values.ts';
import { intResult } from './arithmetic.ts';
import { B, I, S } from './signatures.ts';

const V = opaqueType('kubernetes.Semver');

class SemverValue extends Opaque {
  override readonly type = V;
  readonly version: SemanticVersion;

  constructor(version: SemanticVersion) {
    super();
    this.version = version;
  }

  override equals(other: Opaque): boolean {
    return other instanceof SemverValue && this.compare(other) === 0;
  }

  compare(other: SemverValue): number {
    return compareSemanticVersions(this.version, other.version);
  }
}

function read(text: string): SemverValue | CelError {
  const version = parseSemanticVersion(text);
  return version === undefined
    ? new CelError(`Semver parse error during conversion from string: ${JSON.stringify(text)} is no semantic version`)
    : new SemverValue(version);
}

/** The version of a text; an error for what is none. */
export const semverOf = (text: string): Value => read(text);

type Compare = (a: SemverValue, b: SemverValue) => Value;
const part = (name: string, index: number) => ({
  name,
  overloads: [
    memberOverload(`semver_${name}`, [V], I, ({ version }: SemverValue) => intResult(version.numbers[index]!)),
  ],
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
