# SPDX-License-Identifier: Apache-2.0
"""Emits Java's enums, a file for each, from the API's description, which has those of the operators, too. Two enums are not for
people: kinds of operators have builders, and whose memory a primitive computes in follows from how it is called."""

from __future__ import annotations

from .description import Api, Enum
from .java_native import BANNER, PACKAGE, html, javadoc
from .spelling import JAVA

HIDDEN = ("op_kind", "scratchpad", "worker_action", "record_kind", "call_role", "primitive_cache_hit", "engine_kind")
FOLDER = "bindings/java/src/main/java/org/anydim"


def emit(enum: Enum) -> str:
    name = JAVA.type(enum.name)
    out = [BANNER + PACKAGE, "", *javadoc(html(enum.doc)), f"public enum {name} {{"]
    for i, v in enumerate(enum.values):
        end = ";" if i == len(enum.values) - 1 else ","
        out += [*javadoc(html(v.doc), "  "), f"  {v.name.upper()}({v.value}){end}", ""]
    out += [
        f"  private static final {name}[] NUMBERED = values();",
        "",
        "  private final int number;",
        "",
        f"  {name}(int number) {{",
        "    this.number = number;",
        "  }",
        "",
        "  /** The number that the C API has for it. */",
        "  int number() {",
        "    return number;",
        "  }",
        "",
        f"  static {name} of(int number) {{",
        f"    for ({name} value : NUMBERED) {{",
        "      if (value.number == number) {",
        "        return value;",
        "      }",
        "    }",
        f'    throw new AssertionError("{name} has no number " + number);',
        "  }",
    ]
    return "\n".join([*out, "}", ""])


def files(api: Api) -> dict[str, str]:
    return {f"{FOLDER}/{JAVA.type(e.name)}.java": emit(e) for e in api.enums if e.name not in HIDDEN}
