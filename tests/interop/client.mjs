// Drives an MCP server with the official TypeScript client and prints what the client saw,
// a JSON object a line.
//
// usage: node client.mjs SDK LOG stdio COMMAND [ARG]...
//        node client.mjs SDK LOG http|sse URL
//
// SDK is v1 or v2; v2-auto is v2 asking first for revisions without a handshake. LOG is the
// file of the server's log.

import { readFileSync } from 'node:fs';
import { z } from 'zod';

const [sdk, logFile, way, target, ...args] = process.argv.slice(2);

// reconnection is when a stream that was cut is asked for again.
const reconnectionOptions = {
  initialReconnectionDelay: 50, maxReconnectionDelay: 50, reconnectionDelayGrowFactor: 1, maxRetries: 2,
};

// What the two generations of the SDK call by different names.
const { Client, stdio, sse, http, options } = sdk === 'v1' ? await v1() : await v2();

async function v1() {
  const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
  const { SSEClientTransport } = await import('@modelcontextprotocol/sdk/client/sse.js');
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
  return { Client, stdio: StdioClientTransport, sse: SSEClientTransport, http: StreamableHTTPClientTransport };
}

async function v2() {
  const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
  const { Client, SSEClientTransport, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  const options = { versionNegotiation: { mode: sdk === 'v2-auto' ? 'auto' : 'legacy' } };
  return { Client, stdio: StdioClientTransport, sse: SSEClientTransport, http: StreamableHTTPClientTransport, options };
}

const transports = {
  stdio: () => new stdio({ command: target, args, env: process.env }),
  sse: () => new sse(new URL(target)),
  http: () => new http(new URL(target), { reconnectionOptions }),
};

const print = (step, line) => console.log(JSON.stringify({ step, ...line }));
const log = () => readFileSync(logFile, 'utf8');

// logged waits until the server's log has the text.
async function logged(text) {
  for (let i = 0; i < 60_000; i++) {
    if (log().includes(text)) return true;
    await new Promise(resolve => setTimeout(resolve, 10));
  }
  return false;
}

// attempt gives an error the form in which it is printed.
async function attempt(run) {
  try {
    return { result: await run() };
  } catch ({ code, message, data }) {
    // The client takes an answer with a status other than 200 for a failure of HTTP.
    if (data?.text) return { error: { status: data.status, ...JSON.parse(data.text).error } };
    return { error: { code, message: message.replace(/^MCP error -?\d+: /, '') } };
  }
}

const transport = transports[way]();
const client = new Client({ name: 'interop', version: '1.0.0' }, options);
const complaints = [];
client.onerror = error => {
  // For the first the client has itself to blame, see progress below; the second is of
  // a stream that was cut.
  if (/progress notification for an unknown token|SSE stream disconnected/.test(error.message)) return;
  if (error.data?.status === 404) return; // the unknown method, see attempt
  complaints.push(error.message);
};
await client.connect(transport);
print('initialize', {
  server: client.getServerVersion(),
  capabilities: client.getServerCapabilities(),
  instructions: client.getInstructions(),
});

// A revision without sessions has neither pings nor resumption.
const stateless = client.getDiscoverResult?.() !== undefined;
if (!stateless) print('ping', await attempt(() => client.ping()));

// The client checks structured content against the output schemas it learns here.
const { tools } = await client.listTools();
print('list', { tools: tools.map(tool => tool.name), greet: tools[0] });

function call(name, args, options) {
  const params = { name, arguments: args };
  return sdk === 'v1' ? client.callTool(params, undefined, options) : client.callTool(params, options);
}
print('call', await attempt(() => call('greet', { name: 'Zoë' })));
print('tool error', await attempt(() => call('divide', { dividend: 1, divisor: 0 })));
print('unknown tool', await attempt(() => call('dance')));
print('bad arguments', await attempt(() => call('greet', { name: 7 })));
print('unknown method', await attempt(() => client.request({ method: 'tools/dance' }, z.looseObject({}))));

// The client forgets the token with the answer, so it may miss a notification that it reads
// together with the answer: the transcript tells what came.
const onprogress = () => {};
print('progress', await attempt(() => call('count', { to: 3 }, { onprogress })));

if (way === 'http' && !stateless) {
  // The stream of this call is cut.
  print('resume', await attempt(() => call('count', { to: 10 }, { onprogress })));
}

// A call is cancelled while the tool runs; a call made meanwhile is answered.
const abort = new AbortController();
const waiting = attempt(() => call('wait', { seconds: 3600 }, { signal: abort.signal }));
const started = await logged('msg=waiting');
const meanwhile = await attempt(() => call('divide', { dividend: 1, divisor: 4 }));
abort.abort('changed my mind');
const { error } = await waiting;
const stopped = await logged('msg="stopped waiting"');
await (stateless ? call('greet', { name: 'Zoë' }) : client.ping());
print('cancel', {
  started,
  meanwhile: meanwhile.result?.content[0].text,
  failed: error !== undefined,
  stopped,
  reasonLogged: log().includes('changed my mind'),
});

if (way === 'http' && !stateless) {
  const session = transport.sessionId;
  print('delete', { had: session !== undefined, ...await attempt(() => transport.terminateSession()), has: transport.sessionId !== undefined });
}

// The answer to the ping may be there before the POST of the ping is answered. The client
// complains when it aborts that itself.
if (way === 'sse') client.onerror = undefined;

// A server that stays after its input is closed is killed after 2 seconds.
const exit = way !== 'stdio' ? undefined : new Promise(resolve => {
  transport._process.once('exit', (code, signal) => resolve({ code, signal }));
});
const start = performance.now();
await client.close();
print('close', { ...await exit, inTime: performance.now() - start < 1500, complaints });
