/**
 * Figures that are read when they are asked for, in the text format of Prometheus.
 * @see {@link https://prometheus.io/docs/instrumenting/exposition_formats/ | Exposition formats}
 */

export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge';
}

export type Labels = Readonly<Record<string, string>>;

export class Exposition {
  readonly #lines = new Map<Family, string[]>();

  /** @param atMs when it was so, in milliseconds since 1970; absent: now. An undefined value is not there */
  add(family: Family, labels: Labels, value: number | undefined, atMs?: number): void {
    if (value === undefined) return;
    let lines = this.#lines.get(family);
    if (lines === undefined) this.#lines.set(family, (lines = []));
    lines.push(`${family.name}${labelText(labels)} ${value}${atMs === undefined ? '' : ` ${atMs}`}`);
  }

  /** Families in the order of their names. */
  text(): string {
    return [...this.#lines]
      .sort(([a], [b]) => (a.name < b.name ? -1 : 1))
      .map(([{ name, help, type }, lines]) => `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('\n')}\n`)
      .join('');
  }
}

/** JSON escapes what the format wants escaped. */
function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}
