/**
 * The file that Piscina opens in a thread: CommonJS, and all it does is import the runner of the tier that the pool names.
 *
 * Piscina opens its file with `require`. An ES module is linked there in one synchronous step, and Node 20 and 22 abort the whole process
 * when the thread is terminated within it, as a spare may be at any time. `import()` takes no such step.
 */
module.exports = {
  thread: async (task: never): Promise<unknown> => (await import('./runner.js')).default(task),
  compartment: async (task: never): Promise<unknown> => (await import('./compartment-pool.js')).default(task),
};
