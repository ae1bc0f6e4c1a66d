import { Class, classOf, endOfText, isBlankOrEnd } from './characters.ts';
import type { Place } from './tokens.ts';

/** A position in a text. */
export class Cursor implements Place {
  /** With {@link endOfText} behind it, so that looking ahead needs no bounds. */
  readonly text: string;
  p = 0;
  line = 0;
  lineStart = 0;

  constructor(text: string) {
    this.text = text + endOfText;
  }

  get column(): number {
    return this.p - this.lineStart;
  }

  code(ahead = 0): number {
    return this.text.charCodeAt(this.p + ahead);
  }

  get atEnd(): boolean {
    return this.p === this.text.length - 1;
  }

  get atBreak(): boolean {
    return (classOf(this.code()) & Class.break) !== 0;
  }

  /** Reads a line break and returns what it means: LS and PS are kept, all others are line feeds. */
  readBreak(): string {
    const code = this.code();
    this.p += code === 0x0d && this.code(1) === 0x0a ? 2 : 1;
    this.line++;
    this.lineStart = this.p;
    return code === 0x2028 ? '\u2028' : code === 0x2029 ? '\u2029' : '\n';
  }

  skipBlanks(): void {
    while ((classOf(this.code()) & Class.blank) !== 0) this.p++;
  }

  skipComment(): void {
    if (this.code() !== 0x23) return;
    while ((classOf(this.code()) & (Class.break | Class.end)) === 0) this.p++;
  }

  skipClass(bits: number): void {
    while ((classOf(this.code()) & bits) !== 0) this.p++;
  }

  /** `---` or `...` at the beginning of a line. */
  atDocumentIndicator(): boolean {
    const code = this.code();
    return (
      (code === 0x2d || code === 0x2e) &&
      this.p === this.lineStart &&
      this.code(1) === code &&
      this.code(2) === code &&
      isBlankOrEnd(this.code(3))
    );
  }
}
