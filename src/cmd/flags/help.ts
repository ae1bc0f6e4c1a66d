/** The flags of a program as text, a paragraph per section. */
import type { Flag, Sections, Support } from './flag.ts';

const notes: Readonly<Record<Support, string>> = {
  supported: '',
  unsupported: '[not supported yet: refused]',
  ignored: '[no meaning in this runtime: ignored]',
};

const indent = ' '.repeat(10);

/** `width` is that of the terminal, in columns. */
export function formatHelp(sections: Sections, width = 100): string {
  return Object.values(sections)
    .map(
      ({ title, flags }) =>
        `${title} flags:\n\n${Object.values(flags)
          .map((flag) => formatFlag(flag, width))
          .join('')}`,
    )
    .join('\n');
}

function formatFlag(flag: Flag, width: number): string {
  return `${headOf(flag)}\n${wrap(sentencesOf(flag), width - indent.length)
    .map((line) => `${indent}${line}\n`)
    .join('')}`;
}

function headOf(flag: Flag): string {
  const shorthand = flag.shorthand === undefined ? '      ' : `  -${flag.shorthand}, `;
  const names = [flag.name, ...flag.aliases].map((name) => `--${name}`).join(', ');
  return `${shorthand}${names}${flag.type === '' ? '' : ` ${flag.type}`}`;
}

function sentencesOf(flag: Flag): string {
  const shown = flag.format(flag.default);
  const parts = [
    flag.help,
    shown === '' ? '' : `(default ${shown})`,
    flag.deprecated === undefined ? '' : `[deprecated: ${flag.deprecated}]`,
    notes[flag.support],
  ];
  return parts.filter(Boolean).join(' ');
}

function wrap(sentence: string, width: number): string[] {
  const lines = [''];
  for (const word of sentence.split(' ')) {
    const line = lines.at(-1)!;
    if (line === '') lines[lines.length - 1] = word;
    else if (line.length + 1 + word.length <= width) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}
