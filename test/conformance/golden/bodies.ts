export function bodyBytes(body: unknown): Buffer {
  if (typeof body === 'string') return Buffer.from(body);
  const special = body as { $base64?: string; $repeat?: [string, string, number, string] };
  if (typeof special?.$base64 === 'string') return Buffer.from(special.$base64, 'base64');
  if (Array.isArray(special?.$repeat))
    return Buffer.from(special.$repeat[0] + special.$repeat[1].repeat(special.$repeat[2]) + special.$repeat[3]);
  return Buffer.from(spacedJson(body));
}

/** JSON with the spaces that the recorder sent: error messages quote the beginning of a body. */
function spacedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spacedJson).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, item]) => `${JSON.stringify(key)}: ${spacedJson(item)}`)
    .join(', ')}}`;
}

export function readBody(contentType: string | string[] | undefined, body: Buffer, expected: unknown): unknown {
  const type = [contentType ?? ''].flat()[0]!;
  if (type.includes('protobuf')) return body;
  if (typeof expected === 'string' && expected !== '<not recorded>') return body.toString();
  if (!type.includes('json')) return body.toString();
  try {
    // Plain numbers will do here: recorded ones were read the same way.
    return JSON.parse(body.toString()) as unknown;
  } catch {
    return body.toString();
  }
}
