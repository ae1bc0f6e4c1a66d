/** What an answer of a webhook that is no success comes to, in the words of the reference's client. */
const texts: Readonly<Record<number, string>> = {
  401: 'the server has asked for the client to provide credentials',
  404: 'the server could not find the requested resource',
  405: 'the server does not allow this method on the requested resource',
  409: 'the server reported a conflict',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
  504: 'the server was unable to return a response in the time allotted, but may still be processing the request',
};

export function answerStatusText(status: number): string {
  const known = texts[status];
  if (known !== undefined) return known;
  return status >= 500
    ? 'an error on the server ("unknown") has prevented the request from succeeding'
    : `the server responded with the status code ${status} but did not return more information`;
}
