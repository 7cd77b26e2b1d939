/** What the functions need of a client of MCP. */
export interface Caller {
  callTool(params: { name: string; arguments?: Record<string, unknown> }): Promise<unknown>;
}

/** A content block of a result. */
export type Content =
  | { type: 'text'; text: string }
  | { type: 'image' | 'audio'; data: string; mimeType: string }
  | { type: 'resource_link'; uri: string; name: string; title?: string; description?: string; mimeType?: string }
  | { type: 'resource'; resource: { uri: string; mimeType?: string; text?: string; blob?: string } };

/** The error of a tool that reports a failure. */
export class ToolError extends Error {
  readonly tool: string;
  readonly content: Content[];

  constructor(tool: string, content: Content[]) {
    const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
    super(texts.join('\n') || `the tool ${tool} failed`);
    this.name = 'ToolError';
    this.tool = tool;
    this.content = content;
  }
}

type Result = { content: Content[]; structuredContent?: unknown; isError?: boolean };

async function call(client: Caller, tool: string, input: Record<string, unknown>): Promise<Result> {
  const result = (await client.callTool({ name: tool, arguments: input })) as Partial<Result>;
  const content = result.content ?? []; // some servers leave it out
  if (result.isError) {
    throw new ToolError(tool, content);
  }
  return { ...result, content };
}

/** Calls a tool and returns its content blocks. */
export async function content(client: Caller, tool: string, input: Record<string, unknown>): Promise<Content[]> {
  return (await call(client, tool, input)).content;
}

/**
 * Calls a tool with an output schema and returns its structured result. In sessions of revisions that do not
 * have such results, or only objects, the server sends the result as JSON in a text block.
 */
export async function structured<T>(client: Caller, tool: string, input: Record<string, unknown>): Promise<T> {
  const result = await call(client, tool, input);
  if (result.structuredContent !== undefined) {
    return result.structuredContent as T;
  }
  const block = result.content.find((block) => block.type === 'text');
  try {
    return JSON.parse(block?.type === 'text' ? block.text : '') as T;
  } catch {
    throw new Error(`the tool ${tool} has returned no structured result`);
  }
}
