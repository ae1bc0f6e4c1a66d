import Koa from 'koa';
import { createControlPlane } from '../../src/index.ts';
import { login } from './login.ts';

export const controlPlane = await createControlPlane();
const app = new Koa();
app.use(login); // yours: sets ctx.state.user, such as { name: 'jane', groups: ['system:masters'] }
app.use(controlPlane.koa({ prefix: '/cluster', user: (ctx) => ctx.state.user }));
app.use((ctx) => void (ctx.body = 'everything else of the application'));
export const server = app.listen(Number(process.env['PORT'] ?? 8080));
