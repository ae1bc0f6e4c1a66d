/**
 * The policy that the labels of a namespace ask for.
 * @see {@link
 *   https://kubernetes.io/docs/concepts/security/pod-security-admission/#pod-security-admission-labels-for-namespaces |
 *   Labels for namespaces}
 */
import { type FieldError, invalid } from '../../../machinery/field-error.ts';
import { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';

export const levels = ['privileged', 'baseline', 'restricted'] as const;

export type Level = (typeof levels)[number];

export interface LevelVersion {
  readonly level: Level;
  /** Minor version of the standard; `latest` is the newest known. */
  readonly version: 'latest' | number;
}

export interface Policy {
  readonly enforce: LevelVersion;
  readonly audit: LevelVersion;
  readonly warn: LevelVersion;
  /** What is wrong with the labels. */
  readonly errors: readonly FieldError[];
}

export const levelVersionText = ({ level, version }: LevelVersion): string =>
  `${level}:${version === 'latest' ? version : `v1.${version}`}`;

export const isStricter = (a: Level, b: Level): boolean => levels.indexOf(a) > levels.indexOf(b);

const unrestricted: LevelVersion = { level: 'privileged', version: 'latest' };
const prefix = 'pod-security.kubernetes.io/';

/** What counts for namespaces without labels. */
export type PolicyDefaults = Omit<Policy, 'errors'>;

export const noDefaults: PolicyDefaults = { enforce: unrestricted, audit: unrestricted, warn: unrestricted };

/** A level that cannot be read counts as the strictest where it is enforced, and as none elsewhere. */
export function policyOf(
  labels: Readonly<Record<string, string>> | undefined,
  defaults: PolicyDefaults = noDefaults,
): Policy {
  if (labels === undefined) return { ...defaults, errors: [] };
  const errors = new FieldErrors();
  const read = (
    mode: 'enforce' | 'audit' | 'warn',
    fallback: Level,
  ): {
    readonly level: Level | undefined;
    readonly version: LevelVersion['version'] | undefined;
    readonly isBad: boolean;
  } => {
    const level = readLabel(labels, `${prefix}${mode}`, parseLevel, errors);
    const version = readLabel(labels, `${prefix}${mode}-version`, parseVersion, errors);
    return {
      level: level.isBad ? fallback : level.value,
      version: version.isBad ? 'latest' : version.value,
      isBad: level.isBad,
    };
  };
  const enforced = read('enforce', 'restricted');
  const audited = read('audit', 'privileged');
  const warned = read('warn', 'privileged');
  const enforce = { ...defaults.enforce, ...present(enforced) };
  // With a valid enforce label and no valid warn label, warnings have the enforced level.
  const follows =
    !enforced.isBad &&
    enforced.level !== undefined &&
    (warned.level === undefined || warned.isBad) &&
    isStricter(enforced.level, warned.isBad ? 'privileged' : defaults.warn.level);
  const warn = follows
    ? { level: enforce.level, version: warned.version ?? enforce.version }
    : { ...defaults.warn, ...present(warned) };
  return { enforce, audit: { ...defaults.audit, ...present(audited) }, warn, errors };
}

const present = ({
  level,
  version,
}: {
  readonly level: Level | undefined;
  readonly version: LevelVersion['version'] | undefined;
}): Partial<LevelVersion> => ({
  ...(level === undefined ? {} : { level }),
  ...(version === undefined ? {} : { version }),
});

interface Reading<T> {
  readonly value: T | undefined;
  readonly isBad: boolean;
}

function readLabel<T>(
  labels: Readonly<Record<string, string>>,
  label: string,
  parse: Kind<T>,
  errors: FieldErrors,
): Reading<T> {
  const text = Object.hasOwn(labels, label) ? labels[label] : undefined;
  if (text === undefined) return { value: undefined, isBad: false };
  const value = parse(text);
  if (value === undefined) errors.push(invalid(FieldPath.of('metadata', 'labels').key(label), text, parse.message));
  return { value, isBad: value === undefined };
}

/** Undefined for a text that it does not know; `message` says what it would know. */
interface Kind<T> {
  (text: string): T | undefined;
  readonly message: string;
}

export const parseLevel: Kind<Level> = Object.assign((text: string) => levels.find((level) => level === text), {
  message: `must be one of ${levels.join(', ')}`,
});

export const parseVersion: Kind<LevelVersion['version']> = Object.assign(
  (text: string) => {
    if (text === 'latest') return text;
    const match = /^v1\.(0|[1-9]\d*)$/.exec(text);
    return match === null ? undefined : Number(match[1]);
  },
  { message: 'must be "latest" or "v1.x"' },
);
