/** What an HTTP answer says that is no review, in the words of client-go: clients of kube-apiserver match them. */
import type { HttpAnswer } from '../../../client/transport.ts';
import { goQuote } from '../../../machinery/go-quote.ts';
import { isObject } from '../../../machinery/value.ts';

export const isSuccess = (status: number): boolean => status >= 200 && status <= 206;

const fixed: Readonly<Record<number, string>> = {
  400: 'the server rejected our request for an unknown reason',
  401: 'the server has asked for the client to provide credentials',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  409: 'the server reported a conflict',
  422: 'the server rejected our request due to an error in our request',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
};

/** The text for an answer without success: that of a Status in it, or what its code means. */
export function failureText({ status, contentType, text = '' }: HttpAnswer): string {
  const own = messageOfStatus(text);
  if (own !== undefined) return own;
  const isText = contentType === '' || contentType.startsWith('text/');
  const said = isText ? text.trim() : 'unknown';
  if (status in fixed) return fixed[status]!;
  if (status === 403 || status === 415) return said;
  if (status === 406)
    return said === '' || said === 'unknown'
      ? 'the server was unable to respond with a content type that the client supports'
      : said;
  if (status >= 500) return `an error on the server (${goQuote(said)}) has prevented the request from succeeding`;
  return `the server responded with the status code ${status} but did not return more information`;
}

function messageOfStatus(text: string): string | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const value = JSON.parse(text) as unknown;
    if (!isObject(value) || value['kind'] !== 'Status' || value['status'] !== 'Failure') return undefined;
    return typeof value['message'] === 'string' ? value['message'] : '';
  } catch {
    return undefined;
  }
}

/** Whether it is worth trying again, and after how many milliseconds: only where the webhook says so. */
export function retryDelayMs({ status, retryAfter }: HttpAnswer): number | undefined {
  if (status !== 429 && status < 500) return undefined;
  return retryAfter !== undefined && /^\d{1,6}$/.test(retryAfter) ? Number(retryAfter) * 1000 : undefined;
}
