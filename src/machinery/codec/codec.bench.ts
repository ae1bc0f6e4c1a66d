/** What a 2.5 kB pod costs. Run with `npx vitest bench --project unit src/machinery/codec`. */
import { bench, describe } from 'vitest';
import { samplePod } from '../../../test/support/pods.ts';
import { schemas } from '../../../test/support/schemas.ts';
import { JsonBody } from '../json/body.ts';
import { parseJson } from '../json/reader.ts';
import { createJsonAttributesScanner } from '../json/attributes-scanner.ts';
import { spliceJsonResourceVersion } from '../json/splice.ts';
import { encodeJson } from '../json/writer.ts';
import { jsonToYaml, readYaml } from '../json/yaml.ts';
import { createCodecs } from './index.ts';
import { createAttributesScanner } from './attributes-scanner.ts';
import { listItemLength, spliceEnvelope, spliceResourceVersion, writeListItem } from './splice.ts';

const pods = createCodecs(schemas).of('core/v1.Pod');
const typeMeta = { apiVersion: 'v1', kind: 'Pod' };
const messages = Array.from({ length: 500 }, (_, i) => pods.encode(samplePod(i)));
const values = messages.map((message) => pods.decode(message));
const texts = values.map((value) => pods.toJson(value, { typeMeta }));
const plain = texts.map((text) => parseJson(text)!);
const fields = [
  'spec.hostNetwork',
  'spec.nodeName',
  'spec.restartPolicy',
  'spec.schedulerName',
  'spec.serviceAccountName',
  'status.nominatedNodeName',
  'status.phase',
  'status.podIP',
];
const scan = createAttributesScanner(schemas, 'core/v1.Pod', fields);
const scanJson = createJsonAttributesScanner(['spec.nodeName']);
const chunk = Buffer.alloc(64 * 1024);

let turn = 0;
/** Another pod each time, so that nothing is measured that only repeats itself. */
const next = <T>(items: readonly T[]): T => items[(turn = (turn + 1) % items.length)]!;

describe('protobuf', () => {
  bench('decode', () => void pods.decode(next(messages)));
  bench('encode', () => void pods.encode(next(values)));
  bench('encode with envelope', () => void pods.encodeEnvelope(next(values), typeMeta));
  bench('transcode to JSON', () => void pods.transcode(next(messages)));
  bench('splice the resourceVersion', () => void spliceResourceVersion(next(messages), 123_456_789));
  bench('splice and envelope', () => void spliceEnvelope('v1', 'Pod', next(messages), 123_456_789));
  bench('length of a list item', () => void listItemLength(next(messages), 123_456_789));
  bench('write a list item', () => void writeListItem(chunk, 0, next(messages), 123_456_789));
  bench('scan the attributes', () => void scan(next(messages)));
});

describe('JSON', () => {
  bench('write from a value', () => void pods.toJson(next(values)));
  bench('read and normalize', () => void pods.fromJson(next(texts)));
  bench('JSON.parse alone, for comparison', () => void JSON.parse(next(texts).toString()));
  bench('read without a type', () => void new JsonBody(next(texts)).value());
  bench('read exactly', () => void parseJson(next(texts)));
  bench('write without a type', () => void encodeJson(next(plain)));
  bench('splice the resourceVersion', () => void spliceJsonResourceVersion(next(texts), 123_456_789));
  bench('scan the attributes', () => void scanJson(next(texts)));
  bench('to YAML', () => void jsonToYaml(next(texts)));
  bench('from YAML', () => void readYaml(yaml));
});

const yaml = jsonToYaml(texts[0]!);
