/**
 * Placeholders of recorded answers: they stand for values that change from run to run. Within a case the same
 * placeholder is the same value, also in later requests. `<from:N>` is not of the recordings (see `list-versions.ts`):
 * the version of a list that is at least `<rv:N>`, `<exact:N>`, that of a list which is `<rv:N>`, and `<page:N>`, the
 * one that the list before had.
 */
import { randomUUID } from 'node:crypto';

const numbered = 'uid|rv|from|page|exact|ip|nodePort|nodeport|continue|random|suffix';
const plain = 'u|rv|listrv|continue|time|age|server|jwt|hash|pointer|number|text|present|go';
const pattern = new RegExp(String.raw`<((?:${numbered}):\d+|${plain})>`, 'g');

/** What a placeholder without equality may stand for. */
const shapes: Readonly<Record<string, string>> = {
  time: String.raw`(?:[0-9T:.Z+-]+|time\.Date\([^)]*\))`,
  age: '[^"]*',
  server: '[^"\\s]+',
  jwt: '[^"\\s]+',
  hash: '[0-9A-Za-z+/=]+',
  pointer: '0x[0-9a-f]+',
  number: '\\d+',
  text: '[\\s\\S]*',
  present: '[\\s\\S]*',
  go: '[\\s\\S]*',
  rv: '\\d+',
  listrv: '\\d+',
  continue: '[A-Za-z0-9_=-]+',
};

const boundShapes: Readonly<Record<string, string>> = {
  uid: '[0-9a-f-]{36}',
  rv: '\\d+',
  from: '\\d+',
  page: '\\d+',
  exact: '\\d+',
  ip: '[0-9a-f.:]+',
  nodePort: '\\d+',
  nodeport: '\\d+',
  continue: '[A-Za-z0-9_=-]+',
  random: '[a-z0-9]+',
  suffix: '[a-z0-9]+',
  u: 'u[a-z0-9]{6}',
};

const escapeRegex = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

export class Placeholders {
  readonly #bound = new Map<string, string>();
  #token: string | undefined;
  /** By the number of the version they are at least. */
  readonly #listVersions: (readonly [number: number, version: number])[] = [];

  constructor(own: string) {
    this.#bound.set('u', own);
  }

  /** One that knows what this one knows, and keeps what it learns to itself. */
  copy(): Placeholders {
    const copied = new Placeholders(this.#bound.get('u')!);
    for (const [name, value] of this.#bound) copied.#bound.set(name, value);
    copied.#token = this.#token;
    copied.#listVersions.push(...this.#listVersions);
    return copied;
  }

  bind(name: string, value: string): void {
    this.#bound.set(name, value);
  }

  /** Of all versions that were seen; undefined before the first one. */
  newestVersion(): string | undefined {
    const versions = [...this.#numbered(), ...this.#listVersions].map(([, version]) => version);
    return versions.length === 0 ? undefined : String(Math.max(...versions));
  }

  /** Versions of objects by their numbers. */
  #numbered(): (readonly [number: number, version: number])[] {
    return [...this.#bound]
      .filter(([name]) => name.startsWith('rv:'))
      .map(([name, value]) => [Number(name.slice(3)), Number(value)] as const)
      .sort((a, b) => a[0] - b[0]);
  }

  /** What a placeholder is known to stand for. A version that only a list had is that of the list. */
  #known(name: string): string | undefined {
    const [kind, number] = name.split(':');
    if (kind !== 'rv' && kind !== 'page') return this.#bound.get(name);
    const object = this.#bound.get(`rv:${number}`);
    const listed = this.#listVersions.findLast(([from]) => String(from) === number)?.[1].toString();
    return kind === 'page' ? (listed ?? object) : (object ?? listed);
  }

  /** A text of a request with what is known filled in. A uid that no answer has named was made up by the client. */
  fill(text: string): string {
    return text.replace(pattern, (whole, name: string) => {
      const known = name === 'jwt' ? this.#token : this.#known(name);
      if (known !== undefined || !name.startsWith('uid:')) return known ?? whole;
      const made = randomUUID();
      this.#bound.set(name, made);
      return made;
    });
  }

  fillValue(value: unknown): unknown {
    if (typeof value === 'string') return this.fill(value);
    if (Array.isArray(value)) return value.map((item) => this.fillValue(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [this.fill(key), this.fillValue(item)]));
  }

  /** Whether the recorded text stands for a number. */
  isNumber(expected: string): boolean {
    return /^<node[Pp]ort:\d+>$/.test(expected);
  }

  /** Whether the actual text is the recorded one; binds placeholders that are new. */
  matches(expected: string, actual: string): boolean {
    if (!expected.includes('<')) return expected === actual;
    const names: string[] = [];
    const source = expected
      .split(pattern)
      .map((part, i) => {
        if (i % 2 === 0) return escapeRegex(part);
        const [kind = ''] = part.split(':');
        const known = kind === 'page' ? this.#known(part) : this.#bound.get(part);
        if (known !== undefined) return escapeRegex(known);
        if (!part.includes(':') && part !== 'u') return shapes[part] ?? '.*';
        if (names.includes(part)) return `\\${names.indexOf(part) + 1}`;
        names.push(part);
        return `(${boundShapes[kind] ?? '.*'})`;
      })
      .join('');
    const match = new RegExp(`^${source}$`).exec(actual);
    if (match === null) return false;
    // Each token is another; later requests send the first one.
    if (expected === '<jwt>') this.#token ??= actual;
    const found = names.map((name, i) => [name, match[i + 1]!] as const);
    if (found.some(([name, value]) => this.#contradicts(name, value))) return false;
    for (const [name, value] of found) {
      const [kind, number] = name.split(':');
      if (kind === 'from' || kind === 'exact') this.#listVersions.push([Number(number), Number(value)]);
      else this.#bound.set(name, value);
    }
    return true;
  }

  /** Whether a list is older than an object that it has, or not of the version that was asked for. */
  #contradicts(name: string, value: string): boolean {
    const [kind, number] = name.split(':');
    const object = this.#bound.get(`rv:${number}`);
    if (kind === 'exact') return value !== (this.#known(`rv:${number}`) ?? value);
    return kind === 'from' && object !== undefined && Number(value) < Number(object);
  }

  /** resourceVersions are numbered by size: what is not in order, or undefined. */
  disorder(): string | undefined {
    const objects = this.#numbered();
    for (const [i, [number, version]] of objects.entries()) {
      const before = objects[i - 1];
      if (before !== undefined && version <= before[1]) return `<rv:${number}> is not above <rv:${before[0]}>`;
      for (const [from, listed] of this.#listVersions) {
        if (number <= from && listed < version) return `<from:${from}> is below <rv:${number}>`;
        if (number > from && listed >= version) return `<from:${from}> is not below <rv:${number}>`;
      }
    }
    return undefined;
  }
}
