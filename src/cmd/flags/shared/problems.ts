/** How the flag of this name was written, with dashes. */
export type Spelling = (name: string) => string;

/** A sentence per problem, and what is no problem. */
export type Problems = readonly (string | false | undefined)[];
