// Answers the page's calls in a worker.
import { announceTo, answer } from "./methods.ts";
import type { Answer, Ask, Told } from "./protocol.ts";

const say = (said: Answer | Told) => self.postMessage(said);
announceTo(say);
self.onmessage = ({ data }: MessageEvent<Ask>) => void answer(data, say, () => true);
