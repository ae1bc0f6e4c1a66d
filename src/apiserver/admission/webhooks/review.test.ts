import { expect, test } from 'vitest';
import type { HttpAnswer } from '../../../client/transport.ts';
import { failureText, retryDelayMs } from './answer-status.ts';
import { readReview, reviewVersionOf, verdictOf, type ReviewVersion } from './review.ts';

const answer = (more: Partial<HttpAnswer>): HttpAnswer => ({
  status: 200,
  contentType: 'application/json',
  retryAfter: undefined,
  text: '',
  ...more,
});
const review = (response: object | undefined, version = 'v1', kind = 'AdmissionReview'): string =>
  JSON.stringify({ apiVersion: `admission.k8s.io/${version}`, kind, response });

test.each([
  { versions: ['v1', 'v1beta1'], version: 'v1' },
  { versions: ['v1beta1', 'v1'], version: 'v1beta1' },
  { versions: ['v2', 'v1'], version: 'v1' },
  { versions: ['v2'], version: undefined },
])('Of $versions, $version is sent', ({ versions, version }) => expect(reviewVersionOf(versions)).toBe(version));

test.each([
  { text: '', message: '0-length response with status code: 200 and content type: application/json' },
  {
    text: 'garbage',
    message: "couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value",
  },
  { text: '[]', message: "couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value" },
  { text: review({}, 'v2'), message: 'no kind "AdmissionReview" is registered for version "admission.k8s.io/v2"' },
  { text: review({}, 'v1', 'Other'), message: 'no kind "Other" is registered for version "admission.k8s.io/v1"' },
  {
    text: review({}, 'v1beta1'),
    message: 'converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): unknown conversion',
  },
  { text: review({ allowed: 'yes' }), message: 'json: cannot unmarshal string' },
])('The answer $text is no review: $message', ({ text, message }) => {
  expect(() => readReview(answer({ text }), 'v1')).toThrow(message);
});

test.each([
  { name: 'with a uid and the verdict alone', text: review({ uid: 'u', allowed: true }) },
  { name: 'with spaces', text: ` ${review({ uid: 'u', allowed: true })}\n` },
  {
    name: 'with the request',
    text: JSON.stringify({ ...JSON.parse(review({ uid: 'u', allowed: true })), request: {} }),
  },
  { name: 'with members that are not known', text: review({ uid: 'u', allowed: true, other: 1 }) },
  { name: 'that is long', text: review({ uid: 'u', allowed: true }) + ' '.repeat(2000) },
  { name: 'with a member twice', text: review({ uid: 'u', allowed: true }).replace('{"uid"', '{"uid":"x","uid"') },
])('The verdict of an answer $name is read', ({ text }) => {
  expect(readReview(answer({ text }), 'v1').response).toEqual({ uid: 'u', allowed: true });
});

const verdict = (response: object | undefined, mutating: boolean, version: ReviewVersion = 'v1') =>
  verdictOf(readReview(answer({ text: review(response, version) }), version), { uid: 'u', version, mutating });
const patch = Buffer.from('[]').toString('base64');

test.each([
  { name: 'no response', response: undefined, mutating: true, message: 'webhook response was absent' },
  { name: 'another uid', response: { uid: 'x' }, mutating: true, message: 'expected response.uid="u", got "x"' },
  {
    name: 'a patch without its type',
    response: { uid: 'u', patch },
    mutating: true,
    message: 'webhook returned response.patch but not response.patchType',
  },
  {
    name: 'a type without a patch',
    response: { uid: 'u', patchType: 'JSONPatch' },
    mutating: true,
    message: 'webhook returned response.patchType but not response.patch',
  },
  {
    name: 'a patch of another type',
    response: { uid: 'u', patch, patchType: 'Merge' },
    mutating: true,
    message: 'unsupported patch type "Merge"',
  },
  {
    name: 'a patch of one that only validates',
    response: { uid: 'u', patch },
    mutating: false,
    message: 'validating webhook may not return response.patch',
  },
])('A verdict with $name does not count', ({ response, mutating, message }) => {
  expect(() => verdict(response, mutating)).toThrow(message);
});

test('Answers in v1beta1 may have any uid, and patches without a type', () => {
  expect(verdict({ uid: 'other', allowed: true, patch }, true, 'v1beta1')).toEqual({ allowed: true, patch: '[]' });
  expect(verdict({ allowed: true, patch }, false, 'v1beta1')).toEqual({ allowed: true, patch: '' });
});

test.each([
  {
    status: 500,
    contentType: 'text/plain',
    text: 'went wrong',
    said: 'an error on the server ("went wrong") has prevented the request from succeeding',
  },
  {
    status: 500,
    contentType: 'application/json',
    text: 'x',
    said: 'an error on the server ("unknown") has prevented the request from succeeding',
  },
  {
    status: 500,
    contentType: 'application/json',
    text: '{"kind":"Status","status":"Failure","message":"own"}',
    said: 'own',
  },
  { status: 403, contentType: 'text/plain', text: '', said: '' },
  { status: 404, contentType: 'text/plain', text: 'x', said: 'the server could not find the requested resource' },
  {
    status: 418,
    contentType: 'text/plain',
    text: 'x',
    said: 'the server responded with the status code 418 but did not return more information',
  },
])('A webhook that answers $status $text says "$said"', ({ said, ...more }) =>
  expect(failureText(answer(more))).toBe(said),
);

test.each([
  { status: 503, retryAfter: '1', delay: 1000 },
  { status: 429, retryAfter: '2', delay: 2000 },
  { status: 503, retryAfter: undefined, delay: undefined },
  { status: 400, retryAfter: '1', delay: undefined },
  { status: 503, retryAfter: 'Fri, 31 Dec 1999 23:59:59 GMT', delay: undefined },
])('After $status with Retry-After $retryAfter it is asked again after $delay ms', ({ delay, ...more }) =>
  expect(retryDelayMs(answer(more))).toBe(delay),
);
