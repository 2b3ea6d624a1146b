/**
 * The front of the guards: what a server asks is admitted here before any worker is spent, and what a callback said is
 * released here before anything reaches the server.
 *
 * Invariant: neither throws, whatever it is given; a released answer fits the protocol and the request it answers. The
 * values that come back are rebuilt, so that nothing travels that was not looked at.
 */
import type { JsonObject } from '../contract/handler.js';
import { invalidParams, invalidResult, pass, type Verdict } from '../verdict.js';
import { releaseSampling } from './completion.js';
import { admitElicitation, releaseForm, releaseUrl } from './elicitation.js';
import type { Asked, GuardPolicy, Request } from './policy.js';
import { releaseRoots } from './roots.js';
import { admitSampling } from './sampling.js';

/**
 * Judges a request (behaviours 33 to 46). Refusals carry `-32602`, or `sampling.rejectionCode` where policy says no. Whether
 * the kind was advertised at all is the caller's to know.
 */
export function admit(request: Request, policy: GuardPolicy): Verdict<Asked> {
  try {
    return judge(request, policy);
  } catch {
    return invalidParams(unreadable, '');
  }
}

/**
 * Judges what a callback returned (behaviours 39, 47 to 49). Refusals carry `-32603`. A passing verdict may have `notes` for
 * the host's record: what was stripped or dropped, in numbers and never in values.
 */
export function release(said: unknown, asked: Asked): Verdict<JsonObject> {
  try {
    return judgeAnswer(said, asked);
  } catch {
    return invalidResult(unreadable, '');
  }
}

/** Only a getter or a proxy throws while it is read; JSON brings none, a transport in memory might. */
const unreadable = 'could not be read';

function judge({ kind, params }: Request, policy: GuardPolicy): Verdict<Asked> {
  switch (kind) {
    case 'sampling':
      return admitSampling(params, policy);
    case 'elicitation':
      return admitElicitation(params, policy);
    case 'roots':
      return pass({ kind: 'roots' });
  }
}

function judgeAnswer(said: unknown, asked: Asked): Verdict<JsonObject> {
  switch (asked.kind) {
    case 'sampling':
      return releaseSampling(said, asked);
    case 'form':
      return releaseForm(said, asked);
    case 'url':
      return releaseUrl(said);
    case 'roots':
      return releaseRoots(said);
  }
}
