/**
 * The engine for regular expressions that users bring: Go's dialect (RE2), in time linear in the text, whatever the pattern.
 * Loading it takes 20 ms, which a server without patterns need not wait for.
 * @see {@link https://github.com/google/re2/wiki/Syntax | RE2 syntax}
 */
import { createRequire } from 'node:module';
import type * as engine from 're2js';

const load = createRequire(import.meta.url);
let loaded: typeof engine | undefined;

export const regexEngine = (): typeof engine => (loaded ??= load('re2js') as typeof engine);
