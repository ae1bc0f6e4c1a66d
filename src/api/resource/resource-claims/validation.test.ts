import { describe, expect, test } from 'vitest';
import { runToEnd } from '../../../machinery/cooperative-scheduling.ts';
import { fieldErrorText } from '../../../machinery/field-error.ts';
import { FieldErrors, gathered } from '../../../machinery/field-errors.ts';
import type { ResourceClaim, ResourceClaimTemplate } from '../../gen/types/resource-v1beta1.ts';
import { validateResourceClaimTemplate } from '../resource-claim-templates/validation.ts';
import { validateResourceClaim } from './validation.ts';

type Members = Readonly<Record<string, unknown>>;

const request = { name: 'r', deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 1 };
const claim = (devices: Members): ResourceClaim =>
  ({ metadata: { name: 'c', namespace: 'n' }, spec: { devices }, status: {} }) as unknown as ResourceClaim;
const problems = (object: ResourceClaim, old?: ResourceClaim): string[] =>
  gathered(() => runToEnd(validateResourceClaim(object, old, new FieldErrors()))).map(fieldErrorText);
const ofRequest = (more: Members): string[] => problems(claim({ requests: [{ ...request, ...more }] }));
const opaque = (parameters: unknown, driver = 'd.example.com'): Members => ({ opaque: { driver, parameters } });
const selector = (expression: string): Members => ({ selectors: [{ cel: { expression } }] });

const label =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with " +
  "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const at = 'spec.devices.requests[0]';
const expressionAt = `${at}.selectors[0].cel.expression`;

describe('the requests of a claim', () => {
  test.each([
    { name: 'that are complete', more: {}, expected: [] },
    { name: 'for all devices', more: { allocationMode: 'All', count: undefined }, expected: [] },
    { name: 'with an expression', more: selector('device.driver == "d"'), expected: [] },
    { name: 'with an attribute as expression', more: selector('device.attributes["d"].isFast'), expected: [] },
    { name: 'without a name', more: { name: '' }, expected: [`${at}.name: Invalid value: "": ${label}`] },
    { name: 'without a class', more: { deviceClassName: '' }, expected: [`${at}.deviceClassName: Required value`] },
    {
      name: 'for no devices',
      more: { count: 0 },
      expected: [`${at}.count: Invalid value: 0: must be greater than zero`],
    },
    {
      name: 'for all devices and a number of them',
      more: { allocationMode: 'All' },
      expected: [`${at}.count: Invalid value: 1: must not be specified when allocationMode is 'All'`],
    },
    {
      name: 'of an unknown mode',
      more: { allocationMode: 'Some' },
      expected: [`${at}.allocationMode: Unsupported value: "Some": supported values: "All", "ExactCount"`],
    },
    { name: 'with an empty selector', more: { selectors: [{}] }, expected: [`${at}.selectors[0].cel: Required value`] },
    {
      name: 'with an expression of another type',
      more: selector('device.driver'),
      expected: [
        `${expressionAt}: Invalid value: "device.driver": must evaluate to bool or the unknown type, not string`,
      ],
    },
    {
      name: 'with an expression whose type is hidden',
      more: selector('dyn(true)'),
      expected: [`${expressionAt}: Invalid value: "dyn(true)": must evaluate to bool or the unknown type, not dyn`],
    },
    {
      name: 'with an expression that is none',
      more: selector('noSuchVar'),
      expected: [
        `${expressionAt}: Invalid value: "noSuchVar": compilation failed: ERROR: <input>:1:1: undeclared ` +
          "reference to 'noSuchVar' (in container '')\n | noSuchVar\n | ^",
      ],
    },
    {
      name: 'with a long expression',
      more: selector(`true${' '.repeat(10 * 1024)}`),
      expected: [`${expressionAt}: Too long: may not be more than 10240 bytes`],
    },
    {
      name: 'with an expression that costs much',
      more: selector(`${'device.attributes.all(a, '.repeat(4)}a == ""${')'.repeat(4)}`),
      expected: [`${expressionAt}: Forbidden: too complex, exceeds cost limit`],
    },
    {
      name: 'with many selectors',
      more: { selectors: Array.from({ length: 33 }, () => ({ cel: { expression: 'true' } })) },
      expected: [`${at}.selectors: Too many: 33: must have at most 32 items`],
    },
  ])('Requests of a claim $name are judged', ({ more, expected }) => {
    expect(ofRequest(more)).toEqual(expected);
  });

  test('Requests of one name, and too many of them, are refused', () => {
    expect(problems(claim({ requests: [request, request] }))).toEqual([
      'spec.devices.requests[1].name: Duplicate value: "r"',
    ]);
    const many = Array.from({ length: 33 }, (_, i) => ({ ...request, name: `r${i}` }));
    expect(problems(claim({ requests: many }))).toEqual([
      'spec.devices.requests: Too many: 33: must have at most 32 items',
    ]);
  });
});

