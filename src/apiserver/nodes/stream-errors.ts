import { plainError } from '../../machinery/status.ts';
import { NodeConnectionError } from './connection-errors.ts';

/** The answer where a connection for another protocol could not be opened. */
export function dialFailed(error: unknown): never {
  if (!(error instanceof NodeConnectionError)) throw error;
  throw plainError(`error dialing backend: ${error.message}`, { cause: error });
}
