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
};
