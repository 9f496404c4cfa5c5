//! Postal addresses in running text: a street and a number, in the order each language has them.
//!
//! A street alone is not taken, nor a town alone. What follows the number is taken along when it
//! is a postcode and a town, so that the whole address becomes one token. Each shape is tried
//! only on texts that hold one of its words.

use std::sync::LazyLock;

use regex::{Regex, RegexSet};

use crate::fields::Fields;
use crate::names;
use crate::scan::is_unspaced;
use crate::words::{self, Cue};

/// The longest line that is taken as an address, in bytes.
const LONGEST_LINE: usize = 200;

/// One way to write an address.
struct Shape {
    /// What a text must hold for the shape to be tried.
    hint: &'static str,
    /// The address, in the pieces below.
    pattern: &'static str,
}

/// The pieces that patterns are written with: `{name}` stands for a word of a name, and so on.
const PIECES: &[(&str, &str)] = &[
    // What may follow a street: a flat or floor, then a town with its state or postcode.
    (
        "{english_tail}",
        r"(?:,?\s+(?:Apt|Apartment|Suite|Ste|Unit|Flat|Floor|Room|#)\.?\s*#?\d+\p{L}?)?(?:(?:\s*[,\n]\s*{town}(?:[ -]{town}){0,2}){1,2}(?:,?\s+[A-Z]{2}\s+\d{5}(?:-\d{4})?|,?\s+{uk}|,?\s+\d{5,6}|,\s*(?:AL|AK|AZ|AR|CA|CO|CT|DC|DE|FL|GA|HI|IA|ID|IL|IN|KS|KY|LA|MA|MD|ME|MI|MN|MO|MS|MT|NC|ND|NE|NH|NJ|NM|NV|NY|OH|OK|OR|PA|RI|SC|SD|TN|TX|UT|VA|VT|WA|WI|WV|WY)\b|,?\s+(?:NSW|VIC|QLD|SA|WA|TAS|ACT|NT|ON|QC|BC|AB|MB)\s+(?:\d{4}|[A-Z]\d[A-Z]\s?\d[A-Z]\d))|,\s*{uk})?",
    ),
    // What stands before a town's state and code even when the street has no word for street.
    (
        "{us_tail}",
        r"(?:,?\s+(?:Apt|Apartment|Suite|Ste|Unit|Flat|Floor|#)\.?\s*#?\d+\p{L}?)?\s*[,\n]\s*{town}(?:[ -]{town}){0,2},\s*[A-Z]{2}\s+\d{5}(?:-\d{4})?\b",
    ),
    // A floor, a door, a flat.
    (
        "{flat}",
        r"(?:,\s*\d{1,2}\s?[º°ªo]\.?(?:\s?(?:izq|izqda|izda|dcha|der|centro|Dto|Esq)\b\.?|\s?[A-Za-z]\b)?|,\s*(?:apto|apt|ap|apartamento|sala|bloco|casa|piso|puerta|loja|cj|conjunto|int|interno|scala)\.?\s?\d{1,4}[A-Za-z]?\b){0,3}",
    ),
    // A quarter and a town of Brazil, with a state or a postcode.
    (
        "{brazil_tail}",
        r"(?:(?:,|\s[-–])\s{name}(?:\s{link}?{name}){0,3}){1,2}(?:\s?[-/,]\s?[A-Z]{2}\b(?:,?\s(?:CEP\s)?\d{5}-\d{3})?|,\s(?:CEP\s)?\d{5}-\d{3})",
    ),
    ("{uk}", r"[A-Z]{1,2}\d[A-Z\d]?\s?\d[A-Z]{2}"),
    // A postcode before its town: 10115 Berlin, D-10115 Berlin, 1017 GC Amsterdam, 111 21 Stockholm, 00-590 Warszawa.
    (
        "{town_tail}",
        r"(?:\s*[,\n]\s*|\s+[-–]\s+|\s)(?:[A-Z]{1,2}-)?(?:\d{4}\s?[A-Z]{2}|\d{2}-\d{3}|\d{4,5}-\d{3}|\d{3}\s\d{2}|\d{4,6})\s+(?:(?:Praha|Brno|Bratislava|København)\s(?:\d{1,2}|[A-ZØ]{1,2})\b|{town})(?:(?:[ /-]|\s(?:am|an der|im|ob der|de|la|del|sur|sous|les|en)\s){town}){0,2}(?:\s\([A-Z]{2}\))?",
    ),
    // As Canadians write them behind a town.
    (
        "{canada_tail}",
        r"\s*[,\n]\s*{town}(?:[ -]{town}){0,2}(?:\s\(\p{Lu}\p{L}+\)|,?\s[A-Z]{2})?,?\s+[A-Z]\d[A-Z]\s?\d[A-Z]\d",
    ),
    // A postcode behind a comma or on a line of its own, as sure a sign as a word for street.
    (
        "{sure_tail}",
        r"\s*[,\n]\s*(?:[A-Z]{1,2}-)?(?:\d{4}\s[A-Z]{2}|\d{2}-\d{3}|\d{4}-\d{3}|\d{3}\s\d{2}|\d{4,5})\s(?:(?:Praha|Brno|Bratislava|København)\s(?:\d{1,2}|[A-ZØ]{1,2})\b|{town})(?:(?:[ /-]|\s(?:am|an der|im|ob der|de|la|del|sur|sous|les|en)\s){town}){0,2}",
    ),
    ("{no}", r"\d{1,4}(?:\s?[a-zA-Z]\b(?:\s\d{1,3}\b)?)?(?:\s?[-/]\s?\d{1,4}[a-z]?)?"),
    ("{town}", r"(?:St\.\s)?\p{Lu}[\p{L}'’]*"),
    ("{name}", r"\p{Lu}[\p{L}'’.]*"),
    (
        "{link}",
        r"(?:de la |de los |de las |de l['’]|del |della |delle |dei |degli |dell['’]|dello |des |du |de |d['’]|do |da |dos |das |la |le |les |l['’]|los |las |von der |van de |van der |van den |van |von |den |der |dem |the |of |y |e |et |i |ii )",
    ),
];