describe('the constraints and configurations of a claim', () => {
  const noRequest = (path: string): string => `${path}: Invalid value: "x": must be the name of a request in the claim`;

  test.each([
    { name: 'a full attribute', constraint: { matchAttribute: 'd.example.com/model' }, expected: [] },
    { name: 'no attribute', constraint: {}, expected: ['matchAttribute: Required value'] },
    {
      name: 'an empty one',
      constraint: { matchAttribute: '' },
      expected: ['matchAttribute: Required value: name required'],
    },
    {
      name: 'one without its domain',
      constraint: { matchAttribute: 'model' },
      expected: ['matchAttribute: Invalid value: "model": must include a domain'],
    },
    {
      name: 'one with an empty domain and no name',
      constraint: { matchAttribute: '/' },
      expected: [
        'matchAttribute: Required value: the domain must not be empty',
        'matchAttribute: Required value: the name must not be empty',
      ],
    },
    {
      name: 'a long name that is no identifier',
      constraint: { matchAttribute: `d/${'-'.repeat(33)}` },
      expected: [
        'matchAttribute: Too long: may not be more than 32 bytes',
        `matchAttribute: Invalid value: "${'-'.repeat(33)}": a valid C identifier must start with alphabetic ` +
          "character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  " +
          "or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')",
      ],
    },
    {
      name: 'requests that do not exist, twice',
      constraint: { matchAttribute: 'd/m', requests: ['r', 'x', 'x'] },
      expected: [noRequest('requests[1]'), noRequest('requests[2]'), 'requests[2]: Duplicate value: "x"'],
    },
  ])('A constraint with $name is judged', ({ constraint, expected }) => {
    expect(problems(claim({ requests: [request], constraints: [constraint] }))).toEqual(
      expected.map((text) => `spec.devices.constraints[0].${text}`),
    );
  });

  test.each([
    { name: 'an object', config: opaque({ a: 1 }), expected: [] },
    { name: 'no driver of its own', config: {}, expected: ['opaque: Required value'] },
    { name: 'no name of a driver', config: opaque({}, ''), expected: ['opaque.driver: Required value'] },
    { name: 'no parameters', config: opaque(undefined), expected: ['opaque.parameters: Required value'] },
    { name: 'null', config: opaque(null), expected: ['opaque.parameters: Required value'] },
    {
      name: 'a list',
      config: opaque([]),
      expected: ['opaque.parameters: Invalid value: "<value omitted>": parameters must be a valid JSON object'],
    },
    {
      name: 'more than ten kilobytes',
      config: opaque({ text: 'x'.repeat(10 * 1024) }),
      expected: ['opaque.parameters: Too long: may not be more than 10240 bytes'],
    },
    { name: 'an unknown request', config: { ...opaque({}), requests: ['x'] }, expected: [noRequest('requests[0]')] },
  ])('A configuration with $name is judged', ({ config, expected }) => {
    const found = problems(claim({ requests: [request], config: [config] })).filter(
      (text) => !text.includes('RFC 1123 subdomain'),
    );
    expect(found).toEqual(expected.map((text) => `spec.devices.config[0].${text}`));
  });

  test('What a claim has is not judged by limits that came later', () => {
    const old = claim({ requests: [request], config: [opaque({ text: 'x'.repeat(10 * 1024) })] });
    expect(problems(old, old)).toEqual([]);
  });
});

test('What a claim asks for does not change', () => {
  const [now] = problems(claim({ requests: [{ ...request, count: 2 }] }), claim({ requests: [request] }));
  expect(now).toBe(
    'spec: Invalid value: resource.ResourceClaimSpec{Devices:resource.DeviceClaim{Requests:[]resource.DeviceRequest' +
      '{resource.DeviceRequest{Name:"r", DeviceClassName:"gpu", Selectors:[]resource.DeviceSelector(nil), ' +
      'AllocationMode:"ExactCount", Count:2, AdminAccess:(*bool)(nil)}}, ' +
      'Constraints:[]resource.DeviceConstraint(nil), Config:[]resource.DeviceClaimConfiguration(nil)}}: ' +
      'field is immutable',
  );
});

test('A template has labels, annotations, and a claim that could be made of it', () => {
  const template = (spec: Members, metadata: Members = {}): ResourceClaimTemplate =>
    ({ metadata: { name: 't', namespace: 'n' }, spec: { metadata, spec } }) as unknown as ResourceClaimTemplate;
  const found = (object: ResourceClaimTemplate, old?: ResourceClaimTemplate): string[] =>
    runToEnd(validateResourceClaimTemplate(object, old, new FieldErrors())).map(fieldErrorText);
  const right = template({ devices: { requests: [request] } }, { labels: { a: 'b' } });
  expect(found(right)).toEqual([]);
  expect(found(template({ devices: { requests: [{ ...request, count: -1 }] } }, { name: 'x' }))).toEqual([
    'spec.metadata.name: Forbidden: cannot be set',
    'spec.spec.devices.requests[0].count: Invalid value: -1: must be greater than zero',
  ]);
  const [changed] = found(template({ devices: { requests: [] } }), right);
  expect(changed).toMatch(
    /^spec: Invalid value: resource\.ResourceClaimTemplateSpec\{ObjectMeta:.*: field is immutable$/,
  );
});
