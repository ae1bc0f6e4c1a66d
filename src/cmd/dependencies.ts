/** The parts of this program that the commands put to work. */
import type { Dependencies } from './command.ts';
import { convertValue } from './convert-value.ts';
import { startProcess } from './up/start-process.ts';
import { startApiServer } from './start-api-server.ts';

export const dependencies: Dependencies = {
  startApiServer,
  convertValue,
  startProcess,
};
