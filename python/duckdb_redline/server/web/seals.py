"""Seals: values that a form must return, which only the page that showed a change contains."""

from __future__ import annotations

import hmac
import json
import secrets

from .question import View, Waiting


class Seals:
    """Seals of this process; those of a question are void once it is answered."""

    def __init__(self) -> None:
        self.key = secrets.token_bytes(32)
        self.questions: dict[str, str] = {}

    def answer(self, question: Waiting, answer: str) -> str:
        """Seals an answer to exactly this payload."""
        return self.seal(question, "answer", answer)

    def part(self, question: Waiting, view: View, part: int) -> str:
        """Seals that a part of a view was shown, and all before it."""
        return self.seal(question, "part", part, view.digest)

    def seal(self, question: Waiting, *what: object) -> str:
        once = self.questions.setdefault(question.approval_id, secrets.token_urlsafe(16))
        sealed = json.dumps([once, question.approval_id, question.session, question.payload, *what])
        return hmac.new(self.key, sealed.encode(), "sha256").hexdigest()

    def void(self, question: Waiting) -> None:
        """Forgets a question: no form of it counts any more, also where the same is asked again."""
        self.questions.pop(question.approval_id, None)

    def keep(self, ids: list[str]) -> None:
        """Forgets the seals of changes that no longer wait; `ids` are of those that do."""
        left = set(ids)
        # In place: a page that is drawn in another thread may be sealing another question.
        for name in [*self.questions]:
            if name not in left:
                self.questions.pop(name, None)


def is_same(given: str, expected: str) -> bool:
    """Compares in a time that does not depend on where the texts differ."""
    return hmac.compare_digest(given.encode(errors="replace"), expected.encode(errors="replace"))
