/** Which ids of the node pods may have: those of the user `kubelet`, where the node has such a user. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { undefinedWhenAbsent } from '../../../base/undefined-when-absent.ts';
import { type IdRange, parseSubordinateIds, usualRange } from './id-ranges.ts';

const run = promisify(execFile);
const timeoutMs = 10_000;
const user = 'kubelet';

export async function findIdRange(maxPods: number): Promise<IdRange> {
  const users = (await readFile('/etc/passwd', 'utf8').catch(undefinedWhenAbsent)) ?? '';
  if (!users.split('\n').some((line) => line.startsWith(`${user}:`))) return usualRange(maxPods);
  const ask = async (...args: string[]): Promise<IdRange | undefined> => {
    const { stdout } = await run('getsubids', [...args, user], { timeout: timeoutMs }).catch((error: unknown) => {
      // Without the program the node says nothing of ids.
      if ((error as { code?: unknown }).code === 'ENOENT') return { stdout: '' };
      throw error;
    });
    return stdout === '' ? undefined : parseSubordinateIds(stdout, maxPods);
  };
  const [ofUser, ofGroup] = [await ask(), await ask('-g')];
  if (ofUser === undefined && ofGroup === undefined) return usualRange(maxPods);
  if (ofUser?.firstId !== ofGroup?.firstId || ofUser?.count !== ofGroup?.count)
    throw new Error('the ids of users and those of groups are not the same');
  return ofUser!;
}
