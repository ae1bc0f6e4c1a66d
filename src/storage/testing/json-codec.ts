import { createAttributesInterning } from '../attributes-interning.ts';
import type { ObjectCodec } from '../objects.ts';

/** What the objects of the storage tests look like. */
export interface TestObject {
  readonly namespace?: string;
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly fields?: Readonly<Record<string, string>>;
  readonly data?: string;
}

const envelope = Buffer.from('test\0');

/** Stores JSON behind a short envelope; refuses what has none. */
export function createJsonCodec(onOpen: () => void = () => undefined): ObjectCodec {
  const share = createAttributesInterning();
  return {
    decode(key, value, revision) {
      onOpen();
      if (!value.subarray(0, envelope.length).equals(envelope)) throw new Error('no envelope');
      const bytes = value.subarray(envelope.length);
      const { namespace = '', name, labels = {}, fields = {} } = JSON.parse(bytes.toString()) as TestObject;
      const attributes = share(key, {
        namespace,
        name,
        labels: new Map(Object.entries(labels)),
        fields: new Map(Object.entries(fields)),
      });
      return { key, revision, bytes, attributes: attributes, representations: undefined };
    },
    encode: (_key, bytes) => Buffer.concat([envelope, bytes]),
  };
}

export function encodeTestObject(object: TestObject): Buffer {
  return Buffer.from(JSON.stringify(object));
}
