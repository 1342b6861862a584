"""Airports, presidents of the United States and football."""

from __future__ import annotations

import csv
import re

from demokb.geography import CITIES, country, folded
from demokb.graph import Graph, date, integer, number, text
from demokb.packages import Store

FEET = 0.3048
CLUBS = {
    "R. Madrid": "Real Madrid",
    "R. Sociedad": "Real Sociedad",
    "Eintr. Braunschweig": "Eintracht Braunschweig",
}
CLUB_ALIASES = {
    "FC Bayern München": ("Bayern Munich", "Bayern"),
    "Atlético": ("Atlético Madrid", "Atletico Madrid"),
    "Athletic": ("Athletic Bilbao",),
    "Barcelona": ("FC Barcelona", "Barça"),
    "Manchester United": ("Man United", "Man Utd"),
    "Manchester City": ("Man City",),
    "Tottenham Hotspur": ("Tottenham", "Spurs"),
    "Inter": ("Inter Milan",),
    "Milan": ("AC Milan",),
    "Roma": ("AS Roma",),
    "Borussia Dortmund": ("Dortmund", "BVB"),
}
LEAGUES = {
    "en.1": ("Premier League", ("English Premier League", "EPL"), "GB"),
    "de.1": ("Bundesliga", ("German Bundesliga",), "DE"),
    "de.2": ("2. Bundesliga", ("second Bundesliga",), "DE"),
    "es.1": ("La Liga", ("Primera División", "Spanish league"), "ES"),
    "it.1": ("Serie A", ("Italian league",), "IT"),
    "at.1": ("Austrian Bundesliga", (), "AT"),
    "at.2": ("Erste Liga", ("Austrian First League",), "AT"),
}


def build_airports(graph: Graph, store: Store) -> None:
    rows = csv.DictReader(store.open("airportsdata").text("airportsdata/airports.csv").splitlines())
    for row in rows:
        owner = country(graph, row["country"])
        if not row["iata"] or owner is None:
            continue
        label = row["name"] if "Airport" in row["name"] else f"{row['name']} Airport"
        short = re.sub(r" (International )?Airport$", "", label)
        aliases = [row["iata"], *([short] if " " in short else [])]
        name = graph.entity("Airport", row["iata"], label, aliases, row["city"] or row["iata"])
        graph.fact(name, "iataCode", text(row["iata"]))
        graph.fact(name, "icaoCode", text(row["icao"]) if row["icao"] else None)
        graph.fact(name, "country", owner)
        graph.fact(name, "elevation", number(round(float(row["elevation"]) * FEET)))
        graph.fact(name, "timeZone", graph.entity("TimeZone", row["tz"], row["tz"]))
        if row["city"]:
            region = row["subd"] if row["country"] == "US" else row["country"]
            graph.fact(name, "cityServed", CITIES.get((region, folded(row["city"]))))
        if row["country"] == "US":
            graph.fact(name, "state", graph.named("State", row["subd"]))


def build_presidents(graph: Graph, store: Store) -> None:
    source = store.open("presidents").text("index.js").replace("\r", "")
    for block in re.split(r"\n  \{", source)[1:]:
        fields = dict(re.findall(r"(\w+): \"?([^\",\n]+)\"?", block))
        label = fields["name"]
        aliases = {
            "John F. Kennedy": ["JFK", "Kennedy"],
            "Franklin D. Roosevelt": ["FDR"],
            "Barack Obama": ["Obama"],
        }
        name = graph.entity("President", label, label, aliases.get(label, [label.split()[-1]]))
        graph.fact(name, "birthYear", date(fields["birthYear"]))
        if "deathYear" in fields:
            graph.fact(name, "deathYear", date(fields["deathYear"]))
        graph.fact(name, "presidentialNumber", integer(int(fields["order"])))
        party = {"Democrat": "Democratic Party", "Republican": "Republican Party", "Whig": "Whig Party"}
        party_label = party.get(fields["party"], fields["party"])
        aliases_of = [fields["party"], fields["party"] + "s"]
        graph.fact(name, "party", graph.entity("PoliticalParty", fields["party"], party_label, aliases_of))
        term = graph.entity(
            "PresidentialTerm", fields["order"], f"presidency of {label} from {fields['startYear']}"
        )
        graph.fact(name, "term", term)
        graph.fact(term, "startYear", date(fields["startYear"]))
        if "endYear" in fields:
            graph.fact(term, "endYear", date(fields["endYear"]))


def build_football(graph: Graph, store: Store) -> None:
    archive = store.open("football.json")
    for path in archive.names():
        found = re.fullmatch(r"(20\d\d)-(\d\d)/(\w\w\.\d)\.json", path)
        if not found or not archive.table(path)["rounds"]:
            continue
        label, aliases, code = LEAGUES[found[3]]
        league = graph.entity("FootballLeague", found[3], label, aliases)
        graph.fact(league, "leagueCountry", country(graph, code))
        season = graph.entity("FootballSeason", path, f"{found[1]}/{found[2]} {label} season")
        graph.fact(season, "seasonOf", league)
        for matchday in archive.table(path)["rounds"]:
            for match in matchday["matches"]:
                if match.get("score1") is None or match.get("score2") is None:
                    continue
                home, away = (_club(graph, match[side]["name"]) for side in ("team1", "team2"))
                key = (path, match["date"], home)
                name = graph.entity(
                    "FootballMatch",
                    key,
                    f"{graph.label(home)} v {graph.label(away)}, {match['date']}",
                )
                graph.fact(name, "season", season)
                graph.fact(name, "homeTeam", home)
                graph.fact(name, "awayTeam", away)
                graph.fact(name, "homeGoals", integer(match["score1"]))
                graph.fact(name, "awayGoals", integer(match["score2"]))
                graph.fact(name, "date", date(match["date"]))
                if found[1] == "2015":
                    graph.fact(home, "league", league)


def _club(graph: Graph, name: str) -> str:
    label = CLUBS.get(name, name)
    return graph.entity("FootballClub", label, label, CLUB_ALIASES.get(label, ()), "FC")
