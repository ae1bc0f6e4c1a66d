/** The programs of a stage: what it matches, and values that it takes from the object. */
import type { JsonObject, JsonValue } from '../../../machinery/value.ts';
import type { ExpressionSource, MatchExpression, StageSelector } from './document.ts';
import { compileJq, type Query } from './jq/compile.ts';

export type Matcher = (object: JsonObject) => boolean;

/** Throws where an expression is no program, or its operator is unknown. */
export function compileSelector({
  matchLabels = {},
  matchAnnotations = {},
  matchExpressions = [],
}: StageSelector): Matcher {
  const requirements = matchExpressions.map(compileRequirement);
  const hasAll = (wanted: Readonly<Record<string, string>>, all: JsonValue | undefined): boolean =>
    Object.entries(wanted).every(([key, value]) => (all as JsonObject | undefined)?.[key] === value);
  return (object) => {
    const metadata = object['metadata'] as JsonObject;
    return (
      hasAll(matchLabels, metadata['labels']) &&
      hasAll(matchAnnotations, metadata['annotations']) &&
      requirements.every((matches) => matches(object))
    );
  };
}

function compileRequirement(expression: MatchExpression): Matcher {
  const { key = '', operator = '', values = [] } = expression.jq ?? expression;
  const query = compileJq(key);
  const wanted = new Set(values);
  const isWanted = (value: JsonValue): boolean => typeof value !== 'object' && wanted.has(String(value));
  switch (operator) {
    case 'In':
    case 'NotIn': {
      if (values.length === 0) throw new Error(`values: operator ${operator} needs at least one`);
      return (object) => query(object).some(isWanted) === (operator === 'In');
    }
    case 'Exists':
    case 'DoesNotExist': {
      if (values.length > 0) throw new Error(`values: operator ${operator} takes none`);
      return (object) => query(object).length > 0 === (operator === 'Exists');
    }
    default:
      throw new Error(`operator: ${JSON.stringify(operator)} is not one of In, NotIn, Exists, DoesNotExist`);
  }
}

export const compileSource = ({ expressionFrom, jq }: ExpressionSource): Query =>
  compileJq(jq?.expression ?? expressionFrom ?? '');
