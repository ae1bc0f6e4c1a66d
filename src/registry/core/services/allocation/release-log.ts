/**
 * What repairs have released of one range, and at which revisions: by it a server knows whether a number that was its
 * service's at some revision still is. Only repairs write it, in the transaction that releases.
 *
 * It forgets: `forgottenUpTo` says up to which revision. What was released until then is not known any more, and taken
 * to be everything: a number whose owner has it since before counts as released, which is safe.
 */
export interface Release {
  readonly revision: number;
  readonly numbers: readonly number[];
}

/** `everything`: the range was rebuilt, and earlier allocations are unknown. */
export type ReleasedNumbers = readonly number[] | 'everything';

/** As stored: the last release has no revision, because no write knows its own. It is the revision of the key. */
interface StoredLog {
  readonly forgottenUpTo: number;
  readonly releases: readonly { readonly revision?: number; readonly numbers?: readonly number[] }[];
}

/** How many numbers are remembered. A write of a service takes seconds; to leak as many takes hours. */
const maxNumbers = 1_000;

export class ReleaseLog {
  static readonly empty = new ReleaseLog(0, []);
  readonly #forgottenUpTo: number;
  /** The oldest first. */
  readonly #releases: readonly Release[];

  private constructor(forgottenUpTo: number, releases: readonly Release[]) {
    this.#forgottenUpTo = forgottenUpTo;
    this.#releases = releases;
  }

  /** `revision`: that of the key. What cannot be read says that everything may have been released then. */
  static read(value: Uint8Array, revision: number): ReleaseLog {
    const { forgottenUpTo, releases } = parse(value) ?? { forgottenUpTo: revision, releases: [] };
    const all = releases.map((release) => ({ ...release, revision: release.revision ?? revision }));
    const begin = all.findLastIndex(({ numbers }) => numbers === undefined);
    const kept = all.slice(begin + 1).map(({ numbers = [], ...release }) => ({ ...release, numbers }));
    return new ReleaseLog(Math.max(forgottenUpTo, all[begin]?.revision ?? 0), kept);
  }

  /** Whether a repair has released the number after that revision, or may have. */
  isReleasedSince(number: number, revision: number): boolean {
    if (revision < this.#forgottenUpTo) return true;
    return this.#releases.some((release) => release.revision > revision && release.numbers.includes(number));
  }

  /** What to store when these are released now. */
  with(numbers: ReleasedNumbers): Buffer {
    const isEverything = numbers === 'everything' || numbers.length > maxNumbers;
    if (isEverything) return encode({ forgottenUpTo: this.#forgottenUpTo, releases: [{}] });
    let count = numbers.length;
    const first = this.#releases.findLastIndex((release) => (count += release.numbers.length) > maxNumbers);
    const forgottenUpTo = Math.max(this.#forgottenUpTo, this.#releases[first]?.revision ?? 0);
    return encode({ forgottenUpTo, releases: [...this.#releases.slice(first + 1), { numbers }] });
  }
}

const encode = (log: StoredLog): Buffer => Buffer.from(JSON.stringify(log));

const isNumber = (value: unknown): boolean => typeof value === 'number';
const isNumbers = (value: unknown): boolean => Array.isArray(value) && value.every(isNumber);

function parse(value: Uint8Array): StoredLog | undefined {
  try {
    const { forgottenUpTo, releases } = JSON.parse(Buffer.from(value).toString()) as StoredLog;
    const areRead = releases.every(({ revision = 0, numbers = [] }) => isNumber(revision) && isNumbers(numbers));
    return isNumber(forgottenUpTo) && areRead ? { forgottenUpTo, releases } : undefined;
  } catch {
    return undefined;
  }
}