/// The hint of the shape that has no word for street; it is judged by its words.
const SURE: &str = r"\d[ \p{L}º.]{0,12}\s?[,\n]\s*(?:[A-Z]{1,2}-)?\d{2,5}[ -]";

const SHAPES: &[Shape] = &[
    Shape {
        hint: r"(?i)street|\bst\b|\bdr\b|\bct\b|\bsq\b|\bhwy\b|avenue|\bave\b|road|\brd\b|boulevard|\bblvd|lane|\bln\b|court\b|terrace|gardens|grove|crescent|square|parkway|pkwy|highway|mews|loop\b|drive|\bway\b|place\b|close\b|\bhill\b|quay|wharf",
        pattern: r"(?:(?:Flat|Apartment|Apt|Unit|Suite|Level|Floor|Shop)\.?\s\d{1,4}[A-Za-z]?,\s+)?\d{1,5}(?:-\d{1,5})?[A-Za-z]?,?\s+(?:(?:North|South|East|West|N|S|E|W|NE|NW|SE|SW)\.?\s+)?(?:(?:\d{1,3}(?:st|nd|rd|th)|[A-Z][\p{L}'’]*\.?)\s+){1,4}?(?:Street|St|Avenue|Ave|Road|Rd|Boulevard|Blvd|Lane|Ln|Court|Ct|Terrace|Gardens|Grove|Crescent|Square|Sq|Parkway|Pkwy|Highway|Hwy|Mews|Drive|Dr|Way|Place|Pl|Close|Hill|Quay|Wharf)\b\.?(?:\s+(?:NW|NE|SW|SE|N|S|E|W|North|South|East|West|Central)\b)?{english_tail}",
    },
    Shape {
        hint: r"[A-Z]{2}\s+\d{5}",
        pattern: r"(?:\d{1,5}[A-Za-z]?|One|Two|Three)\s+(?:(?:\d{1,3}(?:st|nd|rd|th)|[A-Z][\p{L}'’]*\.?)\s+){0,4}[A-Z][\p{L}'’]*\.?{us_tail}",
    },
    Shape {
        hint: r"Street|Road|Avenue|Lane",
        pattern: r"{name}(?:\s{name})?\s(?:Street|Road|Avenue|Lane)\s\d{1,3}[A-Za-z]?\b{english_tail}",
    },
    Shape {
        hint: r"(?i)\bbox|postfach|postbus|apartado|casella|bo[iî]te postale|caixa postal|skrytka|postboks|locker",
        pattern: r"(?i:P\.?\s?O\.?\s?Box|Post Office Box|Postfach|Postbus|Apartado(?: de correos| postal)?|Casella postale|Bo[iî]te postale|Caixa postal|Skrytka pocztowa|Postboks)\s+(?:n[º°.]\s*)?\d{1,6}(?:\s\d{2,3}){0,2}(?:{english_tail}|{town_tail})",
    },
    Shape {
        hint: r"(?i)\bbox|postfach|postbus|apartado|casella|bo[iî]te postale|caixa postal|skrytka|postboks",
        pattern: r"(?i:P\.?\s?O\.?\s?Box|Post Office Box|Postfach|Postbus|Apartado(?: de correos| postal)?|Casella postale|Bo[iî]te postale|Caixa postal|Skrytka pocztowa|Postboks)\s+(?:n[º°.]\s*)?\d{1,6}(?:\s\d{2,3}){0,2}\b",
    },
    Shape {
        hint: r"(?i)stra(?:ß|ss)e|str\.|weg\b|platz|allee|gasse|damm\b|ufer\b|chaussee|steig\b|ring\b|markt\b|straat|laan\b|plein|gracht|kade\b|dijk\b|singel|dreef|gatan|vägen|gränd|torget|allén|stigen|backen|gade\b|vej\b|veien|gata\b|gaten|tie\b|katu\b|kuja\b|hof\b|promenade|wall\b|graben\b|zeile\b|berg\b",
        pattern: r"(?:(?:Västra|Östra|Norra|Södra|Stora|Lilla|Gamla|Nya|Alte|Neue|Große|Kleine|Obere|Untere|Lange|Hohe|Nieuwe|Oude|Korte|Grote|Sankt|Sint|St\.|Bad)\s)?\p{Lu}[\p{L}-]*(?:straße|strasse|Straße|Strasse|str\.|Str\.|weg|platz|allee|gasse|damm|ufer|chaussee|steig|ring|markt|hof|promenade|wall|graben|zeile|straat|laan|plein|gracht|kade|dijk|singel|dreef|gatan|vägen|gränd|torget|allén|stigen|backen|gade|vej|veien|gata|gaten|tie|katu|kuja)\s{no}(?:{town_tail})?",
    },
    Shape {
        hint: r"Straße|Strasse|Str\.|Weg\b|Platz|Allee|Ring\b|Gasse|Ufer|Damm",
        pattern: r"(?:\p{Lu}[\p{L}.]+(?:er|en|[-.])[\s-]?|(?:\p{Lu}[\p{L}.]+-)+)(?:Straße|Strasse|Str\.|Weg|Platz|Allee|Ring|Gasse|Ufer|Damm)\s{no}(?:{town_tail})?|(?:Straße|Platz|Allee) (?:des|der|am) {name}(?:\s{name})?\s{no}(?:{town_tail})?",
    },
    Shape {
        hint: r"Laan|Plein|Kade|Singel|Weg ",
        pattern: r"(?:Laan|Plein|Kade|Singel|Weg) (?:van|der|de|den|het|naar)(?: de| het| den)? {name}(?:\s{name})?\s{no}(?:{town_tail})?",
    },
    Shape {
        hint: r"\b(?:Am|An|Auf|Im|In|Unter|Zum|Zur|Hinter|Vor)\b",
        pattern: r"(?:Am|An de[rnm]|Auf de[rnm]|Im|In de[rnm]|Unter de[rnm]|Zum|Zur|Hinter de[rnm]|Vor de[rnm])\s\p{Lu}[\p{L}-]+(?:\s\p{Lu}[\p{L}-]+)?\s{no}{town_tail}",
    },
    Shape {
        hint: r"(?i)\b(?:rue|avenue|av|boulevard|bd|place|chemin|allée|allee|impasse|quai|route|square|faubourg|sentier)\b",
        pattern: r"\d{1,4}(?:\s?(?:bis|ter|quater|[A-D]))?,?\s+(?i:rue|avenue|av\.|boulevard|bd\.?|chemin|allée|impasse|quai|faubourg|sentier|route|(?:place|square)(?:\s+(?:de|du|des|d['’])))\s*{link}{0,2}\s*{name}(?:[\s-]{link}{0,2}{name}){0,4}(?:{canada_tail}|{town_tail})?",
    },
    Shape {
        hint: r"(?i)\b(?:calle|c/|avda|avenida|av\.|plaza|pza|paseo|camino|ronda|carretera|travesía|rua|r\.|travessa|praça|largo|alameda|estrada|rodovia|via|viale|v\.le|piazza|corso|vicolo|piazzale|lungotevere|strada|gran v|rambla|carrer|passeig)",
        pattern: r"(?:Calle|calle|C/|Avda\.?|Avenida|avenida|Av\.|Plaza|plaza|Pza\.?|Paseo|paseo|Camino|Ronda|Carretera|Travesía|Rua|rua|R\.|Travessa|Praça|Largo|Alameda|Estrada|Rodovia|Via|via|Viale|viale|V\.le|Piazza|piazza|P\.zza|Corso|corso|C\.so|Vicolo|Piazzale|Lungotevere|Strada|Rambla|Carrer|Passeig|Gran)\s?{link}{0,2}{name}(?:\s{link}{0,2}{name}){0,4},?\s*(?:n[º°.]?\s*)?\d{1,5}(?:/?[A-Za-z]\b)?(?:,\s*\d{1,2}[º°]\s?[A-Za-z]?\b)?(?:{flat}(?:,\s(?:Col\.|Colonia|Bairro|Barrio|Urb\.)\s{name}(?:\s{link}?{name}){0,3})?(?:{town_tail}|{brazil_tail})|(?:\s-\s{name}(?:\s{link}?{name}){0,2})?,\s{name}(?:\s{link}?{name}){0,2}\s?[-/]\s?[A-Z]{2}(?:,\s(?:CEP\s)?\d{5}-\d{3})?)?",
    },
    Shape {
        hint: r"#",
        pattern: r"(?:Calle|Carrera|Cra\.?|Cl\.?|Transversal|Diagonal|Avenida)\s\d{1,3}[A-Za-z]?\s?(?:#|No\.)\s?\d{1,3}[A-Za-z]?\s?-\s?\d{1,3}\b",
    },
    Shape {
        hint: r"(?i)\b(?:ul|ulica|ulicy|al|aleja|aleje|alei|pl|plac|placu|os|osiedle)\b",
        pattern: r"(?i:ul\.|ulica|ulicy|al\.|aleja|aleje|alei|pl\.|plac|placu|os\.|osiedle)\s?(?:\d{1,2}\s)?{name}(?:[\s-]{name}){0,3}\s\d{1,4}[a-zA-Z]?(?:\s?/\s?\d{1,4})?(?:\s(?:m|lok)\.\s?\d{1,4})?\b(?:{town_tail})?",
    },
    Shape {
        hint: r"\b(?:Rue|Avenue|Av\.|Boulevard|Bd|Chemin|Quai|Chaussée)\b",
        pattern: r"(?:Rue|Avenue|Av\.|Boulevard|Bd\.?|Chemin|Quai|Chaussée)\s{link}{0,2}{name}(?:[\s-]{link}{0,2}{name}){0,4},?\s{no}(?:{town_tail})?",
    },
    Shape {
        hint: r"gate |plass |allé |vei |náměstí|nám\.|třída|ulice|nábřeží|cesta|ulica|trg|utca|út |útja|tér |tere |körút|krt\.|rakpart",
        pattern: r"{name}(?:\s{name}){0,2}\s(?:gate|plass|allé|vei|náměstí|nám\.|třída|ulice|nábřeží|cesta|ulica|trg|utca|út|útja|tér|tere|körút|krt\.|rakpart)\s{no}\.?(?:{town_tail})?",
    },
    Shape {
        hint: r"Bulevardul|Bd\.|B-dul|Calea|Aleea|Șoseaua|Şoseaua|Trg|Ulica|nám|Náměstí",
        pattern: r"(?:Bulevardul|Bd\.|B-dul|Calea|Aleea|Șoseaua|Şoseaua|Trg|Ulica|nám\.|Náměstí)\s{name}(?:\s\p{L}[\p{L}.]*){0,3},?\s(?:nr\.?\s?)?{no}(?:,\s(?:bl|sc|et|ap)\.?\s?[A-Z\d]{1,4}){0,4}(?:{town_tail})?",
    },
    Shape {
        hint: r"Cad|Cd\.|Sok|Sk\.|Bulvar|Blv|Mah",
        pattern: r"(?:{name}\s){1,4}(?:Mahallesi|Mah\.?|Caddesi|Cad\.?|Cd\.?|Sokağı|Sokak|Sok\.?|Sk\.?|Bulvarı|Blv\.?)(?:,?\s(?:{name}\s){1,3}(?:Caddesi|Cad\.?|Cd\.?|Sokağı|Sokak|Sok\.?|Sk\.?))?,?\s(?:No\s?[:.]?\s?)?\d{1,4}(?:/\d{1,3}|\s?[A-Z]\b)?(?:\s?(?:D|Daire|Kat|K)\s?[:.]\s?\d{1,3}){0,2}(?:,?\s(?:\d{5}\s)?{name}(?:\s?/\s?{name}|\s{name})?)?",
    },
    Shape {
        hint: r"ул|пр|пер|наб|бул|шоссе|пл|вул|просп",
        pattern: r"(?:\d{6},\s)?(?:(?:г\.|город|м\.)\s?{name}(?:-\p{L}+)*,\s)?(?:ул\.|улица|улице|пр\.|пр-т|просп\.|проспект|пер\.|переулок|наб\.|набережная|бульвар|бул\.|шоссе|пл\.|площадь|вул\.|вулиця)\s?„?{name}“?(?:[\s-]{name}){0,2},?\s(?:(?:д\.|дом|№|буд\.)\s?)?\d{1,4}\p{L}?\b(?:/\d{1,4})?(?:,?\s(?:к\.|корп\.|корпус|стр\.|кв\.|квартира|оф\.|офис|ап\.|эт\.)\s?\d{1,4}){0,3}(?:,\s(?:\d{4,6},?\s)?(?:г\.\s?)?{name}(?:-\p{L}+)*(?:,\s\d{6})?)?",
    },
    Shape {
        hint: r"로|길",
        pattern: r"(?:\p{Hangul}{1,6}(?:특별시|광역시|특별자치시|특별자치도|도|시)\s)?(?:\p{Hangul}{1,6}[시군구]\s){0,2}\p{Hangul}{1,10}[로길]\s?\d{1,4}(?:-\d{1,4})?(?:번길\s?\d{1,4})?(?:,?\s?\d{1,4}[동층호]){0,3}",
    },
    Shape {
        hint: r"شارع|طريق",
        pattern: r"(?:\d{1,5}\s)?(?:شارع|طريق)(?:\s\p{Arabic}+){1,4}[،,]?\s\d{1,5}(?:[،,]\s?\p{Arabic}+(?:\s\p{Arabic}+)?(?:\s\d{5})?)?",
    },
    Shape {
        hint: r"रोड|मार्ग|गली|नगर",
        pattern: r"\d{1,4}[A-Z]?,?\s(?:[\p{Devanagari}]+\s){0,3}[\p{Devanagari}]*(?:रोड|मार्ग|गली|नगर)(?:,\s[\p{Devanagari}]+(?:\s[\p{Devanagari}]+)?(?:\s?-?\s?\d{6})?)?",
    },
    Shape {
        hint: r"Jl|Jalan|Gg\.",
        pattern: r"(?:Jl\.|Jln\.|Jl|Jln|Jalan|Gg\.)\s?{name}(?:\s{name}){0,4}?,?\s(?:(?:No|Nomor|Kav)\.?\s?)?\d{1,4}[A-Za-z]?\b(?:,?\s(?:RT|RW)\.?\s?\d{1,3}(?:/(?:RW\.?\s?)?\d{1,3})?)?(?:,\s{name}(?:\s{name}){0,2}){0,2}(?:,?\s\d{5}\b)?",
    },
    Shape {
        hint: r"Plot|Flat|House|Door|H\.No|Shop",
        pattern: r"(?:Plot|Flat|House|Door|H|Shop)\.?\s?(?:No\.?\s?)?\d{1,4}[A-Za-z]?(?:[/-]\d{1,4})?,\s(?:[A-Z0-9][\p{L}\d.'’]*(?:[ -][A-Z0-9][\p{L}\d.'’]*){0,3},\s){1,4}{name}(?:\s{name}){0,2}(?:,\s{name}(?:\s{name})?)?\s?[-–]?\s?\d{6}\b",
    },
    Shape {
        hint: r"đường|phố|Đường|Phố",
        pattern: r"(?:[Ss]ố\s)?\d{1,4}(?:/\d{1,4}){0,2}[A-Z]?,?\s(?:đường|phố|Đường|Phố)\s{name}(?:\s{name}){0,3}(?:,\s(?:[\p{L}.]+\s?){1,4}\d{0,2}){0,3}",
    },
    Shape {
        hint: r"都|道|府|県|〒",
        pattern: r"(?:〒\s?\d{3}-\d{4}\s*)?(?:東京都|北海道|京都府|大阪府|\p{Han}{2,3}県)[\p{Han}\p{Hiragana}\p{Katakana}ー]{1,20}[0-9０-９]{1,4}(?:[-－−ー丁目番地号の]{1,3}[0-9０-９]{1,4}){0,3}(?:番地?|号)?|〒\s?\d{3}-\d{4}",
    },
    Shape { hint: SURE, pattern: r"{name}(?:[ -]{link}?{name}){0,3}\s{no}{flat}{sure_tail}" },
    Shape {
        hint: r"号|號",
        pattern: r"(?:\p{Han}{2,8}(?:省|自治区))?(?:\p{Han}{2,6}市)?(?:\p{Han}{1,6}[区县區縣])?\p{Han}{1,8}[路街道巷弄][东南西北中]?(?:\d{1,4}弄)?\d{1,5}[号號](?:\d{1,4}(?:室|楼|单元|栋|幢|层)){0,3}",
    },
];

