// The questions of the page, answered off its thread.
import { announceTo, answer } from "./methods.ts";
import type { Answer, Ask, Told } from "./protocol.ts";

const say = (said: Answer | Told) => self.postMessage(said);
announceTo(say);
self.onmessage = ({ data }: MessageEvent<Ask>) => void answer(data, say, () => true);
