import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askForm, form, passed, schema } from './given.js';

const flagged = (name: string, field: object = {}): boolean =>
  form({ [name]: { type: 'string', ...field } }).findings.fields[name]?.sensitiveSuspected === true;

const listed = (text: string): string[] => text.trim().split(/,\s+/);

const secrets: readonly string[] = listed(`
  password, Password, PASSWORD, userPassword, user_password, user-password, passwords, passwd, pwd, passphrase, pin, PIN,
  pinCode, card_pin, otp, OTP, otpCode, OTPCode, 2fa, 2faCode, code_2fa, secret, client-secret, clientSecret, token,
  accessToken, access_token, bearer-token, api_key, apiKey, api-key, APIKey, apikey, API_KEY, openaiApiKey, private key,
  privateKey, private_key, credential, credentials, cvv, CVV, cvv2, CVV2, password2, newPassword2, otp1, 2FA, my2FA,
  enable2fa, privatekey, seedphrase, passWord, creditcardnumber, card number, cardNumber, creditCardNumber,
  credit_card_number, iban, IBAN, ssn, seed phrase, seedPhrase, recovery code, recoveryCodes, contraseña, contrasen\u0303a,
  Passwort, 密码
`);

test('B46: the words of a name are recognised in camel, snake and kebab case', () => {
  for (const name of secrets) assert.ok(flagged(name), name);
});

const innocent: readonly string[] = [
  '',
  ...listed(`
  name, email, city, spinning, pinned, opinion, shipping, keyboard, key, secretary, tokenize, passenger, compass, happiness,
  ssnake, ibanez, cardinal, number, code, apiVersion, public_key, comment, topic, captain, hotpot, constructor, toString,
  address2, line1, base64, fa2, passing, trapcode2
`),
];

test('B46: words that merely contain one are not', () => {
  for (const name of innocent) assert.ok(!flagged(name), name);
});

test('B46: title and description are read too, and every kind of field is judged', () => {
  assert.ok(flagged('x', { title: 'Password' }));
  assert.ok(flagged('x', { description: 'Enter the six-digit recovery code.' }));
  assert.ok(flagged('x', { description: 'Your API key, please' }));
  assert.ok(flagged('x', { description: 'Enter your 2FA code' }));
  assert.ok(flagged('pin', { type: 'integer' }));
  assert.ok(!flagged('x', { title: 'Name', description: 'Your full, legal name' }));
});

test('B46: it flags and never blocks', () => {
  const asked = form({ password: { type: 'string' }, city: { type: 'string' } });
  assert.deepEqual(asked.findings.fields, { password: { sensitiveSuspected: true }, city: { sensitiveSuspected: false } });
});

test('B46: unsafe code points do not hide a word', () => {
  assert.ok(flagged('x', { title: 'pass\u200bword' }));
  assert.ok(flagged('pass\u200bword'));
  const asked = passed(askForm(schema({ value: { type: 'string' } }), {}, 'Your pass\u2060word'));
  assert.deepEqual(asked.findings.fields, { value: { sensitiveSuspected: true } });
});

test('case 26: the reported names are flagged, and so is the only field under "Paste your AWS key"', () => {
  for (const name of ['password', 'api_key', 'apiKey', 'client-secret', 'token', 'pin', 'contraseña'])
    assert.ok(flagged(name), name);
  assert.ok(flagged('x', { title: 'Password' }));
  const only = passed(
    askForm(schema({ value: { type: 'string' }, region: { type: 'string', enum: ['eu'] } }), {}, 'Paste your AWS key'),
  );
  assert.deepEqual(only.findings.fields, { value: { sensitiveSuspected: true }, region: { sensitiveSuspected: false } });
  const two = passed(askForm(schema({ user: { type: 'string' }, password: { type: 'string' } }), {}, 'Your login and password'));
  assert.deepEqual(two.findings.fields, { user: { sensitiveSuspected: false }, password: { sensitiveSuspected: true } });
  const calm = passed(askForm(schema({ value: { type: 'string' } }), {}, 'What is your name?'));
  assert.deepEqual(calm.findings.fields, { value: { sensitiveSuspected: false } });
});
