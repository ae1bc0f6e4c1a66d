import { parseWithoutOperands } from '../options.ts';
import { apiServerFlags } from '../table.ts';

export const parse = (argv: readonly string[]) => parseWithoutOperands('orch apiserver', apiServerFlags, argv);
