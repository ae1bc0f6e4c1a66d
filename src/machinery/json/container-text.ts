/** The text of an object or list that begins at `start` of a document that was read. */
export function textOfContainer(text: string, start: number): string {
  let depth = 0;
  for (let i = start; ; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x22) i = endOfString(text, i);
    else if (code === 0x7b || code === 0x5b) depth++;
    else if ((code === 0x7d || code === 0x5d) && --depth === 0) return text.slice(start, i + 1);
  }
}

function endOfString(text: string, quote: number): number {
  for (let i = quote + 1; ; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x22) return i;
    if (code === 0x5c) i++;
  }
}
