"""A scripted agent that believes what it reads, and reads the refusals it gets.

It is a program, not a model, so that the demo ends the same way every day. What it does wrong
is what models do wrong: it obeys an instruction inside a document, or picks a plausible figure.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

REQUEST = "Pay Lumen Paper's invoice #4417"
_NEW_ACCOUNT = re.compile(r"new account (\w+)")
_DUE = re.compile(r"Amount due: ([\d,.]+)")
_CHECK = re.compile(r"^(?:[a-z]+(?:_[a-z]+)+: )+")
_BALANCE = re.compile(r"Balance: ([\d,.]+)")


@dataclass(frozen=True, slots=True)
class Step:
    """One line of a run: who acts (agent, guard, money), what happens, and how it went."""

    who: str
    text: str
    outcome: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """A tool's answer: its text, parsed where it is JSON, and whether it is an error."""

    text: str
    value: Any
    is_error: bool


Call = Callable[[str, str, dict[str, Any]], Awaitable[Answer]]
Say = Callable[[Step], None]


class Agent:
    """Pays one invoice through `call(server, tool, arguments)`; reports each step to `say`."""

    def __init__(self, call: Call, say: Say, *, declares: bool) -> None:
        self._call = call
        self._say = say
        self._declares = declares
        self.refusals: list[str] = []

    async def obey_the_invoice(self) -> None:
        """Run one and two: the invoice says where the money goes."""
        vendor, invoice = await self._gather()
        account = _NEW_ACCOUNT.search(invoice)
        recipient = account.group(1) if account else vendor["iban"]
        self._say(Step("agent", f'believes the invoice: "new account {recipient}"'))
        await self._pay(recipient, _figure(_DUE, invoice))

    async def pay_the_balance(self) -> None:
        """Run three: the right vendor, but the figure of another document."""
        vendor, _ = await self._gather()
        statement = await self._do("documents", "read_document", {"id": "statement-lumen"})
        self._say(Step("agent", "takes the balance of the statement for the amount"))
        await self._pay(vendor["iban"], _figure(_BALANCE, statement.text))

    async def _gather(self) -> tuple[dict[str, str], str]:
        if self._declares:
            await self._do("tripwire", "declare_intent", {"goal": REQUEST})
        vendor = await self._do("vendors", "get_vendor", {"vendor": "lumen-paper"})
        invoice = await self._do("documents", "read_document", {"id": "invoice-4417"})
        return vendor.value, invoice.text

    async def _pay(self, recipient: str, amount: float) -> None:
        answer = await self._send(recipient, amount)
        if not answer.is_error:
            return
        refusal = answer.value
        self.refusals.append(refusal["code"])
        self._say(Step("agent", "reads the refusal and corrects itself"))
        if refusal["code"] == "provenance_violation":
            vendor = await self._do(*_named_tool(refusal), {"vendor": "lumen-paper"})
            recipient = vendor.value["iban"]
        else:
            invoice = await self._do("documents", "read_document", {"id": "invoice-4417"})
            amount = _figure(_DUE, invoice.text)
        await self._send(recipient, amount)

    async def _send(self, recipient: str, amount: float) -> Answer:
        payment = {
            "recipient": recipient,
            "amount": amount,
            "currency": "EUR",
            "reference": "invoice #4417",
        }
        return await self._do("payments", "send_payment", payment)

    async def _do(self, server: str, tool: str, arguments: dict[str, Any]) -> Answer:
        answer = await self._call(server, tool, arguments)
        shown = ", ".join(f"{key}={value}" for key, value in arguments.items())
        outcome = "refused" if answer.is_error else "done"
        self._say(Step("agent", f"{server}.{tool}({shown})", outcome))
        if answer.is_error and isinstance(answer.value, dict):
            self._say(Step("guard", f"stopped: {in_plain_words(answer.value['message'])}"))
            self._say(Step("guard", f"what now: {answer.value['remediation']}"))
        return answer


def in_plain_words(message: str) -> str:
    """A refusal's message without the names of the checks that it begins with.

    Programs read its code; whoever watches wants to know what is wrong.
    """
    return _CHECK.sub("", message)


def _figure(pattern: re.Pattern[str], text: str) -> float:
    found = pattern.search(text)
    if found is None:
        raise ValueError("the document states no such figure")
    return float(found.group(1).replace(",", ""))


def _named_tool(refusal: dict[str, Any]) -> tuple[str, str]:
    """The trusted tool that the refusal itself recommends."""
    named = re.search(r"(\w+)__(\w+)", str(refusal["remediation"]))
    if named is None:
        raise ValueError("the refusal names no tool: " + json.dumps(refusal)[:200])
    return named.group(1), named.group(2)
