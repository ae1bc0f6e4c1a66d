/** The parts of this program that the commands put to work. */
import type { Parts } from './command.ts';
import { UserError } from './user-error.ts';

const absent = (part: string): never => {
  throw new UserError(`this build has no ${part}`);
};

// @TODO(#2) wire `src/apiserver/server.ts` and the codecs; until then both commands say what is missing.
export const parts: Parts = {
  startApiServer: () => Promise.resolve().then(() => absent('API server')),
  convertValue: () => absent('codecs'),
};
