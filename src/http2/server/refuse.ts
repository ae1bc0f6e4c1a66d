/** The response to a request whose fields are invalid. */
import type { Refusal } from './request-fields.ts';
import type { ServerStream } from './stream.ts';

export function refuse(stream: ServerStream, { status, fields, text }: Refusal): void {
  const body = Buffer.from(text);
  stream.respond(status, [...fields, ['content-length', String(body.length)]]);
  stream.end(body);
}