static HINTS: LazyLock<RegexSet> = LazyLock::new(|| {
    RegexSet::new(SHAPES.iter().map(|shape| ascii_edges(shape.hint)))
        .expect("the hints are constants that a test compiles")
});

static PATTERNS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let compile = |shape: &Shape| {
        // Pieces hold pieces.
        let mut pattern = shape.pattern.to_owned();
        for _ in 0..2 {
            for (piece, stands_for) in PIECES {
                pattern = pattern.replace(piece, stands_for);
            }
        }
        Regex::new(&ascii_edges(&pattern)).expect("the patterns are constants that a test compiles")
    };
    SHAPES.iter().map(compile).collect()
});

/// Edges of words by ASCII alone: with all of Unicode's, the engine falls back to a slower one.
fn ascii_edges(pattern: &str) -> String {
    pattern.replace(r"\b", r"(?-u:\b)")
}

/// Words that end like streets and are none.
const NOT_STREETS: &[&str] = &[
    "supermarkt",
    "flohmarkt",
    "weihnachtsmarkt",
    "baumarkt",
    "sitzplatz",
    "stehplatz",
    "stellplatz",
    "parkplatz",
    "spielplatz",
    "arbeitsplatz",
    "lagerplatz",
    "umweg",
    "rückweg",
    "hinweg",
    "heimweg",
    "radweg",
    "bahnhof",
    "hauptbahnhof",
    "boxring",
    "hering",
    "spring",
    "string",
    "during",
    "sportplatz",
    "bauernhof",
    "friedhof",
    "innenhof",
    "monitoring",
    "firewall",
    "bearing",
    "bearings",
    "wiring",
    "engineering",
    "manufacturing",
    "rendering",
    "ordering",
    "filtering",
    "hearing",
    "offering",
    "pairing",
    "clustering",
    "steering",
    "flooring",
    "sharing",
    "earring",
    "scoring",
];

