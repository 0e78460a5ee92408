"""Click evidence by brute force: random small logs, and what their rows say, search by search."""

import json
import random
from collections import Counter, defaultdict
from typing import Any

Row = dict[str, Any]
Pair = tuple[str, str]
COUNTS = (
    "impressions", "clicks", "click_events", "shown_clicks", "sessions", "clicked_sessions",
    "examined", "last_clicks", "skipped",
)  # fmt: skip
TEXTS = ["Tea", "tea ", "green  tea", "TEA", "coffee"]
DOCS = [f"d{n}" for n in range(1, 8)]


def random_log(seed: int, *, own_texts: bool) -> tuple[list[Row], list[Row]]:
    """Searches and interactions as they lie in a lake, with all that can be odd about them."""
    chance = random.Random(seed)
    searches: list[Row] = []
    interactions: list[Row] = []
    for key in range(chance.randint(30, 60)):
        search = _search(chance, key)
        things = _things(chance, search, own_texts=own_texts)
        clicks = [thing for thing in things if thing["kind"] == "click"]
        search |= {
            "n_clicks": len(clicks),
            "n_ranked_clicks": sum(click["rank"] is not None for click in clicks),
        }
        if len(clicks) == 1:
            search["best_click_position"] = clicks[0]["position"]
        searches.append(search)
        interactions += things
    interactions += [_lost(chance, own_texts=own_texts) for _ in range(6)]
    chance.shuffle(interactions)
    return searches, interactions


def _search(chance: random.Random, key: int) -> Row:
    listed: list[str | None] | None = [
        chance.choice(DOCS) for _ in range(chance.choice([0, 1, 3, 5]))
    ]
    if listed and chance.random() < 0.7:
        listed = list(dict.fromkeys(listed))
    if listed and chance.random() < 0.2:
        listed.insert(0, None)
    return {
        "search_key": key,
        "query": chance.choice(TEXTS),
        "session_id": f"s{chance.randint(1, 12)}",
        "model_version": chance.choice(["bm25", "e5"]),
        "retrieved_doc_ids": None if chance.random() < 0.1 else listed,
        "results_offset": chance.choice([None, None, None, 10]),
    }


def _things(chance: random.Random, search: Row, *, own_texts: bool) -> list[Row]:
    listed, before = search["retrieved_doc_ids"] or [], search["results_offset"] or 0
    things = []
    kinds = ["click"] * chance.choice([0, 0, 1, 1, 2, 3])
    if chance.random() < 0.25:
        kinds += ["impression"] * chance.randint(1, 4)
    for kind in kinds:
        doc_id = chance.choice([*DOCS, *filter(None, listed), *filter(None, listed)])
        place = listed.index(doc_id) + 1 if doc_id in listed else None
        rank = chance.choice([None, (place or chance.randint(1, 9)) + before])
        if kind == "click" and doc_id and rank and chance.random() < 0.1:
            doc_id, place = None, None  # it tells where, not what
        things.append(
            {
                "search_key": search["search_key"], "search_id": f"q{search['search_key']}",
                "session_id": search["session_id"], "model_version": search["model_version"],
                "kind": kind, "doc_id": doc_id, "rank": rank, "position": place, "joined": True,
            }
        )  # fmt: skip
        if own_texts and chance.random() < 0.3:
            things[-1]["extra"] = json.dumps({"user_query": chance.choice(TEXTS)})
    return things


def _lost(chance: random.Random, *, own_texts: bool) -> Row:
    """Something that happened in a search that the lake does not know."""
    number = chance.randint(1, 2)
    thing: Row = {
        "search_key": 1000 + number, "search_id": f"lost{number}", "session_id": f"s{number}",
        "model_version": None, "kind": chance.choice(["click", "impression"]), "joined": False,
        "doc_id": chance.choice(DOCS), "rank": chance.randint(1, 5), "position": None,
    }  # fmt: skip
    if own_texts and chance.random() < 0.7:
        thing["extra"] = json.dumps({"user_query": chance.choice(TEXTS), "application": "bm25"})
    return thing


