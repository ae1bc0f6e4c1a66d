/**
 * Reads a protobuf message by field number, guided by the recorded one: that says which bytes are messages and which
 * text.
 */
export function readMessage(bytes: Buffer, like: unknown): unknown {
  const wanted = like as Record<string, unknown>;
  if ('k8s' in wanted)
    return bytes.subarray(0, 4).toString('latin1') === 'k8s\0'
      ? { k8s: readMessage(bytes.subarray(4), wanted['k8s']) }
      : bytes.toString('latin1');
  const fields: Record<string, unknown[]> = {};
  let p = 0;
  const varint = (): number => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[p++]!;
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return Number(BigInt.asIntN(64, value));
    }
  };
  while (p < bytes.length) {
    const tag = varint();
    const number = String(tag >>> 3);
    const list = (fields[number] ??= []);
    const examples = wanted[number] as unknown[] | undefined;
    const example = examples?.[list.length] ?? examples?.[0];
    if ((tag & 7) === 0) list.push(varint());
    else if ((tag & 7) === 1) list.push(bytes.readDoubleLE((p += 8) - 8));
    else if ((tag & 7) === 2) {
      const length = varint();
      const part = bytes.subarray(p, (p += length));
      list.push(typeof example === 'object' && example !== null ? readMessage(part, example) : part.toString());
    } else throw new Error(`unexpected wire type ${tag & 7}`);
  }
  return fields;
}
