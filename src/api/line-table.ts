/**
 * Generated tables keep a line of JSON per type, `["Name", …]`, in one text per package. A package's text is split when
 * the package is first asked for, a line is parsed when its type is: starting a process costs nothing, and unused
 * versions stay text.
 */
export class LineTable<Entry extends [name: string, ...unknown[]]> {
  readonly #texts: Readonly<Record<string, string>>;
  readonly #lines = new Map<string, Map<string, string>>();

  constructor(texts: Readonly<Record<string, string>>) {
    this.#texts = texts;
  }

  /** Names of a package in the order of the file. Throws for a package that does not exist. */
  names(packageName: string): string[] {
    return [...this.#linesOf(packageName).keys()];
  }

  has(packageName: string, name: string): boolean {
    return this.#linesOf(packageName).has(name);
  }

  /** Parses anew with every call. */
  entry(packageName: string, name: string): Entry | undefined {
    const line = this.#linesOf(packageName).get(name);
    return line === undefined ? undefined : (JSON.parse(line) as Entry);
  }

  #linesOf(packageName: string): Map<string, string> {
    const known = this.#lines.get(packageName);
    if (known !== undefined) return known;
    const text = Object.hasOwn(this.#texts, packageName) ? this.#texts[packageName] : undefined;
    if (text === undefined) throw new Error(`no package ${packageName}`);
    const split = new Map(text.split('\n').map((line) => [line.slice(2, line.indexOf('"', 2)), line]));
    this.#lines.set(packageName, split);
    return split;
  }
}
