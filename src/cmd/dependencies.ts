/** The parts of this program that the commands put to work. */
import type { Dependencies } from './command.ts';

/** Loaded when they are needed: a scheduler must not hold the code of an API server. */
export const dependencies: Omit<Dependencies, 'startProcess'> = {
  startApiServer: async (config) => (await import('./start-api-server.ts')).startApiServer(config),
  convertValue: async (value, to) => (await import('./convert-value.ts')).convertValue(value, to),
};
