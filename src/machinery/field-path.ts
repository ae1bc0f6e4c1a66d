import { truncateText } from './truncated-text.ts';

/** Names and keys come from clients. Those that are valid are shorter. */
const maxSegmentLength = 1024;

/**
 * Where in an object an error is: `spec.containers[0].env[1].name`, `metadata.annotations[a/b]`.
 * Immutable; the text is made only when an error is reported.
 */
export class FieldPath {
  readonly #parent: FieldPath | undefined;
  readonly #segment: string;

  private constructor(parent: FieldPath | undefined, segment: string) {
    this.#parent = parent;
    this.#segment = segment.length <= maxSegmentLength ? segment : truncateText(segment, maxSegmentLength);
  }

  static of(name: string, ...more: string[]): FieldPath {
    return more.reduce((path, part) => path.child(part), new FieldPath(undefined, name));
  }

  /** No path at all: the object itself. Prints as `<nil>`, as upstream does. */
  static readonly root = new FieldPath(undefined, '');

  child(name: string, ...more: string[]): FieldPath {
    let path = new FieldPath(this, this === FieldPath.root ? name : `.${name}`);
    for (const part of more) path = path.child(part);
    return path;
  }

  index(index: number): FieldPath {
    return new FieldPath(this, `[${index}]`);
  }

  key(key: string): FieldPath {
    return new FieldPath(this, `[${key}]`);
  }

  toString(): string {
    return this === FieldPath.root ? '<nil>' : this.#text();
  }

  #text(): string {
    return this.#parent === undefined ? this.#segment : this.#parent.#text() + this.#segment;
  }
}
