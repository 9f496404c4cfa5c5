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
  return eventOf(message.event, told);
}

/** The event that a message of a chat tells, as a stream would. */
export function chatEventOf(told: { [name: string]: unknown } & { type: string }): AskEvent {
  const { seq, conversation, ...data } = told;
  // In a stream only these have the conversation.
  return eventOf(told.type, told.type === "started" || told.type === "answer" ? { conversation, ...data } : data);
}

/** Whether nothing comes after it. */
export function isLast(event: AskEvent): boolean {
  return event.event === "answer" || event.event === "error";
}

function eventOf(name: string, told: { [name: string]: unknown }): AskEvent {
  const { type, ...data } = told;
  switch (name) {
    case "token":
      return { event: "words", text: String(data.text) };
    case "anew":
      return { event: "anew" };
    case "answer":
      return { event: "answer", answer: data as unknown as Answer };
    case "error":
      return { event: "error", code: String(data.code), message: String(data.message) };
    default:
      return { event: "step", name, data };
  }
}
