/** Public entry `mcp-bulkhead/handler`: what a handler module needs. Light: it loads no SDK and no validator. */
export * from './contract/handler.js';
