"""The requests that LiteLLM and LangChain build: `python python.py conversations.json FOLDER`.

Both read messages in the form of chat completions, which is how the conversations are written.
"""

import json
import logging
import os
import pathlib
import sys

given, folder = json.loads(pathlib.Path(sys.argv[1]).read_text()), pathlib.Path(sys.argv[2])
logging.disable(logging.CRITICAL)


def collected(builders):
    """The bodies of every provider; `None` where the library refused."""
    bodies = {}
    for provider, build in builders.items():
        bodies[provider] = []
        for conversation in given:
            try:
                body = build(conversation["messages"], conversation.get("tools", []))
                bodies[provider].append(json.loads(json.dumps(body)))
            except Exception as error:
                told = str(error)
                offline = "Unable to fetch image" in told or "Max retries exceeded" in told
                bodies[provider].append("offline" if offline else None)
    return bodies


def litellm():
    from litellm.types.utils import CallTypes
    from litellm.utils import return_raw_request

    for name in ["ANTHROPIC", "GEMINI", "OPENAI"]:
        os.environ[f"{name}_API_KEY"] = "none"

    def build(model):
        def made(messages, tools):
            more = {"tools": tools} if tools else {}
            sent = return_raw_request(CallTypes.completion, {"model": model, "messages": messages, **more})
            if sent.get("error") or not sent.get("raw_request_body"):
                raise ValueError(sent.get("error"))
            body = sent["raw_request_body"]
            return body if isinstance(body, dict) else json.loads(body)

        return made

    return {
        "anthropic": build("anthropic/claude-sonnet-4-5"),
        "gemini": build("gemini/gemini-2.5-flash"),
        "openai_chat": build("openai/gpt-4.1"),
        # its bridge from chat completions to Responses
        "openai_responses": build("openai/responses/gpt-4.1"),
    }


def langchain():
    from langchain_anthropic import ChatAnthropic
    from langchain_core.messages import convert_to_messages
    from langchain_google_genai import ChatGoogleGenerativeAI
    from langchain_openai import ChatOpenAI

    def payload(model):
        def made(messages, tools):
            bound = model.bind_tools(tools).kwargs if tools else {}
            return model._get_request_payload(convert_to_messages(messages), **bound)

        return made

    google = ChatGoogleGenerativeAI(model="gemini-2.5-flash", google_api_key="none")

    def gemini(messages, tools):
        bound = google.bind_tools(tools).kwargs if tools else {}
        request = google._prepare_request(convert_to_messages(messages), **bound)
        plain = lambda value: value.model_dump(mode="json", by_alias=True, exclude_none=True) if hasattr(value, "model_dump") else value
        body = {"contents": [plain(content) for content in request["contents"]]}
        config = plain(request["config"])
        for key in ["systemInstruction", "tools", "toolConfig", "safetySettings"]:
            if key in config:
                body[key] = config.pop(key)
        return body

    openai = dict(model="gpt-4.1", api_key="none")
    return {
        "anthropic": payload(ChatAnthropic(model="claude-sonnet-4-5", api_key="none")),
        "gemini": gemini,
        "openai_chat": payload(ChatOpenAI(**openai)),
        "openai_responses": payload(ChatOpenAI(**openai, use_responses_api=True)),
    }


for name, builders in {"LiteLLM": litellm, "LangChain": langchain}.items():
    (folder / f"{name}.json").write_text(json.dumps(collected(builders())))
