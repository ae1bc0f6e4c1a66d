/** The points at which plugins take part, by their names in configurations, and the method that each is. */
import type { Plugin } from './plugin.ts';

export const extensionPoints = {
  preEnqueue: 'preEnqueue',
  queueSort: 'isBefore',
  preFilter: 'preFilter',
  filter: 'filter',
  postFilter: 'postFilter',
  preScore: 'preScore',
  score: 'score',
  reserve: 'reserve',
  permit: 'permit',
  preBind: 'preBind',
  bind: 'bind',
  postBind: 'postBind',
} as const satisfies Readonly<Record<string, keyof Plugin>>;

export type ExtensionPoint = keyof typeof extensionPoints;

export const extensionPointNames = Object.keys(extensionPoints) as ExtensionPoint[];

export const takesPartIn = (plugin: Plugin, point: ExtensionPoint): boolean =>
  plugin[extensionPoints[point]] !== undefined;
