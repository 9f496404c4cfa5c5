// What can go wrong, by whose fault it was. All of it is a TidegateError; none of it holds the token.

import type { Run } from "./models.js";

/** Anything that this package throws by itself. */
export class TidegateError extends Error {
  constructor(message: string) {
    super(message);
    this.name = new.target.name;
  }
}

/** The gateway refused a request, or could not do it. */
export class ApiError extends TidegateError {
  constructor(
    /** The HTTP status. */
    readonly status: number,
    /** A word that stays the same from version to version, such as `unknown_session`. */
    readonly code: string,
    message: string,
    /** What to try next, where that is known. */
    readonly hint: string | null = null,
    /** Seconds after which to try again, where that is known. */
    readonly retryAfter: number | null = null,
  ) {
    super(message);
  }
}

/** The gateway did not do what a message of a chat asked for; the chat goes on. */
export class ChatRefused extends TidegateError {
  constructor(
    /** A word that stays the same, such as `conversation_busy`. */
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

/** The gateway could not be reached, or hung up. */
export class ConnectionFailed extends TidegateError {}

/** No answer came in the time that the client allows. */
export class TimedOut extends TidegateError {}

/** What came back is not what a gateway of this version answers. */
export class UnexpectedAnswer extends TidegateError {}

/** A program did not reach its own end; thrown by `valueOf` only. */
export class ProgramFailed extends TidegateError {
  constructor(
    /** The run, whose `error` says why. */
    readonly run: Run,
  ) {
    super(run.error ? `${run.error.type}: ${run.error.message}` : `the run is not over; it is ${run.status}`);
  }
}
