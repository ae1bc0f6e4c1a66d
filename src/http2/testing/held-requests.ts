import { ErrorCode } from '../frames.ts';
import { answer, field } from './http2-server.ts';
import type { ServerStream } from '../server/stream.ts';

/** Answers all but what is to be held, or broken off. */
export function serve(stream: ServerStream): void {
  const path = field(stream, ':path');
  if (path === '/reset') stream.reset(ErrorCode.cancel);
  else if (path !== '/hold') answer(stream);
}
