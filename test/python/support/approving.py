"""A person who approves: the key of the host, the payloads that wait, and the answers to them."""

import hashlib
import json

KEY = "the-host-own-secret"


def approvable(con, key=KEY):
    """Makes the holder of the key the approver of a database."""
    con.execute(f"SET GLOBAL redline_approver = '{hashlib.sha256(key.encode()).hexdigest()}'")
    return con


def waits(host, payload):
    """Returns the waiting payload with the id of the given one, which may tell less."""
    wanted = json.loads(payload)["approval_id"]
    rows = host.execute(
        "SELECT approval_id, payload FROM system.main.pending_approvals(?)", [KEY]
    ).fetchall()
    return next(full for name, full in rows if name == wanted)


def approve(host, payload, scope="once"):
    """Approves a payload, as a host does after it has shown every page."""
    proof = value(host, "SELECT system.main.approval_pages(?, 80, 24)", payload)[-1]["proof"]
    return value(host, "SELECT system.main.approve(?, ?, ?, ?)", payload, scope, KEY, proof)


def listed(host):
    """Returns the description and the payload of all that waits."""
    return host.execute(
        "SELECT description, payload FROM system.main.pending_approvals(?)", [KEY]
    ).fetchall()


def yes(host, agent, call, scope="once"):
    """Proposes as the agent, and says yes to what waits then."""
    return approve(host, waits(host, value(agent, f"SELECT {call}")), scope)


def value(con, query, *arguments):
    return con.execute(query, list(arguments)).fetchone()[0]
