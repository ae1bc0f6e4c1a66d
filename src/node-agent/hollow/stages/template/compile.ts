/**
 * Go templates, as far as stages use them: values, variables, `if`, `with`, `range`, and the functions of
 * `functions.ts`.
 * The text that comes out is YAML.
 *
 * One file because the rules of the grammar call each other.
 * @see {@link https://pkg.go.dev/text/template#hdr-Actions | text/template: Actions}
 */
import { parseYaml } from '../../../../machinery/json/yaml.ts';
import { isObject, type JsonValue } from '../../../../machinery/value.ts';
import type { TemplateContext } from './functions.ts';
import { ActionReader, maxDepth, type Pipeline, type Scope } from './pipeline.ts';
import { type Piece, piecesOf, TemplateError } from './tokens.ts';
import { entriesOf, isTrue, printed, type Value } from './values.ts';

export { TemplateError } from './tokens.ts';

/** The value of the YAML that the template comes to. Throws {@link TemplateError}, and for what is no YAML. */
export type Template = (data: JsonValue, context: TemplateContext) => JsonValue;

const maxLength = 100_000;

type Node = (scope: Scope, output: string[]) => void;

/** Throws {@link TemplateError}. */
export function compileTemplate(text: string): Template {
  const render = compileText(text);
  return (data, context) => parseYaml(render(data, context)).value;
}

export function compileText(text: string): (data: JsonValue, context: TemplateContext) => string {
  if (text.length > maxLength) throw new TemplateError(`longer than ${maxLength} characters`);
  const nodes = new Parser(piecesOf(text.trim())).parse();
  return (data, context) => {
    const output: string[] = [];
    runAll(nodes, { dot: data, variables: [{ name: '$', value: data }], context }, output);
    return output.join('');
  };
}

/** The keywords that end a list of nodes. */
type Ending = 'end' | 'else' | undefined;

interface Body {
  readonly nodes: readonly Node[];
  readonly ending: Ending;
  /** Of an `else`: what stands after it. */
  readonly rest: ActionReader | undefined;
  readonly keyword: string | undefined;
}

const controls = new Set(['if', 'with', 'range']);
const refused = new Set(['template', 'define', 'block', 'break', 'continue']);

class Parser {
  readonly #pieces: readonly Piece[];
  #index = 0;
  #depth = 0;

  constructor(pieces: readonly Piece[]) {
    this.#pieces = pieces;
  }

  parse(): readonly Node[] {
    const { nodes, ending } = this.#body();
    if (ending !== undefined) throw new TemplateError(`unexpected {{${ending}}}`);
    return nodes;
  }

  #body(): Body {
    const nodes: Node[] = [];
    for (let piece = this.#pieces[this.#index++]; piece !== undefined; piece = this.#pieces[this.#index++]) {
      if (piece.kind === 'text') {
        const { text } = piece;
        nodes.push((_, output) => void output.push(text));
        continue;
      }
      const { tokens, line } = piece;
      const [first, second] = tokens;
      const keyword = first?.kind === 'name' ? first.text : '';
      if (refused.has(keyword)) throw new TemplateError(`line ${line}: {{${keyword}}} is not supported`);
      if (keyword === 'end') return { nodes, ending: 'end', rest: undefined, keyword: undefined };
      if (keyword === 'else') {
        const control = second?.kind === 'name' && controls.has(second.text) ? second.text : undefined;
        const rest = control === undefined ? undefined : new ActionReader(tokens, 2);
        return { nodes, ending: 'else', rest, keyword: control };
      }
      nodes.push(
        controls.has(keyword)
          ? this.#control(keyword, new ActionReader(tokens, 1))
          : action(new ActionReader(tokens, 0)),
      );
    }
    return { nodes, ending: undefined, rest: undefined, keyword: undefined };
  }

  #control(keyword: string, reader: ActionReader): Node {
    if (++this.#depth > maxDepth) throw new TemplateError('nested too deeply');
    const pipeline = reader.pipeline();
    const body = this.#body();
    if (body.ending === undefined) throw new TemplateError(`{{${keyword}}} without {{end}}`);
    const otherwise = body.ending === 'else' ? this.#otherwise(body) : [];
    this.#depth--;
    const parts = { pipeline, nodes: body.nodes, otherwise };
    return keyword === 'range' ? range(parts) : choose(parts, keyword === 'with');
  }

  #otherwise({ rest, keyword }: Body): readonly Node[] {
    // `else if` has the `end` of the whole.
    if (rest !== undefined) return [this.#control(keyword!, rest)];
    const { nodes, ending } = this.#body();
    if (ending !== 'end') throw new TemplateError('{{else}} without {{end}}');
    return nodes;
  }
}

function runAll(nodes: readonly Node[], scope: Scope, output: string[]): void {
  const { length } = scope.variables;
  for (const node of nodes) node(scope, output);
  scope.variables.length = length;
}

/** A value that is printed, or given to a variable. */
function action(reader: ActionReader): Node {
  const { variables, isDeclaration, value } = reader.pipeline();
  const [name] = variables;
  if (name === undefined) return (scope, output) => void output.push(printed(value(scope)));
  return (scope) => setVariable(scope, name, value(scope), isDeclaration);
}

function setVariable({ variables }: Scope, name: string, value: Value, isNew: boolean): void {
  if (isNew) return void variables.push({ name, value });
  const variable = variables.findLast((each) => each.name === name);
  if (variable === undefined) throw new TemplateError(`undefined variable ${JSON.stringify(name)}`);
  variable.value = value;
}

interface Parts {
  readonly pipeline: Pipeline;
  readonly nodes: readonly Node[];
  readonly otherwise: readonly Node[];
}

/** Variables that are declared in the pipeline are known up to the end of the whole. */
function choose({ pipeline, nodes, otherwise }: Parts, setsDot: boolean): Node {
  const [name] = pipeline.variables;
  return (scope, output) => {
    const { length } = scope.variables;
    const value = pipeline.value(scope);
    if (name !== undefined) setVariable(scope, name, value, pipeline.isDeclaration);
    if (!isTrue(value)) runAll(otherwise, scope, output);
    else runAll(nodes, setsDot ? { ...scope, dot: value } : scope, output);
    scope.variables.length = length;
  };
}

function range({ pipeline, nodes, otherwise }: Parts): Node {
  const { variables } = pipeline;
  return (scope, output) => {
    const { length } = scope.variables;
    const entries = elementsOf(pipeline.value(scope));
    if (entries.length === 0) runAll(otherwise, scope, output);
    for (const [key, element] of entries) {
      const values = variables.length === 2 ? [key, element] : [element];
      for (const [index, name] of variables.entries()) setVariable(scope, name, values[index]!, pipeline.isDeclaration);
      runAll(nodes, { ...scope, dot: element }, output);
      if (pipeline.isDeclaration) scope.variables.length = length;
    }
  };
}

function elementsOf(value: Value): readonly (readonly [Value, Value])[] {
  if (value === null) return [];
  if (Array.isArray(value)) return value.map((element, index) => [index, element] as const);
  if (isObject(value)) return entriesOf(value);
  throw new TemplateError(`range can't iterate over ${printed(value)}`);
}
