import { randomInt } from 'node:crypto';

/** No vowels and no digits that look like them, so that no words come out. */
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';
const randomLength = 5;
const maxBaseLength = 63 - randomLength;

/** `base` cut to 58 characters, and five random ones. */
export function generateName(base: string): string {
  return base.slice(0, maxBaseLength) + randomSuffix(randomLength);
}

export function randomSuffix(length: number): string {
  let out = '';
  for (let i = 0; i < length; i++) out += alphabet[randomInt(alphabet.length)];
  return out;
}
