import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { FuzzTarget } from './target.ts';

/** A target is a file of that name. @param root of the project */
export const targetNames = (root: string): string[] =>
  readdirSync(path.join(root, 'test', 'fuzz', 'targets'))
    .map((file) => file.replace(/\.ts$/, ''))
    .sort();

export async function loadTarget(name: string): Promise<FuzzTarget> {
  const { target } = (await import(`./targets/${name}.ts`)) as { target: FuzzTarget };
  return target;
}
