import { JsonBody } from '../../machinery/json/body.ts';
import { type ConvertedYaml, convertYaml } from '../../machinery/json/yaml.ts';
import { runCooperatively } from '../../machinery/cooperative-scheduling.ts';

/** A body in JSON or YAML. Reads it anew at every call; throws what is wrong with it. */
export type TextBody = () => JsonBody;

export const jsonBody =
  (bytes: Buffer): TextBody =>
  () =>
    new JsonBody(bytes);

/**
 * YAML is converted here, yielding to other requests. Its errors are reported later, when the body is decoded: other
 * checks come first.
 */
export async function yamlBody(bytes: Buffer): Promise<TextBody> {
  let converted: ConvertedYaml;
  try {
    converted = await runCooperatively(convertYaml(bytes));
  } catch (error) {
    return () => {
      throw error;
    };
  }
  return () => new JsonBody(converted.json, converted.problems);
}
