// Calls tools of the server in the arguments and prints what they answer.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { echo, getStructuredContent, getSum, ToolError, type Content } from './client/index.js';

declare const process: { argv: string[] };
declare const console: { log(text: string): void };

const client = new Client({ name: 'calls', version: '1.0.0' });
await client.connect(new StdioClientTransport({ command: 'node', args: [process.argv[2]!], stderr: 'ignore' }));

const text = ([block]: Content[]): string => (block?.type === 'text' ? block.text : '');
const got = [text(await echo(client, { message: 'hello' })), text(await getSum(client, { a: 1, b: 2 }))];
const weather = await getStructuredContent(client, { location: 'New York' });
got.push(typeof weather.temperature);
try {
  await getSum(client, { a: 1, b: 'two' as unknown as number });
} catch (error) {
  got.push(error instanceof ToolError ? 'refused' : String(error));
}
console.log(JSON.stringify(got));
await client.close();
