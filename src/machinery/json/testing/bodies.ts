import { schemas } from '../../../../test/support/schemas.ts';
import { createCodecs } from '../../codec/index.ts';
import type { JsonObject } from '../../value.ts';

export const codecs = createCodecs(schemas);

export const decode = (typeId: string, text: string): { value: JsonObject; problems: readonly string[] } =>
  codecs.of(typeId).fromJson(text);

export const pod = (text: string): JsonObject => decode('core/v1.Pod', text).value;
