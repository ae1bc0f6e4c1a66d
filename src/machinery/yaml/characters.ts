/** Classes of characters that YAML 1.1 tells apart (https://yaml.org/spec/1.1/#characters). */
export const Class = {
  /** A space or a tab. */
  blank: 1,
  /** A line break: also NEL, LS and PS, which YAML 1.2 no longer counts. */
  break: 2,
  /** The end of the text. */
  end: 4,
  /** `,` `?` `[` `]` `{` `}`: ends a plain scalar inside a flow collection. */
  flow: 8,
  /** Characters that cannot begin a plain scalar, whatever the next one is. */
  indicator: 16,
  /** Letters, digits, `-` and `_`: names of anchors, handles of tags. */
  word: 32,
  /** What a tag may contain besides words, `%` being read apart. */
  uri: 64,
  /** A colon or a number sign, which matter within plain scalars. */
  inner: 128,
} as const;

/** Stands behind the last character; no text contains it. */
export const endOfText = '\0';

const classes = new Uint8Array(256);
const mark = (characters: string, bits: number): void => {
  for (const character of characters) classes[character.charCodeAt(0)]! |= bits;
};
mark(' \t', Class.blank);
mark('\n\r\x85', Class.break);
mark(endOfText, Class.end);
mark(',?[]{}', Class.flow);
mark('-?:,[]{}#&*!|>\'"%@`', Class.indicator);
mark('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_', Class.word);
mark(";/?:@&=+$,.!~*'()[]", Class.uri);
mark(':#', Class.inner);

export const classOf = (code: number): number =>
  code < 256 ? classes[code]! : code === 0x2028 || code === 0x2029 ? Class.break : 0;

/** Whether the text ends there or has white space there: that makes `-`, `?` and `:` indicators. */
export const isBlankOrEnd = (code: number): boolean => (classOf(code) & (Class.blank | Class.break | Class.end)) !== 0;

/** What YAML 1.1 allows nowhere, not even in quotes. */
export const forbiddenCharacter = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]/;
