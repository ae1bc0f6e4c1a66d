let second = -1;
let text = '';

/** Now, as the `Date` header has it (RFC 9110 section 5.6.7). */
export function httpDate(now: number = Date.now()): string {
  const current = Math.floor(now / 1000);
  if (current !== second) {
    second = current;
    text = new Date(now).toUTCString();
  }
  return text;
}
