/** What libyaml's emitter looks for in a text before it decides how to write it. */
export interface TextAnalysis {
  readonly multiline: boolean;
  /** Which styles can carry the text, in block context. */
  readonly plain: boolean;
  readonly single: boolean;
  readonly literal: boolean;
}

/** Line breaks of YAML 1.1. */
export const isBreak = (char: string): boolean =>
  char === '\n' || char === '\r' || char === '\x85' || char === '\u2028' || char === '\u2029';

/** Characters that go-yaml writes as they are; what lies beyond U+FFFF is none. */
export function isPrintable(char: string): boolean {
  const code = char.codePointAt(0)!;
  if (code === 0x0a || (code >= 0x20 && code <= 0x7e)) return true;
  if (code < 0xa0 || code > 0xfffd) return false;
  return !(code >= 0xd800 && code <= 0xdfff) && code !== 0xfeff;
}

const isBlank = (char: string | undefined): boolean =>
  char === undefined || char === ' ' || char === '\t' || isBreak(char);

const startIndicators = new Set('#,[]{}&*!|>\'"%@`');

/** Most texts are words: nothing in them needs a closer look. */
const harmless = /^[A-Za-z0-9_/.$(][A-Za-z0-9_./$()=+;-]*$/;

export function analyzeText(text: string): TextAnalysis {
  if (text === '') return { multiline: false, plain: true, single: true, literal: false };
  if (harmless.test(text) && !text.startsWith('...'))
    return { multiline: false, plain: true, single: true, literal: true };
  const found = inspect([...text]);
  const edges = found.leadingSpace || found.leadingBreak || found.trailingSpace || found.trailingBreak;
  const unquotable = found.spaceBreak || found.special;
  const indicators = found.indicators || text.startsWith('---') || text.startsWith('...');
  return {
    multiline: found.breaks,
    plain: !edges && !found.breakSpace && !unquotable && !found.breaks && !indicators,
    single: !found.breakSpace && !unquotable,
    literal: !found.trailingSpace && !unquotable,
  };
}

function inspect(
  chars: readonly string[],
): Record<
  | 'indicators'
  | 'special'
  | 'breaks'
  | 'leadingSpace'
  | 'leadingBreak'
  | 'trailingSpace'
  | 'trailingBreak'
  | 'breakSpace'
  | 'spaceBreak',
  boolean
> {
  const found = {
    indicators: false,
    special: false,
    breaks: false,
    leadingSpace: false,
    leadingBreak: false,
    trailingSpace: false,
    trailingBreak: false,
    breakSpace: false,
    spaceBreak: false,
  };
  let previous: string | undefined;
  chars.forEach((char, i) => {
    if (isIndicator(char, previous, chars[i + 1])) found.indicators = true;
    if (!isPrintable(char)) found.special = true;
    const isLast = i === chars.length - 1;
    if (char === ' ') {
      if (i === 0) found.leadingSpace = true;
      if (isLast) found.trailingSpace = true;
      if (previous !== undefined && isBreak(previous)) found.breakSpace = true;
    } else if (isBreak(char)) {
      found.breaks = true;
      if (i === 0) found.leadingBreak = true;
      if (isLast) found.trailingBreak = true;
      if (previous === ' ') found.spaceBreak = true;
    }
    previous = char;
  });
  return found;
}

/** Characters that mean something in block context at their place. */
function isIndicator(char: string, previous: string | undefined, next: string | undefined): boolean {
  if (previous === undefined)
    return startIndicators.has(char) || ((char === '?' || char === ':' || char === '-') && isBlank(next));
  return (char === ':' && isBlank(next)) || (char === '#' && isBlank(previous));
}
