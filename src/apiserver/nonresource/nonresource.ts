/**
 * Paths that are no resources, behind the same chain: a Koa application answers them, which is loaded for the first
 * one. A start does not wait for it, and most of those that test suites make never need it.
 */
import { METHODS } from 'node:http';
import { notFoundPage } from '../../server/not-found-page.ts';
import { escapedPath } from '../request/escaped-path.ts';
import type { Handler } from '../request/request.ts';
import type { NonResourceOptions } from './routes.ts';

export function createNonResource(options: NonResourceOptions): Handler {
  let application: Promise<Handler> | undefined;
  return async (request) => {
    if (!request.path.startsWith('/')) return notFoundPage;
    application ??= load(options).catch((error: unknown) => {
      // The next request tries again.
      application = undefined;
      throw error;
    });
    return (await application)(request);
  };
}

const methods = new Set(METHODS);

async function load(options: NonResourceOptions): Promise<Handler> {
  const [{ createApplication }, { answersOf }] = await Promise.all([
    import('./routes.ts'),
    import('../../server/koa/application.ts'),
  ]);
  const answer = answersOf(createApplication(options));
  return (request) => {
    const query = request.query.toString();
    const path = escapedPath(request.path);
    return answer(
      request.exchange,
      {
        request,
        get signal() {
          return request.signal;
        },
      },
      {
        // Routes are made for the methods that Node knows. HTTP/2 has any; none of the others reads.
        method: methods.has(request.method) ? request.method : 'POST',
        url: query === '' ? path : `${path}?${query}`,
      },
    );
  };
}