/// What stands before a day and a year, or before and behind what is counted, and so at no house: "Mar 3, 2024 Berlin",
/// "Seite 3, 12345 Besucher".
const MONTHS: &[&str] = &[
    "jan",
    "feb",
    "mar",
    "apr",
    "may",
    "jun",
    "jul",
    "aug",
    "sep",
    "sept",
    "oct",
    "nov",
    "dec",
    "okt",
    "dez",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "week",
    "day",
    "top",
    "step",
    "figure",
    "fig",
    "year",
    "years",
    "group",
    "zone",
    "gate",
    "flight",
    "bus",
    "line",
    "level",
    "no",
    "nr",
    "over",
    "windows",
    "q",
    "am",
    "pm",
    "note",
    "part",
    "class",
    "grade",
    "round",
    "player",
    "since",
    "until",
    "about",
    "route",
    "table",
    "boeing",
    "airbus",
    "page",
    "seite",
    "tabelle",
    "kapitel",
    "band",
    "stufe",
    "jahr",
    "seit",
    "nach",
    "etwa",
    "rund",
    "bis",
    "mit",
    "uber",
    "zeile",
    "bild",
    "abbildung",
    "gruppe",
    "teil",
    "linie",
    "flug",
    "zimmer",
    "besucher",
    "besuchern",
    "werte",
    "worter",
    "zeilen",
    "stuck",
    "euro",
    "personen",
    "menschen",
    "einwohner",
    "teilnehmer",
    "nutzer",
    "mitglieder",
    "miles",
    "flights",
    "rows",
    "seats",
    "users",
    "fans",
    "visitors",
    "people",
    "members",
    "units",
    "points",
    "tokens",
    "items",
    "euros",
    "dollars",
    "personnes",
    "visiteurs",
    "personas",
];

