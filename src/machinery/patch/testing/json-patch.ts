import type { StatusError } from '../../status.ts';
import { type JsonValue } from '../../value.ts';
import { decodeJsonPatch } from '../json-patch-document.ts';
import { applyJsonPatch } from '../json-patch.ts';

export const apply = (document: JsonValue, patch: JsonValue, options?: { maxCopyBytes?: number }) =>
  applyJsonPatch(document, decodeJsonPatch(patch, 'Warn').operations, options);

export const failure = (run: () => unknown): StatusError => {
  try {
    run();
  } catch (error) {
    return error as StatusError;
  }
  throw new Error('did not throw');
};

export const refused = {
  code: 422,
  reason: 'Invalid',
  message: 'the server rejected our request due to an error in our request',
  details: {},
};
