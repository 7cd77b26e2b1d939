// What the types of generated code allow and refuse, and what a call passes on.

import { delete_, getUnderscoreUser, getUser, type DeleteInput, type Caller } from './kinds/index.js';
import { getWeather, ToolError, type GetWeatherInput } from './weather/index.js';

const valid: DeleteInput = {
  which: { b: [true] },
  how: 'quickly',
  when: null,
  place: { city: 'Oslo' },
  tree: { next: { next: {} } },
  pair: ['a', 1],
  rest: ['a', true, false],
  both: { x: 1, y: 'b' },
  either: ['a', 1],
  map: { a: 1 },
  open: { known: 'a', other: 2 },
  closed: {},
  value: { a: 'b', c: { d: {} } },
  any: [],
  'not an identifier': 'a',
};

// @ts-expect-error A required member is missing.
export const missing: DeleteInput = { which: 'a' };
// @ts-expect-error The value is not in the enum.
export const unknown: DeleteInput = { which: 'c', how: 'quickly' };
// @ts-expect-error The tuple has at most two elements.
export const long: DeleteInput = { which: 'a', how: 'quickly', pair: ['a', 1, 2] };
// @ts-expect-error There is no such member.
export const misspelled: GetWeatherInput = { citty: 'Oslo' };

let called: unknown;
let result: unknown = { content: [{ type: 'text', text: 'done' }] };
const client: Caller = {
  async callTool(params) {
    called = params;
    return result;
  },
};

function check(what: string, got: unknown, want: unknown): void {
  if (JSON.stringify(got) !== JSON.stringify(want)) {
    throw new Error(`${what}: got ${JSON.stringify(got)}, want ${JSON.stringify(want)}`);
  }
}

check('content', await delete_(client, valid), [{ type: 'text', text: 'done' }]);
check('the call', called, { name: 'delete', arguments: valid });
await getUser(client);
check('the call without arguments', called, { name: 'getUser', arguments: {} });

result = { content: [], structuredContent: { name: 'Ada' } };
const user = await getUnderscoreUser(client);
check('the result', user.name, 'Ada');
result = { content: [{ type: 'text', text: '{"name":"Eve"}' }] };
check('the result as text', (await getUnderscoreUser(client)).name, 'Eve');
for (const content of [[], [{ type: 'text', text: 'no JSON' }]]) {
  result = { content };
  check('no result', await getUnderscoreUser(client).catch((error) => error.message), 'the tool get_user has returned no structured result');
}

result = { content: [{ type: 'text', text: 'no such city' }], isError: true };
try {
  await getWeather(client, { city: 'Nowhere' });
  throw new Error('a failure is not an error');
} catch (error) {
  if (!(error instanceof ToolError)) {
    throw error;
  }
  check('the error', [error.message, error.tool], ['no such city', 'get_weather']);
}

// Some servers leave the content out.
result = { structuredContent: { name: 'Ada' } };
check('the result without content', (await getUnderscoreUser(client)).name, 'Ada');
result = {};
check('no content', await delete_(client, valid), []);
check('nothing', await getUnderscoreUser(client).catch((error) => error.message), 'the tool get_user has returned no structured result');
result = { isError: true };
check('an error without content', await getUser(client).catch((error) => error.message), 'the tool getUser failed');