/// English words before an ending such as "Drive" that make it no street.
const NOT_ROADS: &[&str] = &[
    "Hard", "Flash", "Disk", "USB", "GB", "TB", "MB", "Test", "Google", "Hour", "Hours", "Day",
    "Days", "Minute", "Minutes", "Year", "Years", "Star", "Step", "Point", "Percent", "Million",
    "Billion", "People", "Items", "One", "Two", "Pack", "Speed", "Wheel", "Word", "Half",
];

/// Where the addresses in a text start and end. Without a digit there is none.
pub(crate) fn find(text: &str, mut each: impl FnMut(usize, usize)) {
    if !HINTS.is_match(text) {
        return;
    }
    for shape in &HINTS.matches(text) {
        for found in PATTERNS[shape].find_iter(text) {
            let glued = text[..found.start()].chars().next_back().is_some_and(|before| {
                before.is_alphanumeric() && !is_unspaced(before)
                    || matches!(before, '_' | '.' | '-' | '$' | '€')
            });
            if SHAPES[shape].hint == SURE && !is_place(found.as_str()) {
                continue;
            }
            if !glued && is_street(found.as_str(), text[found.end()..].chars().next()) {
                // A point at the end is the sentence's.
                each(found.start(), found.start() + found.as_str().trim_end_matches('.').len());
            }
        }
    }
}

