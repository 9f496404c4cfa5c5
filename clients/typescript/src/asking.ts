// What happens while a question is answered, as it is told step by step.

import { UnexpectedAnswer } from "./errors.js";
import type { Message } from "./events.js";
import type { Answer } from "./models.js";

export type AskEvent =
  /** `started`, `searching`, `found`, `program`, `tool`, `running`, `output`, `call`, `approval`, `failed`, or what a newer gateway tells. */
  | { event: "step"; name: string; data: { [name: string]: unknown } }
  /** More words of the answer. */
  | { event: "words"; text: string }
  /** The words so far are not the answer; it begins anew. */
  | { event: "anew" }
  /** The answer; nothing comes after this. */
  | { event: "answer"; answer: Answer }
  /** There is none; nothing comes after this either. */
  | { event: "error"; code: string; message: string };

/** The event that a message of the stream tells. */
export function askEventOf(message: Message): AskEvent {
  let told;
  try {
    told = JSON.parse(message.data);
  } catch {
    throw new UnexpectedAnswer(`an event \`${message.event}\` is no JSON`);
  }
  if (typeof told !== "object" || told === null) throw new UnexpectedAnswer(`an event \`${message.event}\` is no object`);
  const { type, ...data } = told;
  switch (message.event) {
    case "token":
      return { event: "words", text: String(data.text) };
    case "anew":
      return { event: "anew" };
    case "answer":
      return { event: "answer", answer: data };
    case "error":
      return { event: "error", code: String(data.code), message: String(data.message) };
    default:
      return { event: "step", name: message.event, data };
  }
}
