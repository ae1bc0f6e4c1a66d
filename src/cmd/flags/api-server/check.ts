import type { GivenFlags } from '../parse.ts';
import type { ApiServerOptions } from './table.ts';

/** How the flag of this name was written, with dashes. */
export type Spelling = (name: string) => string;

/** A sentence per problem. */
export type Check = (
  options: ApiServerOptions,
  spelled: Spelling,
  given: GivenFlags,
) => readonly (string | false | undefined)[];