/// Whether words, a number, a postcode and a town can be an address without a word for street.
fn is_place(found: &str) -> bool {
    let about =
        Cue::ID | Cue::VERSION | Cue::THING | Cue::PHONE | Cue::CARD | Cue::NATIONAL | Cue::IBAN;
    let (street, town) = found.split_once([',', '\n']).unwrap_or((found, ""));
    let is_other = |word: &str| {
        let folded = words::folded(word.trim_end_matches('.'));
        MONTHS.contains(&folded.as_str())
            || is_month(&folded)
            || words::cue(&folded).has(about)
            || words::is_not_people(&folded)
    };
    let words = |part: &'_ str| -> bool {
        part.split(|one: char| !(one.is_alphabetic() || one == '.'))
            .filter(|word| word.chars().count() > 1)
            .any(is_other)
    };
    // No house has a number like a year's here.
    let is_year = street.split(|one: char| !one.is_ascii_digit()).any(|number| number.len() >= 4);
    !is_year && !words(street) && !words(town)
}

fn is_month(word: &str) -> bool {
    [
        "january",
        "february",
        "march",
        "april",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
        "januar",
        "februar",
        "marz",
        "juni",
        "juli",
        "oktober",
        "dezember",
        "janvier",
        "fevrier",
        "octobre",
        "novembre",
        "decembre",
        "septembre",
        "septiembre",
        "octubre",
        "noviembre",
        "diciembre",
    ]
    .contains(&word)
}

