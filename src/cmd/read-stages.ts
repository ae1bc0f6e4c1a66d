import { parseStages, StageFileError } from '../node-agent/hollow/stages/stage-file.ts';
import type { StageDocument } from '../node-agent/hollow/stages/document.ts';
import { readFlagFile } from './read-file.ts';
import { UserError } from './user-error.ts';

/** What pods and nodes go through, from the file of `--stages`. Rejects with {@link UserError}, which names it. */
export async function readStages(file: string | undefined): Promise<readonly StageDocument[]> {
  const content = await readFlagFile('stages', file);
  if (content === undefined) return [];
  try {
    return parseStages(content);
  } catch (error) {
    if (error instanceof StageFileError) throw new UserError(`--stages: ${file}: ${error.message}`, { cause: error });
    throw error;
  }
}
