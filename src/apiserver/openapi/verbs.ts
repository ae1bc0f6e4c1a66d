import { CREATE, PATCH, PRETTY, UPDATE, type Parameter } from './parameters.ts';
import { MEDIA, PATCHES, ANY, ok, answers, type Operation } from './operation.ts';

export type Details = Omit<Operation, 'path' | 'tag' | 'operationId' | 'parameters' | 'kind'> & {
  query: readonly Parameter[];
  kind?: Operation['kind'];
};

export const read = (type: string, description: string): Details => ({
  method: 'get',
  action: 'get',
  description,
  query: [PRETTY],
  consumes: ANY,
  produces: MEDIA,
  responses: ok(type),
});

export const create = (type: string, description: string): Details => ({
  method: 'post',
  action: 'post',
  description,
  query: [...CREATE(), PRETTY],
  body: { type, required: true },
  consumes: ANY,
  produces: MEDIA,
  responses: answers(['200', 'OK', type], ['201', 'Created', type], ['202', 'Accepted', type]),
});

export const replace = (type: string, description: string): Details => ({
  method: 'put',
  action: 'put',
  description,
  query: [...UPDATE(), PRETTY],
  body: { type, required: true },
  consumes: ANY,
  produces: MEDIA,
  responses: answers(['200', 'OK', type], ['201', 'Created', type]),
});

export const patch = (type: string, description: string): Details => ({
  method: 'patch',
  action: 'patch',
  description,
  query: [...PATCH(), PRETTY],
  body: { type: 'meta/v1.Patch', required: true },
  consumes: PATCHES,
  produces: MEDIA,
  responses: answers(['200', 'OK', type], ['201', 'Created', type]),
});

export const deletion = (
  action: string,
  query: readonly Parameter[],
  description: string,
  responses: Operation['responses'],
): Details => ({
  method: 'delete',
  action,
  description,
  query: [...query, PRETTY],
  body: { type: 'meta/v1.DeleteOptions', required: false },
  consumes: ANY,
  produces: MEDIA,
  responses,
});

export const article = (noun: string): string => (/^[AEIOU]/.test(noun) ? 'an' : 'a');
