// Has the official TypeScript client cancel calls, and prints what it saw as a JSON object.
//
// usage: node cancel.mjs SDK URL [REVISION]
//
// SDK is v1 or v2. REVISION is the revision without sessions to use; by default, the client opens a
// session.

const [sdk, url, pin] = process.argv.slice(2);

const { Client, Transport, options } = sdk === 'v1'
  ? {
    Client: (await import('@modelcontextprotocol/sdk/client/index.js')).Client,
    Transport: (await import('@modelcontextprotocol/sdk/client/streamableHttp.js')).StreamableHTTPClientTransport,
  }
  : await import('@modelcontextprotocol/client').then(({ Client, StreamableHTTPClientTransport }) => ({
    Client, Transport: StreamableHTTPClientTransport, options: { versionNegotiation: { mode: pin ? { pin } : 'legacy' } },
  }));

const sleep = time => new Promise(resolve => setTimeout(resolve, time));

const client = new Client({ name: 'interop', version: '1.0.0' }, options);
const complaints = [];
client.onerror = error => {
  // The client forgets the token with the call that it cancels.
  if (!/progress notification for an unknown token/.test(error.message)) complaints.push(error.message);
};
let updates = 0;
client.fallbackNotificationHandler = async ({ method }) => {
  if (method === 'notifications/resources/updated') updates++;
};
await client.connect(new Transport(new URL(url)));
const uri = 'test://watched';
if (pin) await client.listen({ resourceSubscriptions: [uri] });
else await client.subscribeResource({ uri });

function call(name, options) {
  const params = { name, arguments: {} };
  return sdk === 'v1' ? client.callTool(params, undefined, options) : client.callTool(params, options);
}

// cancelled makes a call and cancels it after the first event, or when the server says that it has begun.
async function cancelled(name) {
  const abort = new AbortController();
  const failed = call(name, { signal: abort.signal, onprogress: () => abort.abort() }).then(() => 'answered', () => 'cancelled');
  if (name === 'silent') {
    await call('begun');
    abort.abort();
  }
  return failed;
}

const outcomes = [];
for (const name of ['steps', 'silent', 'steps']) outcomes.push(await cancelled(name));
outcomes.push(await call('fails', { onprogress: () => {} }).then(() => 'answered', ({ code }) => code));
for (let i = 1; i <= 3; i++) {
  await call('touch');
  while (updates < i) await sleep(10);
  await sleep(200); // for what comes twice: many times what a client is told to wait before it comes back
}
outcomes.push((await call('greet')).content[0].text);
console.log(JSON.stringify({ outcomes, updates, complaints }));
await client.close();
