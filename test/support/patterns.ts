/** One regular expression of several, so that long ones need not stand on one line; flags are those of the first. */
export const joined = (first: RegExp, ...more: RegExp[]): RegExp =>
  new RegExp([first, ...more].map(({ source }) => source).join(''), first.flags);
