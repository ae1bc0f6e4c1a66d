/** Documents that every daemon has. */
import type Koa from 'koa';
import type { Registry } from 'prom-client';
import type { VersionInfo } from '../../base/version.ts';
import { notFoundPage } from '../not-found-page.ts';
import { send } from './send.ts';

/**
 * `/metrics` in the text format. @see {@link https://prometheus.io/docs/instrumenting/exposition_formats/ | Exposition
 * formats}
 */
export const serveMetrics =
  (registry: Registry): Koa.Middleware =>
  async (ctx) => {
    ctx.set('content-type', registry.contentType);
    ctx.body = await registry.metrics();
  };

/** `/version` */
export const serveVersion =
  (version: VersionInfo): Koa.Middleware =>
  (ctx) => {
    ctx.set('content-type', 'application/json');
    ctx.body = JSON.stringify(version, undefined, 2);
  };

/** The last middleware of an application. */
export const serveNotFound: Koa.Middleware = (ctx) => send(ctx, notFoundPage);
