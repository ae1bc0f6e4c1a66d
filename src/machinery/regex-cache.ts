/** Compiled patterns, kept for the next time: those used last, as many as fit into a limit of memory. */
import type { RE2JS } from 're2js';
import { copyText } from '../base/copy-text.ts';
import { compileRegex, regexSize } from './regex-engine.ts';

/** The pattern, or what is wrong with it. */
type Compiled = RE2JS | string;

interface Kept {
  readonly compiled: Compiled;
  readonly ownBytes: number;
  /** With what matching has added, when that was last looked at. */
  bytes: number;
}

/** Measured: instructions take up to 200 bytes, and there are tables beside them. */
const bytesPerInstruction = 250;
const bytesPerPattern = 3000;

function ownBytes(pattern: string, compiled: Compiled): number {
  const text = bytesPerPattern + pattern.length * 2;
  return typeof compiled === 'string'
    ? text
    : text + Math.max(compiled.programSize(), regexSize(pattern)) * bytesPerInstruction;
}

/** What the engine has noted of the texts it has seen, by its own account: up to 8 MB a pattern. */
function notedBytes(compiled: Compiled): number {
  if (typeof compiled === 'string') return 0;
  const automaton = compiled.re2Input.lazyDFA as RE2JS['re2Input']['lazyDFA'] | null;
  return automaton === null ? 0 : automaton.maxMem - automaton.memBudget;
}

export class RegexCache {
  readonly #maxBytes: number;
  /** The one used last is last. */
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;
  /** It may have grown since. */
  #last: Kept | undefined;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** As estimated. */
  get bytes(): number {
    this.#measureLast();
    return this.#bytes;
  }

  /** @param beforeCompiling called for a pattern that is not kept; what it throws ends the call */
  get(pattern: string, beforeCompiling: () => void = () => undefined): Compiled {
    this.#measureLast();
    const known = this.#kept.get(pattern);
    if (known === undefined) beforeCompiling();
    else this.#kept.delete(pattern);
    const own = copyText(pattern);
    const kept = known ?? this.#make(own);
    this.#kept.set(own, kept);
    this.#last = kept;
    this.#shrink();
    return kept.compiled;
  }

  #make(pattern: string): Kept {
    const compiled = compileRegex(pattern);
    const bytes = ownBytes(pattern, compiled);
    this.#bytes += bytes;
    return { compiled, ownBytes: bytes, bytes };
  }

  #measureLast(): void {
    if (this.#last === undefined) return;
    const bytes = this.#last.ownBytes + notedBytes(this.#last.compiled);
    this.#bytes += bytes - this.#last.bytes;
    this.#last.bytes = bytes;
  }

  /** The one that is about to be used stays in any case. */
  #shrink(): void {
    for (const [pattern, kept] of this.#kept) {
      if (this.#bytes <= this.#maxBytes || kept === this.#last) return;
      this.#kept.delete(pattern);
      this.#bytes -= kept.bytes;
    }
  }
}

/** Of all patterns that users bring. */
const maxBytes = 64 * 1024 * 1024;

export const regexCache = new RegexCache(maxBytes);
