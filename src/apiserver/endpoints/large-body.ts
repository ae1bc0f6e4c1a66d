import type { ApiResponse } from '../../server/exchange.ts';
import type { ApiRequest } from '../request/request.ts';
import type { ServedResource } from '../served/served-resource.ts';

/**
 * Where the work on a request stops because its body is large: another thread begins it anew.
 *
 * The verbs read bodies before they do anything that could be seen, so that beginning again is no harm.
 */
export class LargeBody extends Error {
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    super('the body is large');
    this.bytes = bytes;
  }
}

/** Where writes with large bodies are worked on (`large-requests/`). */
export interface LargeBodyHandler {
  /** Answers a write: by `here`, or elsewhere when `here` stops with {@link LargeBody}. */
  answer(served: ServedResource, request: ApiRequest, here: () => Promise<ApiResponse>): Promise<ApiResponse>;
}
