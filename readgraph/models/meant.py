"""Which model was meant by a name that names none; and what is no name at all, but a key."""

import re
from collections.abc import Iterable
from difflib import get_close_matches

from readgraph.models.own.tables import NAME, model_tables
from readgraph.state.errors import BadInput
from readgraph.state.providers import providers
from readgraph.state.settings import EXAMPLE_MODEL

FAMILIES = {
    "openai": r"gpt-(?!oss)|chatgpt|o[1-9]\b",
    "anthropic": "claude",
    "google_genai": "gemini",
    "mistralai": r"(mistral|magistral|ministral|devstral|pixtral)-(small|medium|large|\d+b-latest|latest)|codestral-",
    "deepseek": "deepseek-(chat|reasoner)",
    "xai": "grok",
    "cohere": "command-",
    "perplexity": "sonar",
    "ollama": "llama|codellama|tinyllama|qwen|qwq|phi|gemma|mistral|mixtral|deepseek|gpt-oss|granite|smollm|olmo|yi",
}
"""How the names of each provider's models begin."""

CALLED = {
    **{"gpt": "openai", "chatgpt": "openai", "azure": "azure_openai", "claude": "anthropic", "mistral": "mistralai"},
    **{"google": "google_genai", "gemini": "google_genai", "vertex": "google_vertexai", "vertexai": "google_vertexai"},
    **{"aws": "bedrock", "grok": "xai", "x-ai": "xai", "hf": "huggingface", "llama": "ollama"},
}
"""Providers as people call them."""

_KEY = re.compile(
    r"(?:(?:sk|pk|rk|gsk|xai|pplx|nvapi|tgp|csk|fw|hf|r8|ghp|lsv2)[-_]|AIza|AKIA|github_pat_)[\w-]{12,}"
    r"|[0-9a-f]{32,}|eyJ[\w.-]{20,}"
)
_RANDOM = re.compile(r"(?=\D*\d)(?=[^A-Z]*[A-Z])(?=[^a-z]*[a-z])[\w-]{32,}")  # a key without a sign of its own
KEYS_OF = {"sk-ant-": "anthropic", "AIza": "google_genai", "gsk_": "groq", "xai-": "xai"}
"""Whose keys begin so; of others, OpenAI's are the likeliest."""

IS_KEY = "That looks like a key, which is kept nowhere: put it into the environment, as {variable}. "
VARIABLES = {
    **{"bedrock": "AWS_PROFILE", "bedrock_converse": "AWS_PROFILE", "google_genai": "GOOGLE_API_KEY", "ollama": ""},
    **{"google_vertexai": "GOOGLE_APPLICATION_CREDENTIALS", "huggingface": "HUGGINGFACEHUB_API_TOKEN"},
}
"""The variables in which packages of providers look for a key where these are not PROVIDER_API_KEY; "": none."""


def key_variable(provider: str) -> str:
    """The environment variable in which a provider's key is looked for; "" where it needs none."""
    return "" if provider in providers() else VARIABLES.get(provider, f"{provider.upper()}_API_KEY")


def looks_like_key(text: str) -> bool:
    """Whether a text begins as keys do."""
    return bool(_KEY.fullmatch(text))


def check_no_key(name: str) -> None:
    """Raise `BadInput`, which doesn't repeat it, where a key stands in the place of a model's name."""
    provider, _, own_name = name.rpartition(":")
    if looks_like_key(own_name.strip()) or (not provider and _RANDOM.fullmatch(name.strip())):
        owner = next((owner for begin, owner in KEYS_OF.items() if own_name.strip().startswith(begin)), "openai")
        variable = key_variable(provider if NAME.fullmatch(provider) else owner) or "OPENAI_API_KEY"
        raise BadInput(f"{IS_KEY.format(variable=variable)}A model is named as in {EXAMPLE_MODEL}.")


def model_meant(name: str, known_providers: Iterable[str] = ()) -> str:
    """The name that was probably meant by one that names no model; "" where that is not plain.

    Providers are known by the beginnings of names and as people call them, and those in `known_providers`.
    """
    name = name.strip().strip(":")
    if ":" not in name:
        own = get_close_matches(name.lower(), [*model_tables(), *providers()], 1, 0.75)
        provider, slash, own_name = name.partition("/")
        if own or not slash:
            return own[0] if own else _of_family(name)
    else:
        provider, _, own_name = name.partition(":")
    if whole := _of_family(name):  # such as "qwen3:8b"
        return whole
    known = [*known_providers, *FAMILIES, *providers()]
    spelt = provider.strip().lower()
    meant = CALLED.get(spelt) or next(iter(get_close_matches(spelt, known, 1, 0.75)), "")
    return f"{meant}:{own_name.strip()}" if meant and own_name.strip() else ""


def _of_family(name: str) -> str:
    if re.match(rf"({'|'.join([*CALLED, *FAMILIES])})[:/]", name, re.I):
        return ""
    provider = next((each for each, begins in FAMILIES.items() if re.match(begins, name, re.I)), "")
    return f"{provider}:{name}" if provider else ""
