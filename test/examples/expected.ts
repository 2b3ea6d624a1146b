/** What each example must print, line by line. Both eras print the same unless an example is about their difference. */

export interface Expected {
  /** The sentence of its test, with the behaviours it shows. */
  readonly shows: string;
  readonly lines: readonly (string | RegExp)[];
}

const eras = (lines: (era: string) => readonly (string | RegExp)[]): Expected['lines'] => [
  ...lines('modern'),
  ...lines('legacy'),
];

const defaulted = '{"copies":2,"colour":false,"paper":"A4","note":"","name":"Ada"}';

export const expected: { readonly [name: string]: Expected } = {
  form: {
    shows: 'B6, B23: an accepted and a declined form reach the tool that asked',
    lines: eras((era) => [
      'bookings asks: A table at Chez Nous: for whom? [name, seats, window]',
      `${era}: 2 seats for Ada, confirmed.`,
      'bookings asks: A table at Il Forno: for whom? [name, seats, window]',
      `${era}: Nothing was booked.`,
    ]),
  },
  validate: {
    shows: 'B61: an answer is checked in the handler and asked for again until it fits',
    lines: eras((era) => [
      'asked: What shall we pick up, and when?',
      '  /pieces is required',
      '  /email must be in the format "email"',
      '  /pickup must be in the format "date"',
      '  /kilos must be a number',
      '  /pickup must be in the format "date"',
      '  /kilos must be at most 30',
      '  /pieces must be an integer',
      `${era}: 2.5 kg, label to ada@example.com.`,
    ]),
  },
  defaults: {
    shows: 'B48, B61: defaults are kept, by the handler or by the host',
    lines: eras((era) =>
      ['handler', 'host'].flatMap((who) => [
        'asked: How shall it be printed? {"copies":1,"colour":false,"paper":"A4","note":""}',
        `${era}, filled in by the ${who}: ${defaulted}`,
      ]),
    ),
  },
  enums: {
    shows: 'B43: all five spellings of a choice become one list, and the values behind it are sent',
    lines: eras((era) => [
      '  size:  s   m  *l',
      '  crust:  Neapolitan  *Deep dish',
      '  sauce:  Tomato  *Crème',
      '  drinks: *water  *cola',
      '  toppings:  Mushrooms  *Olives  *Anchovies',
      `${era}: {"size":"l","crust":"deep","sauce":"white","drinks":["water","cola"],"toppings":["oliv","anch"]}`,
    ]),
  },
  url: {
    shows: 'B41, B42: a page is opened with consent, an imitation is not, and no page at all reaches nobody',
    lines: eras((era) => [
      '  accounts: Please sign in to connect your account.',
      '  https://accounts.example.co.uk/sign-in, a page of example.co.uk',
      `${era}: waiting for the sign-in`,
      '  accounts: Please sign in to connect your account.',
      '  https://xn--ccounts-1fg.example/sign-in, a page of xn--ccounts-1fg.example',
      '  careful: "\u0430ccounts.example" mixes alphabets, as imitations do',
      '  careful: the page is not at the address of the server',
      `${era}: not connected`,
      era === 'modern' ? /^modern: protocol, .*https:/ : /^legacy: .*must begin with https:/,
    ]),
  },
  approval: {
    shows: 'B7, B24, B33, B34: a person decides about each prompt and answer, and a rejection reaches the server',
    lines: eras((era) => [
      '  notes, a prompt of up to 4096 tokens: "Summarise in one sentence: Buy bread" approved',
      '  notes, an answer: "bread is what matters." approved',
      `${era}: bread is what matters. (example-1)`,
      '  notes, a prompt of up to 4096 tokens: "Summarise in one sentence: My diary of 1852" rejected',
      era === 'modern' ? /^modern: input_handler -1, / : /^legacy: .*the user rejected the prompt$/,
    ]),
  },
  roots: {
    shows: 'B49, B50: a server asks for the folders, and an older one again only once it was told of a change',
    lines: [
      ...['letters', 'letters', 'letters, file:///work/my%20photos'].flatMap((folders) => [
        '  search asks for its folders',
        `modern: file:///work/${folders}`,
      ]),
      '  search asks for its folders',
      'legacy: file:///work/letters',
      'legacy: file:///work/letters',
      '  search asks for its folders',
      'legacy: file:///work/letters, file:///work/my%20photos',
    ],
  },
  progress: {
    shows: 'B12, B51, B57: progress keeps a call alive that would time out without it',
    lines: eras((era) => [
      `${era}: 12 of 12, after 12 notices`,
      `${era}: 12 files`,
      `${era}: the call took longer than its timeout of 900 ms`,
      `${era}: last status "indexer: file 12"`,
    ]),
  },
  completion: {
    shows: 'B30, B60: a call that failed with -32042 goes out again once the page has told of its end',
    lines: [
      'asked: Please sign in to your mail. At 127.0.0.1:…',
      'the person signs in',
      'notice: notifications/elicitation/complete',
      'mail: 2 letters',
    ],
  },
  ping: {
    shows: 'B5, B58: both sides are there, the host also while a callback computes without a pause',
    lines: [
      /^modern: the server answered in [\d.]+ ms$/,
      /^legacy: the server answered in [\d.]+ ms$/,
      /^legacy: \d+, after [1-9]\d* pings$/,
    ],
  },
  cancel: {
    shows: 'B17, B26, B59: either side gives up, the other stops, and the dialog closes',
    lines: eras((era) => [
      `${era}, work: the call was aborted by its caller`,
      new RegExp(`^${era}, last: stopped before step \\d+ of 600$`),
      '  dialog opened: Which one?',
      '  dialog closed',
      `${era}, ask: the call was cancelled by the host`,
      ...(era === 'legacy'
        ? ['  dialog opened: Which one?', '  dialog closed', 'legacy, ask-briefly: went on without an answer']
        : []),
    ]),
  },
  state: {
    shows: 'B23: sealed state comes back as it went, survives one rotation of keys, and not two',
    lines: eras((era) =>
      ['12.5 to Grace', '12.5 to Grace', 'Invalid or expired requestState'].flatMap((end, times) => [
        era === 'modern' ? '  round 1: To whom?' : '  To whom?',
        era === 'modern' ? '  round 2: How much to Grace?' : '  How much to Grace?',
        `${era}, ${times} rotations: ${end}`,
      ]),
    ),
  },
};
