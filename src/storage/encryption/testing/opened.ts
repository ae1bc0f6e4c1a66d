import type { OpenedValue, ValueContext, ValueTransformer } from '../transformer.ts';

export const context: ValueContext = { key: '/registry/secrets/default/one', resource: 'secrets' };

export const value = Buffer.from('k8s\0 what is to be kept secret');

export const sealed = (transformer: ValueTransformer, at = context): Buffer =>
  Buffer.concat(transformer.seal(value, at) as Uint8Array[]);

export const opened = (transformer: ValueTransformer, stored: Buffer, at = context): OpenedValue =>
  transformer.open(stored, at) as OpenedValue;
