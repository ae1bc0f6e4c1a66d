/**
 * Placeholders of recorded answers: they stand for values that change from run to run. Within a case the same
 * placeholder is the same value, also in later requests.
 */
import { randomUUID } from 'node:crypto';

const pattern = /<(u|uid:\d+|rv:\d+|rv|listrv|ip:\d+|nodePort:\d+|nodeport:\d+|continue:\d+|continue|random:\d+|suffix:\d+|time|age|server|jwt|hash|pointer|number|text|present|go)>/g;

/** What a placeholder without equality may stand for. */
const shapes: Readonly<Record<string, string>> = {
  time: '[0-9T:.Z+-]+', age: '[^"]*', server: '[^"\\s]+', jwt: '[^"\\s]+', hash: '[0-9A-Za-z+/=]+', pointer: '0x[0-9a-f]+', number: '\\d+', text: '[\\s\\S]*', present: '[\\s\\S]*',
  go: '[\\s\\S]*', rv: '\\d+', listrv: '\\d+', continue: '[A-Za-z0-9_=-]+',
};

const boundShapes: Readonly<Record<string, string>> = {
  uid: '[0-9a-f-]{36}', rv: '\\d+', ip: '[0-9a-f.:]+', nodePort: '\\d+', nodeport: '\\d+', continue: '[A-Za-z0-9_=-]+', random: '[a-z0-9]+', suffix: '[a-z0-9]+', u: 'u[a-z0-9]{6}',
};

const escapeRegex = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

export class Placeholders {
  readonly #bound = new Map<string, string>();
  #token: string | undefined;
  readonly #listVersions = new Set<string>();

  constructor(own: string) {
    this.#bound.set('u', own);
  }

  /** One that knows what this one knows, and keeps what it learns to itself. */
  copy(): Placeholders {
    const copied = new Placeholders(this.#bound.get('u')!);
    for (const [name, value] of this.#bound) copied.#bound.set(name, value);
    copied.#token = this.#token;
    return copied;
  }

  bind(name: string, value: string): void {
    this.#bound.set(name, value);
  }

  /** The version of a list: others wrote while the recording was made, so it may be above that of the last object, or the same. */
  noteListVersion(placeholder: string): void {
    if (/^<rv:\d+>$/.test(placeholder)) this.#listVersions.add(placeholder.slice(1, -1));
  }

  /** Whether the version has grown since it was seen: somebody else wrote in between. */
  isOvertaken(placeholder: string, actual: string): boolean {
    const known = this.#bound.get(placeholder.slice(1, -1));
    return known !== undefined && Number(actual) > Number(known);
  }

  /** Of all versions that were seen; undefined before the first one. */
  newestVersion(): string | undefined {
    const versions = [...this.#bound].filter(([name]) => name.startsWith('rv:')).map(([, value]) => Number(value));
    return versions.length === 0 ? undefined : String(Math.max(...versions));
  }

  /** A text of a request with what is known filled in. A uid that no answer has named was made up by the client. */
  fill(text: string): string {
    return text.replace(pattern, (whole, name: string) => {
      const known = name === 'jwt' ? this.#token : this.#bound.get(name);
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
    const source = expected.split(pattern).map((part, i) => {
      if (i % 2 === 0) return escapeRegex(part);
      const known = this.#bound.get(part);
      if (known !== undefined) return escapeRegex(known);
      const [kind = ''] = part.split(':');
      if (!part.includes(':') && part !== 'u') return shapes[part] ?? '.*';
      if (names.includes(part)) return `\\${names.indexOf(part) + 1}`;
      names.push(part);
      return `(${boundShapes[kind] ?? '.*'})`;
    }).join('');
    const match = new RegExp(`^${source}$`).exec(actual);
    if (match === null) return false;
    // Each token is another; later requests send the first one.
    if (expected === '<jwt>') this.#token ??= actual;
    for (const [i, name] of names.entries()) this.#bound.set(name, match[i + 1]!);
    return true;
  }

  /** resourceVersions are numbered by size. The first pair that is not in order, or undefined. */
  disorder(): string | undefined {
    const versions = [...this.#bound].filter(([name]) => name.startsWith('rv:')).map(([name, value]) => [Number(name.slice(3)), Number(value)] as const).sort((a, b) => a[0] - b[0]);
    const isLoose = (number: number): boolean => this.#listVersions.has(`rv:${number}`);
    const inOrder = ([a, before]: readonly [number, number], [b, after]: readonly [number, number]): boolean => after > before || (after === before && (isLoose(a) || isLoose(b)));
    for (let i = 1; i < versions.length; i++) if (!inOrder(versions[i - 1]!, versions[i]!)) return `<rv:${versions[i]![0]}> is not above <rv:${versions[i - 1]![0]}>`;
    return undefined;
  }
}
