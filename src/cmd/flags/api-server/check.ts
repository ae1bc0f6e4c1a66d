import type { GivenFlags } from '../parse.ts';
import type { Problems, Spelling } from '../shared/problems.ts';
import type { ApiServerOptions } from './table.ts';

export type Check = (options: ApiServerOptions, spelled: Spelling, given: GivenFlags) => Problems;
