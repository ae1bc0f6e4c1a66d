/** The parts of this program that the commands put to work. */
import type { Parts } from './command.ts';
import { startApiServer } from './start-api-server.ts';
import { UserError } from './user-error.ts';

export const parts: Parts = {
  startApiServer,
  convertValue: () => {
    throw new UserError('this build has no codecs');
  },
};
