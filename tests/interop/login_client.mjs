// Logs in to a protected MCP server with the official TypeScript client, calls a tool that needs no scope of
// its own and one that does, and prints the results, or the error, as a JSON object.
//
// usage: node login_client.mjs v1|session|stateless|both URL
//
// v1 is the first generation of the SDK; the others are kinds of clients of the second, see eras_client.mjs.

import * as v1 from '@modelcontextprotocol/sdk/client/index.js';
import * as v1http from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import * as v2 from '@modelcontextprotocol/client';

const [kind, target] = process.argv.slice(2);

// login is a user who agrees to everything, in a browser that does not follow the last redirect.
const login = {
  redirectUrl: 'http://127.0.0.1:1/callback',
  clientMetadata: {
    client_name: 'interop', redirect_uris: ['http://127.0.0.1:1/callback'], application_type: 'native',
    grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'], token_endpoint_auth_method: 'none',
  },
  state: () => 'the-state',
  clientInformation: () => login.client,
  saveClientInformation: client => { login.client = client; },
  tokens: () => login.saved,
  saveTokens: tokens => { login.saved = tokens; },
  saveCodeVerifier: verifier => { login.verifier = verifier; },
  codeVerifier: () => login.verifier,
  saveDiscoveryState: state => { login.discovered = state; },
  discoveryState: () => login.discovered,
  async redirectToAuthorization(url) {
    const response = await fetch(url, { redirect: 'manual' });
    login.response = new URL(response.headers.get('location')).searchParams;
    if (login.response.get('state') !== 'the-state') throw new Error('another state');
  },
};

const http = kind === 'v1' ? v1http.StreamableHTTPClientTransport : v2.StreamableHTTPClientTransport;

// agreed finishes a login for which the user was asked. Any other error is thrown again.
async function agreed(transport, error) {
  const response = login.response;
  if (!response) throw error;
  login.response = undefined;
  await transport.finishAuth(kind === 'v1' ? response.get('code') : response);
}

const mode = { session: 'legacy', stateless: { pin: '2026-07-28' }, both: 'auto' }[kind];
const newClient = () => kind === 'v1'
  ? new v1.Client({ name: kind, version: '1.0.0' })
  : new v2.Client({ name: kind, version: '1.0.0' }, { versionNegotiation: { mode } });

// connect opens a session, or what the revision has in its place. A transport is started only once.
async function connect() {
  const [client, transport] = [newClient(), new http(new URL(target), { authProvider: login })];
  try {
    await client.connect(transport);
    return [client, transport];
  } catch (error) {
    await agreed(transport, error);
    return connect();
  }
}

try {
  const [client, transport] = await connect();
  const who = await client.callTool({ name: 'who', arguments: {} });
  const write = () => client.callTool({ name: 'write_note', arguments: {} });
  const wrote = await write().catch(error => agreed(transport, error).then(write));
  const revision = client.getNegotiatedProtocolVersion?.() ?? transport.protocolVersion;
  console.log(JSON.stringify({ revision, who: who.content[0].text, wrote: wrote.content[0].text }));
  await client.close();
} catch (error) {
  console.log(JSON.stringify({ error: error.stack }));
  process.exit(); // streams may be open
}
