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

const healthMetrics = ['kubernetes_healthcheck', 'kubernetes_healthchecks_total'];

/**
 * `/metrics/slis`: how the health checks came out, small enough to be scraped often.
 * @see {@link https://kubernetes.io/docs/reference/instrumentation/slis/ | Component SLIs}
 */
export const serveHealthMetrics =
  (registry: Registry): Koa.Middleware =>
  async (ctx) => {
    const names = healthMetrics.filter((name) => registry.getSingleMetric(name) !== undefined);
    const texts = await Promise.all(names.map((name) => registry.getSingleMetricAsString(name)));
    ctx.set('content-type', registry.contentType);
    ctx.body = `${texts.join('\n\n')}\n`;
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
