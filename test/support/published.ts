/**
 * What the published servers ask for, and how to make them: the names and arguments of their tools, found in their sources
 * (server-everything and server-filesystem 2026.8.31, fastmcp 4.20) and pinned by the field tests.
 *
 * server-everything registers its asking tools only once `notifications/initialized` has come, and only those that the
 * client's capabilities allow. Some 350 ms later it asks for the roots by itself, on no call's behalf, keeps the answer, and
 * asks again after each `notifications/roots/list_changed`. server-filesystem asks for the roots as soon as it is
 * initialized, and they replace the folders of its command line. fastmcp asks for the roots while connecting.
 */

/** Tools of server-everything, and the capability without which each is missing. */
export const everythingTools = {
  /** `{ prompt, maxTokens? }`; its text holds the whole sampling result. */
  sampling: { name: 'trigger-sampling-request', needs: 'sampling' },
  /** `{}`; a form of thirteen fields, all kinds, only `name` required. */
  form: { name: 'trigger-elicitation-request', needs: 'elicitation' },
  /** `{ url, message?, elicitationId?, errorPath? }`; `errorPath` makes the call fail with `-32042` the first time. */
  url: { name: 'trigger-url-elicitation', needs: 'elicitation.url' },
  /** `{}`; tells the roots it has kept. */
  roots: { name: 'get-roots-list', needs: 'roots' },
  /** `{ duration?, steps? }`, in seconds; reports progress. */
  progress: { name: 'trigger-long-running-operation', needs: null },
  /** `{}`; toggles a random log entry every five seconds. */
  logs: { name: 'toggle-simulated-logging', needs: null },
} as const;

/** What the test server on fastmcp (`fastmcp-server.ts`) offers. Its sampling goes through the session, not the tool's context. */
export const fastmcpTools = { form: 'ask-form', url: 'ask-url', sampling: 'ask-model', roots: 'show-roots' } as const;
