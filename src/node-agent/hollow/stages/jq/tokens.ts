/** The words of a jq program. */
export type Token =
  | { readonly kind: 'name' | 'field' | 'text' | 'symbol'; readonly text: string; readonly at: number }
  | { readonly kind: 'number'; readonly text: string; readonly value: number; readonly at: number }
  | { readonly kind: 'end'; readonly text: ''; readonly at: number };

/** A program that is no jq, or uses what is not supported here. */
export class JqError extends Error {
  override readonly name = 'JqError';
}

const words = [
  /(#[^\n]*)/,
  /(\.[A-Za-z_]\w*)/,
  /([A-Za-z_]\w*)/,
  /(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)/,
  /("(?:[^"\\]|\\.)*")/,
  /(\/\/|==|!=|<=|>=|\.\.|[.[\](){}|,:;<>+\-*/%?$])/,
];
const pattern = new RegExp(`\\s*(?:${words.map(({ source }) => source).join('|')})`, 'y');

export function tokensOf(program: string): Token[] {
  const tokens: Token[] = [];
  const end = program.trimEnd().length;
  pattern.lastIndex = 0;
  while (pattern.lastIndex < end) {
    const at = pattern.lastIndex;
    const match = pattern.exec(program);
    if (match === null) throw new JqError(`unexpected text at ${at}: ${program.slice(at, at + 20)}`);
    const [, comment, field, name, number, text, symbol] = match;
    if (comment !== undefined) continue;
    if (field !== undefined) tokens.push({ kind: 'field', text: field.slice(1), at });
    else if (name !== undefined) tokens.push({ kind: 'name', text: name, at });
    else if (number !== undefined) tokens.push({ kind: 'number', text: number, value: Number(number), at });
    else if (text !== undefined) tokens.push({ kind: 'text', text: readText(text, at), at });
    else tokens.push({ kind: 'symbol', text: symbol!, at });
  }
  tokens.push({ kind: 'end', text: '', at: end });
  return tokens;
}

function readText(quoted: string, at: number): string {
  if (quoted.includes('\\(')) throw new JqError(`interpolation of strings is not supported, at ${at}`);
  try {
    return JSON.parse(quoted) as string;
  } catch {
    throw new JqError(`invalid string at ${at}: ${quoted}`);
  }
}
