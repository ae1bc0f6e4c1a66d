/** Inputs that once failed: `test/corpora/<target>/*.json`, small or as recipes. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Text, bytes, parts one after the other, or a part many times. */
export type Recipe =
  | string
  | { readonly hex: string }
  | readonly Recipe[]
  | { readonly repeat: Recipe; readonly times: number };

export interface CorpusCase {
  readonly name: string;
  readonly input: Recipe;
}

export function bytesOf(recipe: Recipe): Buffer {
  if (typeof recipe === 'string') return Buffer.from(recipe);
  if ('hex' in recipe) return Buffer.from(recipe.hex, 'hex');
  if ('repeat' in recipe) {
    const once = bytesOf(recipe.repeat);
    return Buffer.alloc(once.length * recipe.times, once);
  }
  return Buffer.concat(recipe.map(bytesOf));
}

/** Bytes as text where they are text. */
export function recipeOf(bytes: Buffer): Recipe {
  const text = bytes.toString();
  return Buffer.from(text).equals(bytes) ? text : { hex: bytes.toString('hex') };
}

/** @param root of the project */
export function corpusOf(root: string, target: string): CorpusCase[] {
  const folder = path.join(root, 'test', 'corpora', target);
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .sort();
  return files.map((file) => JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as CorpusCase);
}
