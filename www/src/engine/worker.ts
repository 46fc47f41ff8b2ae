// Answers the page's calls in a worker.
import { answerCall, setNotifier } from "./methods.ts";
import type { MethodCall, MethodReply, ProjectChanged } from "./protocol.ts";

const send = (message: MethodReply | ProjectChanged) => self.postMessage(message);
setNotifier(send);
self.onmessage = ({ data }: MessageEvent<MethodCall>) => void answerCall(data, send, () => true);
