/**
 * AdmissionReviews: what a webhook is asked, and what of its answer counts.
 * @see {@link
 *   https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#webhook-request-and-response
 *   | Webhook request and response}
 */
import { codecs } from '../../../api/codecs.ts';
import type { AdmissionResponse, AdmissionReview } from '../../../api/gen/types/admission-v1.ts';
import type { HttpAnswer } from '../../../client/transport.ts';
import { JsonBody } from '../../../machinery/json/body.ts';
import { JsonSyntaxError } from '../../../machinery/json/json-error.ts';
import { stringifyUnordered } from '../../../machinery/json/writer.ts';
import { goQuote } from '../../../machinery/go-quote.ts';
import { isObject, type JsonObject } from '../../../machinery/value.ts';
import type { AdmissionAttributes, ResourceForm } from '../../../registry/admission.ts';
import { requestJson } from '../matching/expression-input.ts';
import type { VersionedObjects } from '../matching/versioned-objects.ts';

export type ReviewVersion = 'v1' | 'v1beta1';

/** The first version of a webhook that this server knows. */
export const reviewVersionOf = (versions: readonly string[] = []): ReviewVersion | undefined =>
  versions.find((version): version is ReviewVersion => version === 'v1' || version === 'v1beta1');

export interface ReviewInput {
  readonly attributes: AdmissionAttributes;
  readonly form: ResourceForm;
  readonly objects: VersionedObjects;
}

const [ofOldObject, end, withoutOldObject] = [',"oldObject":', '}}', ',"oldObject":null}}'].map((text) =>
  Buffer.from(text),
) as [Buffer, Buffer, Buffer];

export async function reviewBody(
  { attributes, form, objects }: ReviewInput,
  version: ReviewVersion,
  uid: string,
): Promise<Buffer> {
  const object = await objects.objectText(form);
  const oldObject = await objects.oldObjectText(form);
  const request = stringifyUnordered(requestJson(attributes, form, uid) as unknown as JsonObject);
  const begin =
    `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/${version}","request":${request.slice(0, -1)},` +
    `"object":${object === undefined ? 'null' : ''}`;
  const parts: Buffer[] = [Buffer.from(begin)];
  if (object !== undefined) parts.push(object);
  if (oldObject === undefined) parts.push(withoutOldObject);
  else parts.push(ofOldObject, oldObject, end);
  return Buffer.concat(parts);
}

/** An answer that is no review of this version. The message is that of Go's decoder. */
export class NotAReview extends Error {
  override readonly name = 'NotAReview';
}

/** Reads a review out of an answer. Throws {@link NotAReview}, and what the codec says of a member of a wrong type. */
export function readReview({ status, contentType, text = '' }: HttpAnswer, version: ReviewVersion): AdmissionReview {
  if (text === '')
    throw new NotAReview(`0-length response with status code: ${status} and content type: ${contentType}`);
  const plain = plainReview(text, version);
  if (plain !== undefined) return plain;
  const body = bodyOf(text);
  checkKind(body, version);
  return codecs.of(`admission/${version}.AdmissionReview`).fromJson(body).value as AdmissionReview;
}

/** Longer ones have patches, or say more than yes. */
const maxPlainLength = 1024;

/** Most answers have these members alone. The codec would read the same, in a multiple of the time. */
function plainReview(text: string, version: ReviewVersion): AdmissionReview | undefined {
  if (text.length > maxPlainLength) return undefined;
  try {
    const { kind, apiVersion, response, ...more } = JSON.parse(text) as JsonObject;
    if (kind !== 'AdmissionReview' || apiVersion !== `admission.k8s.io/${version}` || !isObject(response))
      return undefined;
    const { uid, allowed, ...others } = response;
    if (typeof uid !== 'string' || typeof allowed !== 'boolean') return undefined;
    return isEmpty(more) && isEmpty(others) ? { response: { uid, allowed } } : undefined;
  } catch {
    return undefined;
  }
}

const isEmpty = (object: object): boolean => Object.keys(object).length === 0;

const noVersion = (why: string): NotAReview => new NotAReview(`couldn't get version/kind; json parse error: ${why}`);

const anyText = '""';

/** What is no JSON is a plain text to upstream's decoder, which reads YAML. */
function bodyOf(text: string): JsonBody {
  try {
    const body = new JsonBody(text);
    body.typeMeta();
    return body;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return bodyOf(anyText);
    throw noVersion((error as Error).message);
  }
}

function checkKind(body: JsonBody, version: ReviewVersion): void {
  const { apiVersion, kind } = body.typeMeta();
  const wanted = `admission.k8s.io/${version}`;
  const own = { apiVersion: apiVersion === '' ? wanted : apiVersion, kind: kind === '' ? 'AdmissionReview' : kind };
  if (own.kind === 'AdmissionReview' && own.apiVersion === wanted) return;
  const other = /^admission\.k8s\.io\/(v1|v1beta1)$/.exec(own.apiVersion)?.[1];
  if (own.kind === 'AdmissionReview' && other !== undefined)
    throw new NotAReview(`converting (${other}.AdmissionReview) to (${version}.AdmissionReview): unknown conversion`);
  throw new NotAReview(
    `no kind ${goQuote(own.kind)} is registered for version ${goQuote(own.apiVersion)} in scheme ` +
      '"pkg/util/webhook/client.go:71"',
  );
}

/** What counts of an answer; the text of the patch is JSON, or claims to be. */
export interface Verdict {
  readonly allowed: boolean;
  readonly patch: string;
  readonly status: AdmissionResponse['status'] | undefined;
  readonly auditAnnotations: AdmissionResponse['auditAnnotations'] | undefined;
  readonly warnings: AdmissionResponse['warnings'] | undefined;
}

/** @throws Error for an answer to another question, and for one that this kind of webhook may not give */
export function verdictOf(
  { response }: AdmissionReview,
  asked: { readonly uid: string; readonly version: ReviewVersion; readonly mutating: boolean },
): Verdict {
  if (response === undefined) throw new Error('webhook response was absent');
  const { uid = '', allowed = false, status, patch = '', patchType, auditAnnotations, warnings } = response;
  if (asked.version === 'v1') {
    if (uid !== asked.uid) throw new Error(`expected response.uid=${goQuote(asked.uid)}, got ${goQuote(uid)}`);
    checkPatch(patch, patchType, asked.mutating);
  }
  const text = asked.mutating ? Buffer.from(patch, 'base64').toString() : '';
  return { allowed, patch: text, status, auditAnnotations, warnings };
}

function checkPatch(patch: string, patchType: string | undefined, mutating: boolean): void {
  if (!mutating) {
    if (patch !== '') throw new Error('validating webhook may not return response.patch');
    if (patchType !== undefined) throw new Error('validating webhook may not return response.patchType');
    return;
  }
  if (patch !== '' && patchType === undefined)
    throw new Error('webhook returned response.patch but not response.patchType');
  if (patch === '' && patchType !== undefined)
    throw new Error('webhook returned response.patchType but not response.patch');
  if (patchType !== undefined && patchType !== 'JSONPatch')
    throw new Error(
      patchType === ''
        ? 'webhook returned invalid response.patchType of ""'
        : `unsupported patch type ${goQuote(patchType)}`,
    );
}
