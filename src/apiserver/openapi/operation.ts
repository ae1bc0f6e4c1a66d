import { type Parameter } from './parameters.ts';

export interface Operation {
  readonly path: string;
  readonly method: Method;
  readonly tag: string;
  readonly operationId: string;
  readonly description: string;
  readonly action?: string;
  readonly kind?: { readonly group: string; readonly version: string; readonly kind: string };
  readonly parameters: readonly Parameter[];
  readonly body?: { readonly type: string; readonly required: boolean };
  readonly consumes?: readonly string[];
  readonly produces: readonly string[];
  /** By status code; `type` is a type id, or `string` for text. */
  readonly responses: Readonly<Record<string, { readonly description: string; readonly type?: string }>>;
}

export const MEDIA = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];

export const PATCHES = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
];

export const ANY = ['*/*'];

export const STATUS = 'meta/v1.Status';

export const ok = (type?: string): Operation['responses'] => answers(['200', 'OK', type]);

export function answers(...rows: [code: string, description: string, type?: string][]): Operation['responses'] {
  const all: typeof rows = [...rows, ['401', 'Unauthorized']];
  return Object.fromEntries(
    all.map(([code, description, type]) => [code, { description, ...(type !== undefined && { type }) }]),
  );
}

export type Method = 'get' | 'put' | 'post' | 'delete' | 'options' | 'head' | 'patch';
