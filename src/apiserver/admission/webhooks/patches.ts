/** The JSON patch of a mutating webhook, applied to the object in the version that the webhook was shown. */
import { JsonBody } from '../../../machinery/json/body.ts';
import { stringifyJson } from '../../../machinery/json/writer.ts';
import { goQuote } from '../../../machinery/go-quote.ts';
import { decodeJsonPatch, type JsonPatchOperation } from '../../../machinery/patch/json-patch-document.ts';
import { applyJsonPatch } from '../../../machinery/patch/json-patch.ts';
import { internalError, isStatusError, type StatusError } from '../../../machinery/status.ts';
import type { JsonObject } from '../../../machinery/value.ts';
import type { Invocation } from './invocation.ts';

/** @param text of the answer. Throws 500, as upstream does whatever the failure policy is. */
export function readPatch(text: string): readonly JsonPatchOperation[] {
  if (text === '') return [];
  try {
    return decodeJsonPatch(new JsonBody(text).value().value, 'Ignore').operations;
  } catch (error) {
    throw refused(error);
  }
}

/** Changes the object of the request. False when it is what it was. Throws 500. */
export async function applyPatch(
  { entry, form, attributes, objects }: Invocation,
  operations: readonly JsonPatchOperation[],
): Promise<boolean> {
  const { object, forms } = attributes;
  const shown = await objects.object(form);
  if (object === undefined || shown === undefined)
    throw internalError(
      `admission webhook ${goQuote(entry.name)} attempted to modify the object, which is not supported for this ` +
        'operation',
    );
  try {
    return await forms.replace(object, applyJsonPatch(shown, operations) as JsonObject, form);
  } catch (error) {
    throw refused(error);
  } finally {
    objects.changed();
  }
}

/** Why a patch does not fit is told here: the webhook's owner has to find out. */
function refused(error: unknown): StatusError {
  if (isStatusError(error) && error.reason === '') return error;
  const why = isStatusError(error) && error.cause instanceof Error ? error.cause.message : (error as Error).message;
  return internalError(why, { cause: error });
}

/** As Go writes JSON: members in order, and without characters that HTML knows. */
export const patchText = (operations: readonly JsonPatchOperation[]): string =>
  `[${operations.map((operation) => stringifyJson(operation)).join(',')}]`.replace(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
