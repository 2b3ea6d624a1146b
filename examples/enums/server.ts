/** A server that lets the person choose, in each of the five spellings the protocol has for a choice. */
import { acceptedContent, type ElicitInputParams, inputRequired, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

const sizes = ['s', 'm', 'l'];
const toppings = [
  { const: 'mush', title: 'Mushrooms' },
  { const: 'oliv', title: 'Olives' },
  { const: 'anch', title: 'Anchovies' },
];

const form: ElicitInputParams = {
  message: 'What may we bake for you?',
  requestedSchema: {
    type: 'object',
    properties: {
      size: { type: 'string', enum: sizes },
      // The older way to give titles. New servers use `oneOf`, but hosts meet both.
      crust: { type: 'string', enum: ['thin', 'deep'], enumNames: ['Neapolitan', 'Deep dish'] },
      sauce: {
        type: 'string',
        oneOf: [
          { const: 'red', title: 'Tomato' },
          { const: 'white', title: 'Crème' },
        ],
      },
      drinks: { type: 'array', items: { type: 'string', enum: ['water', 'cola'] }, maxItems: 2 },
      toppings: { type: 'array', items: { anyOf: toppings }, minItems: 1, maxItems: 2 },
    },
    required: ['size', 'crust', 'sauce', 'toppings'],
  },
};

function createServer(): McpServer {
  const server = new McpServer({ name: 'pizzeria', version: '1.0.0' });
  server.registerTool('order-pizza', { description: 'Takes an order' }, ({ mcpReq }) => {
    if (mcpReq.inputResponses === undefined) return inputRequired({ inputRequests: { order: inputRequired.elicit(form) } });
    const order = acceptedContent(mcpReq.inputResponses, 'order');
    return { content: [{ type: 'text', text: JSON.stringify(order ?? null) }], isError: order === undefined };
  });
  return server;
}

serveStdio(createServer);