/// The addresses behind labels that say so, each as far as it goes on its line.
pub(crate) fn labelled(text: &str, fields: &Fields, mut each: impl FnMut(usize, usize)) {
    for (at, mark) in text.char_indices().filter(|(_, mark)| matches!(mark, ':' | '：')) {
        let cue = fields.cue(names::label(text, at));
        if !cue.has(Cue::ADDRESS) || cue.has(Cue::EMAIL) {
            continue;
        }
        let after = &text[at + mark.len_utf8()..];
        let value = after.trim_start_matches([' ', '\u{a0}', '\u{3000}', '"', '*', '\t']);
        let value = to_the_end(value);
        if is_labelled(value) {
            let start = text.len()
                - after.trim_start_matches([' ', '\u{a0}', '\u{3000}', '"', '*', '\t']).len();
            each(start, start + value.len());
        }
    }
}

/// The line that a text begins with, without what comes after an address on it: another label, a sentence.
fn to_the_end(text: &str) -> &str {
    let to = text.floor_char_boundary(LONGEST_LINE.min(text.len()));
    let line = text[..to]
        .split(['\n', '\r', ';', '|', '\t', '"', '<', '{', '}'])
        .next()
        .unwrap_or_default();
    let mut end = line.len();
    let mut from = 0;
    for word in line.split_inclusive(' ') {
        let start = from;
        from += word.len();
        let bare = word.trim_matches(|one: char| !one.is_alphanumeric());
        let folded = words::folded(bare);
        let other = Cue::PHONE | Cue::EMAIL | Cue::NATIONAL | Cue::IBAN | Cue::CARD;
        let is_label = word.trim_end().ends_with([':', '：', '='])
            && !["no", "nr", "d", "k", "daire", "kat"].contains(&folded.as_str());
        if start > 0 && (is_label || words::cue(&folded).has(other)) {
            end = start;
            break;
        }
        let ends = word.trim_end().ends_with(['.', '。', '!', '?']) && word.ends_with(' ');
        let is_number = bare.bytes().all(|one| one.is_ascii_digit());
        if ends && !bare.is_empty() && (is_number || bare.chars().count() > 4) && start > 0 {
            end = from;
            break;
        }
    }
    let mut line = line[..end].trim_end_matches(|one: char| !one.is_alphanumeric() && one != ')');
    // "…, 1016 GV Amsterdam, attn. the desk": what goes on in small letters and without a number is something else.
    while let Some((before, last)) = line.rsplit_once(", ") {
        let is_number = last.contains(char::is_numeric);
        if is_number || !last.starts_with(char::is_lowercase) {
            break;
        }
        line = before;
    }
    line
}

