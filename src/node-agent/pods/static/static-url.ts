/** Static pods of an address: a Pod or a PodList. */
import type { Pod } from '../../../api/gen/types/core-v1.ts';
import { readPods, type StaticOrigin } from './read-pods.ts';

const timeoutMs = 10_000;
const maxBytes = 10 << 20;

export async function readStaticUrl(
  url: string,
  headers: Readonly<Record<string, readonly string[]>>,
  origin: Omit<StaticOrigin, 'place' | 'source'>,
  signal: AbortSignal,
): Promise<readonly Pod[]> {
  const given = new Headers();
  for (const [name, values] of Object.entries(headers)) for (const value of values) given.append(name, value);
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new Error('no answer within 10 s')), timeoutMs);
  try {
    const answer = await fetch(url, { headers: given, signal: AbortSignal.any([signal, limit.signal]) });
    if (answer.status !== 200) throw new Error(`${url}: ${answer.status} ${answer.statusText}`);
    const text = await limitedText(answer);
    if (text === '') throw new Error(`zero-length data received from ${url}`);
    return readPods(text, { ...origin, place: `url:${url}`, source: 'http' });
  } finally {
    clearTimeout(timer);
  }
}

async function limitedText(answer: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (answer.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > maxBytes) throw new Error(`the answer is longer than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
