"""A small knowledge base with the difficulties that names bring: namesakes, nicknames, names in names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from arcaneqa.kb.build.build import build_index
from arcaneqa.kb.index import Index

FACTS = """
@prefix : <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .

:City rdfs:label "city" . :Country rdfs:label "country" . :Person rdfs:label "person" .
:Film rdfs:label "film" . :Band rdfs:label "band" . :River rdfs:label "river" .
:mayor rdfs:label "mayor" . :director rdfs:label "director" . :population rdfs:label "population" .
:memberOf rdfs:label "member of" . :flowsThrough rdfs:label "flows through" .

:paris a :City ; rdfs:label "Paris" ; :country :france ; :mayor :hidalgo ; :population 2100000 .
:parisTexas a :City ; rdfs:label "Paris, Texas" ; :country :usa ; :population 25000 .
:parisFilm a :Film ; rdfs:label "Paris" ; :director :wenders .
:texasFilm a :Film ; rdfs:label "Paris, Texas" ; :director :wenders ; :released "1984-05-19"^^xsd:date .
:lyon a :City ; rdfs:label "Lyon" ; :country :france .
:nice a :City ; rdfs:label "Nice" ; :country :france .
:vienna a :City ; rdfs:label "Vienna"@en , "Вена"@ru , "维也纳"@zh ;
  skos:altLabel "Wien" ; :country :austria .
:france a :Country ; rdfs:label "France" . :austria a :Country ; rdfs:label "Austria" .
:usa a :Country ; rdfs:label "United States of America" .
:thailand a :Country ; rdfs:label "Thailand" .
:hidalgo a :Person ; rdfs:label "Anne Hidalgo" . :wenders a :Person ; rdfs:label "Wim Wenders" .
:jfk a :Person ; rdfs:label "John F. Kennedy" ; :born "1917-05-29"^^xsd:date ; :country :usa ;
  :knows :jackie .
:jackie a :Person ; rdfs:label "Jacqueline Kennedy Onassis" .
:theWho a :Band ; rdfs:label "The Who" . :beatles a :Band ; rdfs:label "The Beatles" .
:daltrey a :Person ; rdfs:label "Roger Daltrey" ; :memberOf :theWho .
:Stanley_Kubrick a :Person . :shining a :Film ; rdfs:label "The Shining" ; :director :Stanley_Kubrick .
:film2 a :Film ; rdfs:label "2001: A Space Odyssey" ; :director :Stanley_Kubrick .
:seine a :River ; rdfs:label "Seine" ; :flowsThrough :paris ; :length 777.0 .
:m_0x1 :memberOf :theWho . :name1 a :Film ; rdfs:label "Name" .
:paris :rating "top pick" ; :code "PAR" . :lyon :rating "Top Pick" ; :code "LYS" .
:up a :Film ; rdfs:label "Up" . :her a :Film ; rdfs:label "Her" ; :director :wenders .
:att a :Company ; rdfs:label "AT&T" . :health a :Company ; rdfs:label "World Health Organization" .
:Q42 :director :wenders . :Mercury_\\(planet\\) a :Planet . :Salt_Lake_City a :City .
:mississippi a :River ; rdfs:label "Mississippi River" .
:guild a :Company ; rdfs:label "Royal Guild of Northern Harbour Pilots" .
"""


@pytest.fixture(scope="session")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    folder: Path = tmp_path_factory.mktemp("names")
    (folder / "facts.ttl").write_text(FACTS, encoding="utf-8")
    build_index([folder / "facts.ttl"], folder / "kb")
    with Index(folder / "kb") as index:
        yield index
