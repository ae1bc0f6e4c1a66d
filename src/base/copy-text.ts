/** V8 makes no slice that refers to its parent of fewer characters. */
const minSlice = 13;

/**
 * The same text in memory of its own. A slice refers to the text that it was cut from: a name of twenty characters from
 * a body of 3 MB keeps all of the body for as long as the name is kept. Needed for what outlives its request.
 */
export const copyText = (text: string): string =>
  text.length < minSlice ? text : [text.slice(0, 1), text.slice(1)].join('');
