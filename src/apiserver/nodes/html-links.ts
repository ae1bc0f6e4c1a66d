/**
 * Replaces the URLs in the attributes of HTML, piece by piece as it comes. Everything else stays as it is written:
 * tags, quotes, comments, scripts and styles.
 *
 * @NOTE differs from upstream, which writes the tags anew, in lower case and with double quotes.
 */
const urlAttributes: Readonly<Record<string, readonly string[]>> = {
  a: ['href'],
  applet: ['codebase'],
  area: ['href'],
  audio: ['src'],
  base: ['href'],
  blockquote: ['cite'],
  body: ['background'],
  button: ['formaction'],
  command: ['icon'],
  del: ['cite'],
  embed: ['src'],
  form: ['action'],
  frame: ['longdesc', 'src'],
  head: ['profile'],
  html: ['manifest'],
  iframe: ['longdesc', 'src'],
  img: ['longdesc', 'src', 'usemap'],
  input: ['src', 'usemap', 'formaction'],
  ins: ['cite'],
  link: ['href'],
  object: ['classid', 'codebase', 'data', 'usemap'],
  q: ['cite'],
  script: ['src'],
  source: ['src'],
  video: ['poster', 'src'],
};

/** Elements whose content is text up to their end tag. */
const rawText = new Set(['script', 'style', 'textarea', 'title', 'xmp', 'iframe', 'noembed', 'noframes']);

/** Characters of a tag that is waited for; a longer one stays as it is. */
const maxTag = 64 * 1024;

const tag = /<([a-zA-Z][^\s/>]*)((?:[^>"']|"[^"]*"|'[^']*')*)>/y;
const attribute = /([^\s"'<>/=]+)(\s*=\s*)("[^"]*"|'[^']*'|[^\s"'=<>`]+)/g;

export class HtmlLinks {
  readonly #replace: (url: string) => string;
  #pending = '';
  /** End tag up to which there is text. */
  #until: RegExp | undefined;

  constructor(replace: (url: string) => string) {
    this.#replace = replace;
  }

  /** @returns what can be handed on of it, and of what came before */
  write(text: string): string {
    this.#pending += text;
    return this.#take(false);
  }

  /** @returns the rest */
  end(): string {
    return this.#take(true);
  }

  #take(isEnd: boolean): string {
    const text = this.#pending;
    let done = '';
    let at = 0;
    for (;;) {
      const next = this.#next(text, at, isEnd);
      done += next.text;
      at = next.at;
      if (next.waits) break;
    }
    this.#pending = text.slice(at);
    return done;
  }

  /** One step: to the end of a tag, of a comment, or of what can be read. */
  #next(text: string, at: number, isEnd: boolean): { text: string; at: number; waits: boolean } {
    const rest = (): { text: string; at: number; waits: boolean } => ({
      text: text.slice(at),
      at: text.length,
      waits: true,
    });
    const wait = (from: number): { text: string; at: number; waits: boolean } =>
      isEnd || text.length - from > maxTag ? rest() : { text: text.slice(at, from), at: from, waits: true };
    if (this.#until !== undefined) {
      this.#until.lastIndex = at;
      const end = this.#until.exec(text);
      // The beginning of the end tag may be there already.
      if (end === null) return wait(Math.max(at, text.length - maxEndTag));
      this.#until = undefined;
      return { text: text.slice(at, end.index), at: end.index, waits: false };
    }
    const open = text.indexOf('<', at);
    if (open < 0) return rest();
    if (text.startsWith('<!--', open)) {
      const end = text.indexOf('-->', open + 4);
      return end < 0 ? wait(open) : { text: text.slice(at, end + 3), at: end + 3, waits: false };
    }
    if (open + 4 > text.length && !isEnd) return wait(open);
    if (!/[a-zA-Z]/.test(text[open + 1] ?? '')) return { text: text.slice(at, open + 1), at: open + 1, waits: false };
    tag.lastIndex = open;
    const found = tag.exec(text);
    if (found === null) return wait(open);
    return { text: text.slice(at, open) + this.#rewritten(found), at: open + found[0].length, waits: false };
  }

  #rewritten([whole, name = '', attributes = '']: RegExpExecArray): string {
    const element = name.toLowerCase();
    if (rawText.has(element)) this.#until = new RegExp(`</${element}[\\s/>]`, 'gi');
    const names = urlAttributes[element];
    if (names === undefined) return whole;
    const replaced = attributes.replace(attribute, (text, key: string, equals: string, value: string) =>
      names.includes(key.toLowerCase()) ? `${key}${equals}${this.#valueOf(value)}` : text,
    );
    return `<${name}${replaced}>`;
  }

  #valueOf(value: string): string {
    const quote = /^["']/.exec(value)?.[0] ?? '';
    const written = quote === '' ? value : value.slice(1, -1);
    return `${quote}${this.#replace(written)}${quote}`;
  }
}

/** `</noframes>` */
const maxEndTag = 11;
