import type { ESLint } from 'eslint';

/** What is wrong with the title of a test; undefined when nothing is. */
export function problemOf(title: string): 'onlyRow' | 'noSubject' | 'noCapital' | undefined;

declare const plugin: ESLint.Plugin;
export default plugin;