/// Whether a text can be an address behind a label that says so.
pub(crate) fn is_labelled(value: &str) -> bool {
    let starts = value
        .starts_with(|first: char| first.is_alphanumeric() && !first.is_ascii_lowercase())
        || ["ul.", "al.", "calle", "via ", "rua ", "c/"]
            .iter()
            .any(|start| value.starts_with(start));
    let places = ['市', '区', '區', '県', '縣', '町', '村', '路', '街', '省'];
    let unspaced = value.contains(places) && value.chars().count() >= 6;
    // A house's number is a word of its own: "a list of IPv4 networks" has none.
    let has_number = value.split(|one: char| !one.is_alphanumeric()).any(|word| {
        word.starts_with(char::is_numeric)
            || word.contains(char::is_numeric) && word.contains(is_unspaced)
    });
    let is_ip = value.parse::<std::net::IpAddr>().is_ok();
    starts
        && !is_ip
        && !is_sentence(value)
        && (is_address_shaped(value, false) && has_number || unspaced)
}

/// Whether most words of a text that begins with a letter are small ones, as in a sentence.
fn is_sentence(text: &str) -> bool {
    let starts = |wanted: fn(char) -> bool| {
        let words = text.split(|one: char| !one.is_alphanumeric());
        words.filter(|word| word.chars().count() > 3 && word.starts_with(wanted)).count()
    };
    text.starts_with(char::is_uppercase)
        && starts(char::is_lowercase) > starts(char::is_uppercase) + 1
}

fn is_street(found: &str, next: Option<char>) -> bool {
    let first = found.split([' ', '\u{a0}']).next().unwrap_or_default();
    if NOT_STREETS.contains(&first.to_lowercase().as_str()) {
        return false;
    }
    if next.is_some_and(|next| {
        next.is_ascii_alphanumeric() || next == '%' || next == '€' || next == '_'
    }) {
        return false;
    }
    if found.starts_with(|first: char| first.is_ascii_digit()) {
        let has_code =
            found.len() > 5 && found.bytes().rev().take(5).all(|one| one.is_ascii_digit());
        return has_code
            || !found.split_whitespace().skip(1).take(3).any(|word| NOT_ROADS.contains(&word));
    }
    // "Hauptstraße 2026" is a headline more often than a house.
    let number = found.split(|one: char| !one.is_ascii_digit()).find(|part| !part.is_empty());
    !number.is_some_and(|number| {
        number.len() == 4 && (number.starts_with("19") || number.starts_with("20"))
    })
}

/// Whether a whole text can be an address, for fields that are called so.
pub(crate) fn is_address_shaped(text: &str, street: bool) -> bool {
    let trimmed = text.trim();
    let letters = trimmed.chars().filter(|one| one.is_alphabetic()).count();
    let plain =
        !trimmed.contains(['@', '{', '}', '<', '>', '=', '_', '\\']) && !trimmed.contains("://");
    let has_number = trimmed.bytes().any(|one| one.is_ascii_digit())
        || trimmed.contains(|one: char| one.is_numeric());
    let words = trimmed
        .split(|one: char| one.is_whitespace() || one == ',')
        .filter(|word| !word.is_empty())
        .count();
    let unspaced = trimmed.chars().any(|one| ('\u{2e80}'..='\u{9fff}').contains(&one));
    let is_hex = trimmed.starts_with("0x");
    plain
        && !is_hex
        && trimmed.len() <= 300
        && letters >= 3
        && has_number
        && (words >= 2 || unspaced || street)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_hint_and_pattern_compiles() {
        assert_eq!(HINTS.len(), PATTERNS.len());
    }
}
