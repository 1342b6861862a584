"""The vocabulary of the demonstration knowledge base: every class and relation with its words."""

from __future__ import annotations

from demokb.graph import Graph

CLASSES = """
Place: place
Continent: continent < Place
Country: country < Place
Territory: dependent territory < Place
City: city < Place
CapitalCity: capital city < City
State: US state < Place
County: US county < Place
Mountain: mountain < Place
Airport: airport < Place
TimeZone: time zone
Language: language
Currency: currency
Organization: international organization
Religion: religion
Resource: natural resource
Crop: agricultural product
Person: person
President: US president < Person
Scientist: scientist < Person
PoliticalParty: political party
PresidentialTerm: presidential term
Element: chemical element
Metal: metal < Element
Nonmetal: nonmetal < Element
NobleGas: noble gas < Nonmetal
Halogen: halogen < Nonmetal
AlkaliMetal: alkali metal < Metal
AlkalineEarthMetal: alkaline earth metal < Metal
TransitionMetal: transition metal < Metal
PoorMetal: poor metal < Metal
Metalloid: metalloid < Element
Lanthanide: lanthanide < Metal
Actinide: actinide < Metal
ElementGroup: group of the periodic table
Isotope: isotope
CelestialBody: celestial body
Star: star < CelestialBody
Planet: planet < CelestialBody
DeepSkyObject: deep-sky object < CelestialBody
Galaxy: galaxy < DeepSkyObject
GlobularCluster: globular cluster < DeepSkyObject
OpenCluster: open cluster < DeepSkyObject
Nebula: nebula < DeepSkyObject
Constellation: constellation
FootballClub: football club
FootballLeague: football league
FootballSeason: football season
FootballMatch: football match
"""

# name | label | domain | range | what it counts in, where that is not obvious
RELATIONS = """
capital | capital | Country | City
continent | continent | Country | Continent
borders | borders | Country | Country
officialLanguage | official language | Country | Language
spokenLanguage | language spoken | Country | Language
currency | currency | Country | Currency
area | area | Country | xsd:decimal | square kilometres
population | population | Place | xsd:integer
coastline | length of coastline | Country | xsd:decimal | kilometres
independenceDate | date of independence | Country | xsd:date
independentFrom | gained independence from | Country | Country
highestPoint | highest point | Country | Mountain
elevation | elevation | Place | xsd:decimal | metres above sea level
lifeExpectancy | life expectancy | Country | xsd:decimal | years, as of 2015
medianAge | median age | Country | xsd:decimal | years, as of 2015
birthRate | birth rate | Country | xsd:decimal | births a year for each 1,000 people, as of 2015
fertilityRate | fertility rate | Country | xsd:decimal | children a woman, as of 2015
literacyRate | literacy rate | Country | xsd:decimal | per cent
gdp | gross domestic product | Country | xsd:decimal | US dollars at purchasing power parity, as of 2014
gdpPerCapita | GDP per capita | Country | xsd:decimal | US dollars at purchasing power parity, as of 2014
unemploymentRate | unemployment rate | Country | xsd:decimal | per cent, as of 2014
inflationRate | inflation rate | Country | xsd:decimal | per cent, as of 2014
internetUsers | number of internet users | Country | xsd:decimal | as of 2014
railwayLength | length of railways | Country | xsd:decimal | kilometres
roadLength | length of roads | Country | xsd:decimal | kilometres
forestCover | forest cover | Country | xsd:decimal | per cent of the land
demonym | demonym | Country | xsd:string
callingCode | calling code | Country | xsd:string
internetDomain | internet domain | Country | xsd:string
memberOf | member of | Country | Organization
religion | religion | Country | Religion
naturalResource | natural resource | Country | Resource
grows | agricultural product | Country | Crop
exportPartner | export partner | Country | Country
importPartner | import partner | Country | Country
ruledBy | administered by | Territory | Country
country | country | Place | Country
state | state | Place | State
timeZone | time zone | Place | TimeZone
latitude | latitude | City | xsd:decimal | degrees north
longitude | longitude | City | xsd:decimal | degrees east
statehoodYear | year of statehood | State | xsd:gYear
stateCapital | state capital | State | City
cityServed | city served | Airport | City
iataCode | IATA code | Airport | xsd:string
icaoCode | ICAO code | Airport | xsd:string
birthYear | year of birth | Person | xsd:gYear
deathYear | year of death | Person | xsd:gYear
party | political party | President | PoliticalParty
presidentialNumber | number in the line of presidents | President | xsd:integer
term | presidential term | President | PresidentialTerm
startYear | start year | PresidentialTerm | xsd:gYear
endYear | end year | PresidentialTerm | xsd:gYear
symbol | symbol | Element | xsd:string
atomicNumber | atomic number | Element | xsd:integer
atomicWeight | atomic weight | Element | xsd:decimal
density | density | Element | xsd:decimal | grams per cubic centimetre
meltingPoint | melting point | Element | xsd:decimal | kelvin
boilingPoint | boiling point | Element | xsd:decimal | kelvin
electronegativity | electronegativity | Element | xsd:decimal | Pauling scale
atomicRadius | atomic radius | Element | xsd:decimal | picometres
crustAbundance | abundance in the Earth's crust | Element | xsd:decimal | milligrams per kilogram
price | price per kilogram | Element | xsd:decimal | US dollars
discoveryYear | year of discovery | Element | xsd:gYear
discoverer | discovered by | Element | Scientist
discoveredIn | place of discovery | Element | Country
group | group | Element | ElementGroup
period | period | Element | xsd:integer
topProducer | leading producer | Element | Country
isotopeOf | isotope of | Isotope | Element
massNumber | mass number | Isotope | xsd:integer
abundance | natural abundance | Isotope | xsd:decimal | per cent
halfLife | half-life | Isotope | xsd:decimal | seconds
isotopeDiscoveryYear | year of discovery | Isotope | xsd:gYear
constellation | constellation | CelestialBody | Constellation
magnitude | apparent magnitude | CelestialBody | xsd:decimal | the smaller, the brighter
diameter | diameter | Planet | xsd:decimal | kilometres
distanceFromSun | distance from the Sun | Planet | xsd:decimal | million kilometres
orbitalPeriod | orbital period | Planet | xsd:decimal | days
dayLength | length of day | Planet | xsd:decimal | hours
gravity | surface gravity | Planet | xsd:decimal | metres per second squared
temperature | mean temperature | Planet | xsd:decimal | kelvin
league | plays in | FootballClub | FootballLeague
leagueCountry | country of the league | FootballLeague | Country
seasonOf | season of | FootballSeason | FootballLeague
season | season | FootballMatch | FootballSeason
homeTeam | home team | FootballMatch | FootballClub
awayTeam | away team | FootballMatch | FootballClub
homeGoals | home goals | FootballMatch | xsd:integer
awayGoals | away goals | FootballMatch | xsd:integer
date | date | FootballMatch | xsd:date
"""


def declare(graph: Graph) -> None:
    for line in CLASSES.strip().splitlines():
        name, _, rest = line.partition(": ")
        label, _, parent = rest.partition(" < ")
        graph.declare_class(name, label, parent)
    for line in RELATIONS.strip().splitlines():
        graph.declare_relation(*line.split(" | "))
