import type { PlainValue, ValueContext, ValueTransformer } from '../transformer.ts';

export const context: ValueContext = { key: '/registry/secrets/default/one', resource: 'secrets' };

export const value = Buffer.from('k8s\0 what is to be kept secret');

export const toStorage = (transformer: ValueTransformer, at = context): Buffer =>
  Buffer.concat(transformer.toStorage(value, at) as Uint8Array[]);

export const fromStorage = (transformer: ValueTransformer, stored: Buffer, at = context): PlainValue =>
  transformer.fromStorage(stored, at) as PlainValue;