class Oracle:
    """What the rows of a lake say: pair -> count -> n, and what was left out."""

    def __init__(
        self, searches: list[Row], interactions: list[Row], model: str | None = None
    ) -> None:
        self.pairs: dict[Pair, Counter[str]] = defaultdict(Counter)
        self.ranks: Counter[int] = Counter()
        self.clicks_at: Counter[int] = Counter()
        self.left_out: Counter[str] = Counter()
        self.preferences: Counter[tuple[str, str, str]] = Counter()
        self._sessions: dict[Pair, set[str]] = defaultdict(set)
        self._clicked_sessions: dict[Pair, set[str]] = defaultdict(set)
        seen = _as_searches(searches, interactions, self.left_out)
        self._searches = [one for one in seen if model is None or one["model_version"] == model]
        shown = [self._shown(search) for search in self._searches]
        self.depth = self._depth(shown)
        for search, places in zip(self._searches, shown, strict=True):
            self._count(search, places)
        self._conclude()

    def _shown(self, search: Row) -> dict[str, tuple[int, int]]:
        """Document -> its rank, and its place in what was shown."""
        before, listed = search["results_offset"] or 0, search["retrieved_doc_ids"]
        ranks = self._logged_ranks(search, before)
        if ranks:
            return {doc: (rank, rank - min(ranks.values()) + 1) for doc, rank in ranks.items()}
        if listed is None:
            self.left_out["searches_without_results"] += 1
        found: dict[str, tuple[int, int]] = {}
        for place, doc in enumerate(listed or [], 1):
            if doc is None:
                self.left_out["unknown_slots"] += 1
            else:
                found.setdefault(doc, (before + place, place))
        return found

    def _logged_ranks(self, search: Row, before: int) -> dict[str, int]:
        ranks: dict[str, int] = {}
        for thing in search["things"]:
            if thing["kind"] == "impression":
                rank = thing["rank"]
                if rank is None and thing["position"] is not None:
                    rank = before + thing["position"]
                if rank is None:
                    self.left_out["impressions_without_rank"] += 1
                else:
                    ranks[thing["doc_id"]] = min(rank, ranks.get(thing["doc_id"], rank))
        return ranks

    def _clicked(self, search: Row) -> Counter[str]:
        """Document -> its clicks in a search."""
        before, listed = search["results_offset"] or 0, search["retrieved_doc_ids"] or []
        clicked: Counter[str] = Counter()
        for thing in search["things"]:
            if thing["kind"] != "click":
                continue
            doc, place = thing["doc_id"], (thing["rank"] or 0) - before
            if doc is None and 0 < place <= len(listed):
                doc = listed[place - 1]
            clicked[doc or ""] += 1
        return clicked

    def _depth(self, shown: list[dict[str, tuple[int, int]]]) -> int:
        places = sorted(
            places[doc][1]
            for search, places in zip(self._searches, shown, strict=True)
            for doc in self._clicked(search)
            if doc in places
        )
        if not places:
            return 10
        return min(p for p in places if sum(q <= p for q in places) >= 0.999 * len(places))

    def _count(self, search: Row, places: dict[str, tuple[int, int]]) -> None:
        clicked = self._clicked(search)
        self.left_out["clicks_without_document"] += clicked.pop("", 0)
        self.left_out["clicks_without_rank"] += sum(
            thing["kind"] == "click" and thing["rank"] is None for thing in search["things"]
        )
        hits = [places[doc][1] for doc in clicked if doc in places]
        last = max(hits, default=None)
        for doc, (rank, place) in places.items():
            pair = self.pairs[search["group"], doc]
            is_clicked = doc in clicked
            pair["impressions"] += 1
            pair["rank_sum"] += rank
            pair["shown_clicks"] += is_clicked
            pair[f"at {rank}"] += 1
            pair["examined"] += place <= (self.depth if last is None else last)
            pair["last_clicks"] += is_clicked and place == last
            pair["skipped"] += last is not None and place < last and not is_clicked
            self.ranks[rank] += 1
            self.clicks_at[rank] += is_clicked
            self._sessions[search["group"], doc].add(search["session_id"])
            for below in clicked:
                if below in places and places[below][1] > place and not is_clicked:
                    self.preferences[search["group"], below, doc] += 1
        for doc, events in clicked.items():
            pair = self.pairs[search["group"], doc]
            pair["clicks"] += 1
            pair["click_events"] += events
            self.left_out["off_list_clicks"] += doc not in places
            self._clicked_sessions[search["group"], doc].add(search["session_id"])

    def _conclude(self) -> None:
        for key, pair in self.pairs.items():
            pair["sessions"] = len(self._sessions[key])
            pair["clicked_sessions"] = len(self._clicked_sessions[key])
            pair["parts"] = sum(pair[f"at {rank}"] * self.parts(rank) for rank in self.ranks)

    def parts(self, rank: int) -> int:
        """Expected clicks an impression at a rank, in 1e-9, by the formula of the docstring."""
        bits = len(f"{rank:b}")
        band = [other for other in self.ranks if len(f"{other:b}") == bits]
        shown, clicks = sum(self.ranks[r] for r in band), sum(self.clicks_at[r] for r in band)
        above = self.clicks_at[rank] * shown + 100 * clicks
        return above * 10**9 // ((self.ranks[rank] + 100) * shown)


def _as_searches(searches: list[Row], interactions: list[Row], left_out: Counter[str]) -> list[Row]:
    """Searches with what happened in them, and those that events tell alone."""
    found = {
        row["search_key"]: row | {"group": normal(row["query"]), "things": []} for row in searches
    }
    alone: dict[tuple[int, str], Row] = {}
    for thing in interactions:
        named = json.loads(thing["extra"])["user_query"] if thing.get("extra") else None
        search = found.get(thing["search_key"])
        if named is not None and (search is None or normal(named) != search["group"]):
            model = thing["model_version"] or json.loads(thing["extra"])["application"]
            own = alone.setdefault(
                (thing["search_key"], normal(named)),
                {
                    "group": normal(named), "session_id": thing["session_id"], "things": [],
                    "retrieved_doc_ids": None, "results_offset": None, "model_version": model,
                },
            )  # fmt: skip
            own["things"].append(thing | {"position": None})
        elif search is None:
            left_out[f"unjoined_{thing['kind']}s"] += 1
        else:
            search["things"].append(thing)
    return [*found.values(), *alone.values()]


def normal(text: str) -> str:
    """The query of a spelling."""
    return " ".join(text.lower().split())
