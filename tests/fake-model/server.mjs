// A model server for driving a coding agent offline: Anthropic Messages on loopback, no dependencies.
// What it says is decided by the text of the last user turn, so a test knows the answer beforehand:
//   "say hello"  a short text        "markdown"  headings, a list and code
//   "slow"       forty ticks         "run ls"    asks to run a command, then one closing line
// Usage: server.mjs. Takes a free port, prints it as one line, and ends when its standard input does.
import http from 'node:http';

const tickMs = 20;
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
let serial = 0;
const newId = (prefix) => `${prefix}_${String(++serial).padStart(6, '0')}`;

const reminders = /<(system-reminder|local-command-caveat)>[\s\S]*?<\/\1>/g;

// What the person said last, and whether a tool's result came after it.
function lastTurn(messages) {
  let answered = false;
  for (const message of [...messages].reverse()) {
    if (message.role !== 'user') continue;
    const blocks = typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content;
    if (blocks.some((block) => block.type === 'tool_result')) {
      answered = true;
      continue;
    }
    const text = blocks.filter((block) => block.type === 'text').map((block) => block.text.replace(reminders, '').trim());
    if (text.some(Boolean)) return { text: text.join('\n').toLowerCase(), answered };
  }
  return { text: '', answered };
}

function script(body) {
  const tools = (body.tools ?? []).map((tool) => tool.name);
  const { text, answered } = lastTurn(body.messages ?? []);
  if (body.output_config?.format) return { chunks: ['{"title":"Demo session","isNewTopic":true}'] };
  if (tools.length === 0) return { chunks: ['Demo session'] };
  if (answered) return { chunks: ['The command', ' finished.'] };
  if (text.includes('run ls') && tools.includes('Bash')) {
    return { chunks: ['I will look.'], tool: { name: 'Bash', input: { command: 'ls', description: 'List files' } } };
  }
  if (text.includes('markdown')) {
    return { chunks: ['# A title\n\n', '- one\n- two\n', '\n```js\nconst a = 1;\n```\n', '\n漢字 and 👍🏽 done.'] };
  }
  if (text.includes('slow')) return { chunks: Array.from({ length: 40 }, (_, i) => `tick ${i + 1} of forty. `) };
  return { chunks: ['Hello', ' from', ' the fake', ' model.'] };
}

async function stream(response, body, { chunks, tool }) {
  const event = (type, fields) => response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`);
  response.writeHead(200, { 'content-type': 'text/event-stream', 'request-id': newId('req') });
  event('message_start', { message: { ...envelope(body), content: [], stop_reason: null } });
  event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } });
  for (const chunk of chunks) {
    event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: chunk } });
    await sleep(tickMs);
  }
  event('content_block_stop', { index: 0 });
  if (tool) {
    event('content_block_start', { index: 1, content_block: { type: 'tool_use', id: newId('toolu'), name: tool.name, input: {} } });
    event('content_block_delta', { index: 1, delta: { type: 'input_json_delta', partial_json: JSON.stringify(tool.input) } });
    event('content_block_stop', { index: 1 });
  }
  event('message_delta', { delta: { stop_reason: tool ? 'tool_use' : 'end_turn', stop_sequence: null }, usage: { output_tokens: 9 } });
  event('message_stop', {});
  response.end();
}

function envelope(body) {
  return { id: newId('msg'), type: 'message', role: 'assistant', model: body.model, stop_sequence: null,
           usage: { input_tokens: 9, output_tokens: 1 } };
}

const server = http.createServer(async (request, response) => {
  let raw = '';
  for await (const piece of request) raw += piece;
  const path = new URL(request.url, 'http://loopback').pathname;
  const json = (status, value) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(value));
  };
  if (path.endsWith('/count_tokens')) return json(200, { input_tokens: 9 });
  if (request.method !== 'POST' || !path.endsWith('/messages')) return json(404, { error: { type: 'not_found_error', message: 'not here' } });
  const body = JSON.parse(raw);
  const said = script(body);
  if (body.stream) return stream(response, body, said);
  return json(200, { ...envelope(body), content: [{ type: 'text', text: said.chunks.join('') }], stop_reason: 'end_turn' });
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.stdin.on('end', () => process.exit(0)).resume();
