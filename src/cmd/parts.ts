/** The parts of this program that the commands put to work. */
import type { Parts } from './command.ts';
import { convertValue } from './convert-value.ts';
import { startApiServer } from './start-api-server.ts';

export const parts: Parts = {
  startApiServer,
  convertValue,
};
