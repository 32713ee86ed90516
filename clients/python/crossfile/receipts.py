"""Verifies receipt files offline. The checks and their results are those of verify-offline.mjs in the repository of the service.

Needs the package `cryptography` (pip install crossfile-client[receipts]).
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import re
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

_TYPE = "application/vnd.in-toto+json"
_ID = re.compile(r"r1_[a-z2-7]{51}[aq]")
_HEX = re.compile(r"[0-9a-f]{64}")
_QUESTION = re.compile(r"(GET|POST) /[!-~]*")
_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z", re.ASCII)
_STATUSES = ("pending", "active", "retired", "compromised")
_SAFE = 2**53 - 1


class NoVerdict(Exception):
    """The file is damaged or is no receipt file, so that there is no verdict."""


@dataclass(frozen=True)
class Verdict:
    receipt_id: str
    kid: str
    valid: bool
    #: Each check with its result; None if there was nothing to check.
    checks: Mapping[str, Any]
    #: The first check that failed; None if the receipt is valid.
    reason: Optional[str]
    statement: Optional[Dict[str, Any]]
    #: Its place in the log; None if the file has no readable proof.
    log: Optional["LogPlace"]
    #: The given witnesses whose cosignatures verify: "witness" (verifier key) and "cosigned_at".
    cosignatures: Sequence[Mapping[str, str]] = ()


def verify_bundle(
    bundle: bytes,
    *,
    keys: Optional[List[Dict[str, Any]]] = None,
    body: Optional[bytes] = None,
    witnesses: Optional[Sequence[str]] = None,
    quorum: Optional[int] = None,
) -> Verdict:
    """Verifies the bytes of a receipt file.

    keys: public keys that you trust, in place of those in the file. body: the answer as it was served, to compare with the signed hash.
    witnesses: verifier keys of witnesses, of which quorum (without a number all) must have cosigned the checkpoint. Raises NoVerdict if the file is damaged or is no receipt file.
    """
    parts = _read_bundle(bundle)
    own = _read_keys(parts["keys"])
    trusted = own if keys is None else _read_keys(keys)
    key = trusted.get(parts["kid"])
    payload = parts["payload"] if body is None else _without_receipt_id(body, parts["id"])
    statement, malformed = _read_statement(parts["statement"])
    id_holds = _receipt_id(parts["statement"]) == parts["id"]
    signature = key is not None and _signature_holds(parts["statement"], parts["signature"], key["x"])
    log = None if parts["log"] is None else _read_proof(parts["log"])
    inclusion: Any = "not_logged"
    checkpoint: Any = "not_logged"
    if parts["log"] is not None:
        inclusion = log is not None and _is_included(_leaf(parts["statement"], _receipt_id(parts["statement"])), log)
        checkpoint = log is not None and _is_signed(log, trusted)
    cosigned, by, unwitnessed = _check_cosignatures(log, witnesses, quorum)
    fault = _key_fault(key, statement, log.place.index if log is not None and inclusion is True and checkpoint is True else None)
    payload_hash: Optional[bool] = None
    if payload is not None:
        payload_hash = (
            statement is not None
            and len(payload) == statement["predicate"]["payload"]["bytes"]
            and hashlib.sha256(payload).hexdigest() == statement["subject"][0]["digest"]["sha256"]
        )
    reasons = (
        malformed,
        None if id_holds else "id_mismatch",
        "key_unknown" if key is None else None,
        None if signature else "signature_wrong",
        fault,
        "inclusion_wrong" if inclusion is False else None,
        "checkpoint_wrong" if checkpoint is False else None,
        unwitnessed,
        "payload_mismatch" if payload_hash is False else None,
    )
    reason = next((each for each in reasons if each is not None), None)
    checks = {
        "canonical": statement is not None,
        "id": id_holds,
        "signature": signature,
        "key_in_range": fault is None,
        "inclusion": inclusion,
        "checkpoint": checkpoint,
        "cosignatures": cosigned,
        "payload_available": payload is not None,
        "payload_hash": payload_hash,
    }
    return Verdict(parts["id"], parts["kid"], reason is None, checks, reason, statement, None if log is None else log.place, by)


def _canonical(value: Any, null: bool = False, depth: int = 0) -> str:
    """RFC 8785 for the values that receipts use: strings, integers, lists and objects."""
    if depth > 32:
        raise NoVerdict("nested too deep")
    if isinstance(value, str):
        if any(0xD800 <= ord(letter) <= 0xDFFF for letter in value):
            raise NoVerdict("lone surrogate")
        return _quoted(value)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) <= _SAFE:
        return str(value)
    if value is None and null:
        return "null"
    if isinstance(value, list):
        return "[" + ",".join(_canonical(each, null, depth + 1) for each in value) + "]"
    if not isinstance(value, dict):
        raise NoVerdict("a value that no receipt holds")
    members = sorted(value, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
    return "{" + ",".join(f"{_canonical(name)}:{_canonical(value[name], null, depth + 1)}" for name in members) + "}"


def _quoted(text: str) -> str:
    # json.dumps writes U+007F as it is and escapes control characters in the same way as RFC 8785.
    return json.dumps(text, ensure_ascii=False)


def _unique(pairs: List[Tuple[str, Any]]) -> Dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a member is given twice")
    return found


def _parse(data: bytes, what: str) -> Tuple[str, Any]:
    def refuse(text: str) -> Any:
        raise ValueError(f"{text} is no number of JSON")

    try:
        text = data.decode("utf-8")
        return text, json.loads(text, object_pairs_hook=_unique, parse_constant=refuse, parse_int=_integer)
    except (ValueError, RecursionError) as error:
        raise NoVerdict(f"{what} is not JSON in UTF-8") from error


def _integer(text: str) -> int:
    if len(text) > 17 or text == "-0":
        raise ValueError(f"{text} is not an integer that a receipt holds")
    return int(text)


def _only(value: Any, members: str, what: str) -> Dict[str, Any]:
    if not isinstance(value, dict) or sorted(value) != sorted(members.split()):
        raise NoVerdict(f"{what} does not have exactly the members {', '.join(members.split())}")
    return value


def _base64(text: Any, what: str) -> bytes:
    try:
        data = base64.b64decode(text, validate=True) if isinstance(text, str) else None
    except (binascii.Error, ValueError):
        data = None
    if data is None or base64.b64encode(data).decode() != text:
        raise NoVerdict(f"{what} is not strict base64")
    return data


def _url64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _receipt_id(statement: bytes) -> str:
    return "r1_" + base64.b32encode(hashlib.sha256(statement).digest()).decode().rstrip("=").lower()


def _read_keys(given: Any) -> Dict[str, Dict[str, Any]]:
    if not isinstance(given, list):
        raise NoVerdict("the key set is not a list")
    keys: Dict[str, Dict[str, Any]] = {}
    for each in given:
        key = _only(each, "kty crv alg use kid x status valid_from valid_to from_index to_index", "a key")
        right = (key["kty"], key["crv"], key["alg"], key["use"]) == ("OKP", "Ed25519", "Ed25519", "sig") and key["status"] in _STATUSES
        x = key["x"]
        try:
            raw = base64.urlsafe_b64decode(f"{x}=") if isinstance(x, str) and len(x) == 43 else b""
        except (binascii.Error, ValueError):
            raw = b""
        strict = len(raw) == 32 and _url64(raw) == x
        ranges = all(_is_index(key[name]) for name in ("valid_from", "valid_to", "from_index", "to_index"))
        if not right or not strict or not ranges:
            raise NoVerdict("a key of the key set is malformed")
        thumbprint = _url64(hashlib.sha256(f'{{"crv":"Ed25519","kty":"OKP","x":"{x}"}}'.encode()).digest())
        if thumbprint != key["kid"] or key["kid"] in keys:
            raise NoVerdict("a key id is not that of its key")
        keys[key["kid"]] = key
    return keys


def _is_index(value: Any) -> bool:
    return value is None or (isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _SAFE)


def _read_bundle(data: bytes) -> Dict[str, Any]:
    text, value = _parse(data, "the receipt file")
    bundle = _only(value, "format receipt_id envelope keys payload log sha256", "the receipt file")
    # Format 2 has a log proof and format 1 none, so that removing a proof is never unnoticed.
    log = bundle["log"]
    if bundle["format"] != ("crossfile-receipt/1" if log is None else "crossfile-receipt/2") or not isinstance(log, (str, type(None))):
        raise NoVerdict("the receipt file does not have the format crossfile-receipt/1, or crossfile-receipt/2 with a log proof")
    # One line end may follow, as printing to a file adds; every other byte is fixed.
    if _canonical(bundle, True) != (text[:-1] if text.endswith("\n") else text):
        raise NoVerdict("the receipt file is not as it was served (not canonical JSON)")
    rest = {name: member for name, member in bundle.items() if name != "sha256"}
    if hashlib.sha256(_canonical(rest, True).encode()).hexdigest() != bundle["sha256"]:
        raise NoVerdict("the receipt file is damaged (its sha256 differs)")
    envelope = _only(bundle["envelope"], "payload payloadType signatures", "the envelope")
    if envelope["payloadType"] != _TYPE:
        raise NoVerdict("the envelope does not hold an in-toto statement")
    if not isinstance(envelope["signatures"], list) or len(envelope["signatures"]) != 1:
        raise NoVerdict("the envelope does not have exactly one signature")
    signed = _only(envelope["signatures"][0], "keyid sig", "the signature")
    if not isinstance(signed["keyid"], str) or not isinstance(bundle["receipt_id"], str) or not _ID.fullmatch(bundle["receipt_id"]):
        raise NoVerdict("the key id or receipt id is malformed")
    return {
        "id": bundle["receipt_id"],
        "statement": _base64(envelope["payload"], "the statement"),
        "signature": _base64(signed["sig"], "the signature"),
        "kid": signed["keyid"],
        "keys": bundle["keys"],
        "payload": None if bundle["payload"] is None else _base64(bundle["payload"], "the payload"),
        "log": log,
    }


def _read_statement(data: bytes) -> Tuple[Optional[Dict[str, Any]], Optional[str]]:
    try:
        text, statement = _parse(data, "the statement")
        if _canonical(statement) != text:
            return None, "statement_not_canonical"
    except NoVerdict:
        return None, "statement_not_canonical"
    if not isinstance(statement, dict):
        return None, "statement_malformed"
    made = statement.get("predicate")
    subject = statement.get("subject")
    known = (
        statement.get("_type") == "https://in-toto.io/Statement/v1"
        and statement.get("predicateType") == "urn:crossfile:receipt:v1"
        and isinstance(made, dict)
        and made.get("v") == 1
    )
    if not known or not isinstance(made, dict) or not isinstance(subject, list) or len(subject) != 1 or not isinstance(subject[0], dict):
        return None, "statement_malformed"
    digest = subject[0].get("digest")
    payload = made.get("payload")
    right = (
        isinstance(digest, dict)
        and isinstance(digest.get("sha256"), str)
        and _HEX.fullmatch(digest["sha256"]) is not None
        and isinstance(subject[0].get("name"), str)
        and _QUESTION.fullmatch(subject[0]["name"]) is not None
        and isinstance(payload, dict)
        and isinstance(payload.get("bytes"), int)
        and isinstance(made.get("release"), int)
        and isinstance(made.get("as_of"), str)
        and _INSTANT.fullmatch(made["as_of"]) is not None
    )
    return (statement, None) if right else (None, "statement_malformed")


def _signature_holds(statement: bytes, signature: bytes, x: str) -> bool:
    """DSSE (its PAE, version 1) over Ed25519."""
    return _ed25519_holds(f"DSSEv1 {len(_TYPE)} {_TYPE} {len(statement)} ".encode() + statement, signature, x)


def _ed25519_holds(signed: bytes, signature: bytes, x: str) -> bool:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    if len(signature) != 64:
        return False
    try:
        Ed25519PublicKey.from_public_bytes(base64.urlsafe_b64decode(f"{x}=")).verify(signature, signed)
    except InvalidSignature:
        return False
    return True


def _key_fault(key: Optional[Dict[str, Any]], statement: Optional[Dict[str, Any]], index: Optional[int]) -> Optional[str]:
    """index: the index in the log, if it is proven by a checkpoint of a key that counts."""
    if key is None:
        return "key_unknown"
    if key["status"] == "pending":
        return "key_pending"
    if key["status"] == "compromised":
        return None if index is not None and key["to_index"] is not None and index <= key["to_index"] else "key_compromised"
    late = statement is not None and key["valid_to"] is not None and statement["predicate"]["release"] > key["valid_to"]
    return "key_out_of_range" if late else None


# The log: RFC 6962 (hashes), RFC 9162 section 2.1.3.2 (inclusion), C2SP tlog-proof, tlog-checkpoint and signed-note.
_MAX_ENTRY = 65_535
_INTEGER = re.compile(r"0|[1-9][0-9]{0,15}")


@dataclass(frozen=True)
class LogPlace:
    """The place of a receipt in the log, as its proof shows it."""

    origin: str
    index: int
    size: int


@dataclass(frozen=True)
class _Proof:
    place: LogPlace
    hashes: List[bytes]
    root: bytes
    signed: str
    signatures: List[str]


def _leaf(statement: bytes, id: str) -> bytes:
    """A statement that is too long for an entry of the log is represented by its id and length."""
    if len(statement) > _MAX_ENTRY:
        long = {"_type": "urn:crossfile:log:long-statement:v1", "bytes": len(statement), "receipt_id": id}
        statement = _canonical(long).encode()
    return hashlib.sha256(b"\0" + statement).digest()


def _strict64(text: str) -> Optional[bytes]:
    try:
        return _base64(text, "a line")
    except NoVerdict:
        return None


def _hash(line: str) -> Optional[bytes]:
    data = _strict64(line)
    return data if data is not None and len(data) == 32 else None


def _number(text: str) -> Optional[int]:
    return int(text) if _INTEGER.fullmatch(text) and int(text) <= _SAFE else None


def _read_proof(text: str) -> Optional[_Proof]:
    head, _, note = text.partition("\n\n")
    first, *lines = head.split("\n")
    index = _number(lines[0][6:]) if lines and lines[0].startswith("index ") else None
    hashes = [_hash(line) for line in lines[1:]]
    cut = note.rfind("\n\n")
    signed = note[: cut + 1]
    parts = signed.split("\n")
    signatures = note[cut + 2 :].split("\n")
    if first != "c2sp.org/tlog-proof@v1" or index is None or len(hashes) > 64 or cut <= 0 or len(parts) != 4 or parts[3] != "":
        return None
    size, root = _number(parts[1]), _hash(parts[2])
    if not re.fullmatch(r"[^\s+]+", parts[0]) or size is None or root is None or len(signatures) < 2 or signatures[-1] != "":
        return None
    known = [each for each in hashes if each is not None]
    if len(known) != len(hashes):
        return None
    return _Proof(LogPlace(parts[0], index, size), known, root, signed, signatures[:-1])


def _is_included(leaf: bytes, proof: _Proof) -> bool:
    at, last, found = proof.place.index, proof.place.size - 1, leaf
    if at > last:
        return False
    for sibling in proof.hashes:
        if last == 0:
            return False
        if at % 2 == 1 or at == last:
            found = hashlib.sha256(b"\1" + sibling + found).digest()
            while at % 2 == 0 and at != 0:
                at, last = at // 2, last // 2
        else:
            found = hashlib.sha256(b"\1" + found + sibling).digest()
        at, last = at // 2, last // 2
    return last == 0 and found == proof.root


def _is_signed(proof: _Proof, keys: Mapping[str, Dict[str, Any]]) -> bool:
    """Whether a key that counts signed the checkpoint, and every signature of such a key holds."""
    found = False
    origin = proof.place.origin
    for line in proof.signatures:
        parts = line.split(" ")
        data = _strict64(parts[2]) if len(parts) == 3 and parts[0] == "\u2014" and parts[1] else None
        if data is None or len(data) < 5:
            return False
        for key in keys.values():
            raw = base64.urlsafe_b64decode(f"{key['x']}=")
            id = hashlib.sha256(f"{origin}\n\x01".encode() + raw).digest()[:4]
            if key["status"] not in ("active", "retired") or parts[1] != origin or data[:4] != id:
                continue
            if len(data) != 68 or not _ed25519_holds(proof.signed.encode(), data[4:], key["x"]):
                return False
            found = True
    return found


# Witnesses: C2SP tlog-cosignature (cosignature/v1) and the verifier keys of signed-note. 9999-12-31 is the last time that can be printed.
_LATEST_SECONDS = 253_402_300_799


def _read_witness(vkey: str) -> Tuple[str, bytes, str]:
    """Name, key id and key (base64url) of a witness from its verifier key, name+hex id+base64 of 0x04 and the key."""
    name, _, rest = vkey.partition("+")
    id, _, encoded = rest.partition("+")
    typed = _strict64(encoded)
    computed = b"" if typed is None else hashlib.sha256(f"{name}\n".encode() + typed).digest()[:4]
    if typed is None or re.fullmatch(r"[^\s+]+", name) is None or len(typed) != 33 or typed[0] != 4 or computed.hex() != id:
        raise NoVerdict("a witness is not given by its verifier key (name+id+base64, Ed25519 cosignatures)")
    return name, computed, _url64(typed[1:])


def _check_cosignatures(
    proof: Optional[_Proof], given: Optional[Sequence[str]], quorum: Optional[int]
) -> Tuple[Any, List[Dict[str, str]], Optional[str]]:
    """Which of the given witnesses cosigned the checkpoint. Lines of other keys are ignored; a wrong line of a given witness is a fault."""
    if given is None:
        return "not_checked", [], None
    if len(given) == 0:
        return "none", [], None
    witnesses = {x: (vkey, name, id) for vkey, (name, id, x) in ((vkey, _read_witness(vkey)) for vkey in given)}
    by: Dict[str, Dict[str, str]] = {}
    for line in [] if proof is None else proof.signatures:
        for x, (vkey, name, id) in witnesses.items():
            parts = line.split(" ")
            data = (_strict64(parts[2]) if len(parts) > 2 else None) or b""
            if proof is None or len(parts) < 2 or parts[1] != name or data[:4] != id:
                continue
            seconds = int.from_bytes(data[4:12], "big") if len(data) == 76 else _LATEST_SECONDS + 1
            signed = f"cosignature/v1\ntime {seconds}\n{proof.signed}".encode()
            if seconds > _LATEST_SECONDS or not _ed25519_holds(signed, data[12:], x):
                return False, list(by.values()), "cosignature_wrong"
            at = datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(seconds=seconds)
            by.setdefault(vkey, {"witness": vkey, "cosigned_at": at.strftime("%Y-%m-%dT%H:%M:%SZ")})
    enough = len(by) >= (len(witnesses) if quorum is None else quorum)
    return enough, list(by.values()), None if enough else "cosignatures_missing"


def _without_receipt_id(body: bytes, id: str) -> bytes:
    """A served body has the receipt's id as its last member; the signature covers the body without it."""
    tail = f'"receipt_id":"{id}"}}'.encode()
    if not body.endswith(tail):
        return body
    kept = body[: -len(tail)]
    return (kept[:-1] if kept.endswith(b",") else kept) + b"}"
