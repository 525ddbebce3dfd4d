"""What `inspect.signature` says about kernels."""

from inspect import Parameter, Signature
from keyword import iskeyword

_OPTIONS = ("grid", "block", "shared", "stream")


def build(parameters: list[tuple[str, str]]) -> Signature:
    """Builds the signature of a kernel's call.

    C names that Python reserves (`in`, `from`) cannot be written as keywords, so these
    parameters, and those before them, are shown as positional.

    Args:
        parameters: Name and C type of each parameter.
    """
    names = [name for name, _ in parameters]
    reserved = max((i for i, name in enumerate(names) if iskeyword(name)), default=-1)
    shown = [
        Parameter(
            name,
            Parameter.POSITIONAL_ONLY if i <= reserved else Parameter.POSITIONAL_OR_KEYWORD,
            annotation=declared,
        )
        for i, (name, declared) in enumerate(parameters)
    ]
    options = [
        Parameter(name, Parameter.KEYWORD_ONLY, default=None)
        for name in _OPTIONS
        if name not in names
    ]
    return Signature(shown + options, return_annotation=None)
