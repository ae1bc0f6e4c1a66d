import type { StageDocument } from '../node-agent/hollow/stages/document.ts';
import { UserError } from './user-error.ts';

/** Rejects with {@link UserError}, which names the file. */
export function readStages(file: string): Promise<readonly StageDocument[]> {
  throw new UserError(`${file}: stages are not read yet`);
}
