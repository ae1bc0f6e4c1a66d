/** The login of the application in `koa-example.ts`: a name is enough, and only jane's is known. */
import type { Middleware } from 'koa';

export const login: Middleware = (ctx, next) => {
  if (ctx.get('x-name') === 'jane') ctx.state['user'] = { name: 'jane', groups: ['system:masters'] };
  return next();
};
