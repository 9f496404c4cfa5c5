//! Crashes that are written in a program: what is said of each, and what is left alone.

mod fixture;

use std::sync::Arc;
use std::time::Duration;

use catalog::{Catalog, Listing};
use check::{Checker, Program, Report};
use serde_json::{Value, json};

fn check(source: &str) -> Report {
    let checker = Checker::new(fixture::catalog()).with_patience(Duration::from_secs(300));
    checker.check(&Program { source, ..Program::default() })
}

/// What blocks a program, and the name that was meant.
fn blocked(source: &str) -> Vec<(String, Option<String>)> {
    let report = check(source);
    report.blocking().map(|one| (one.message.clone(), one.nearest.clone())).collect()
}

fn one(source: &str) -> (String, Option<String>) {
    let mut found = blocked(source);
    assert_eq!(found.len(), 1, "{source}: {found:?}");
    found.remove(0)
}

const PERSON: &str = "from dataclasses import dataclass\n@dataclass\nclass Person:\n    name: str\n    age: int = 3\n    def older(self):\n        return self.age + 1\n";
const COLOR: &str = "from enum import Enum\nclass Color(Enum):\n    RED = 1\n    GREEN = 2\n    @property\n    def short(self):\n        return self.name[0]\n";

#[test]
fn attributes_that_own_classes_do_not_have_are_named_with_the_nearest() {
    for (begin, rest, words, near) in [
        (PERSON, "print(Person('a').nmae)", "an object of Person has no attribute 'nmae'", "name"),
        (PERSON, "p = Person('a')\nprint(p.odler())", "Person has no attribute 'odler'", "older"),
        (
            PERSON,
            "for p in [Person('a')]:\n    print(p.aeg)",
            "Person has no attribute 'aeg'",
            "age",
        ),
        (COLOR, "print(Color.GREN)", "the enumeration Color has no member 'GREN'", "GREEN"),
        (COLOR, "print(Color.RED.vaule)", "an object of Color has no attribute 'vaule'", "value"),
        (COLOR, "print(Color(1).shrot)", "an object of Color has no attribute 'shrot'", "short"),
    ] {
        let (message, nearest) = one(&format!("{begin}{rest}"));
        assert!(message.contains(words), "{rest}: {message}");
        assert_eq!(nearest.as_deref(), Some(near), "{rest}");
    }
    let said = check(&format!("{PERSON}print(Person('a').email)"));
    let finding = said.blocking().next().expect("it is found");
    assert_eq!(finding.valid, ["age", "name", "older"]);
}

#[test]
fn attributes_that_may_be_there_after_all_do_not_block() {
    let begin = format!("{PERSON}{COLOR}");
    for rest in [
        "p = Person('a')\np.email = 'x'\nprint(p.email)",
        "Person.email = 'x'\nprint(Person('a').email)",
        "p = Person('a')\nsetattr(p, 'email', 'x')\nprint(p.email)",
        "p = Person('a')\np.__dict__['email'] = 'x'\nprint(p.email)",
        "p = Person('a')\nobject.__setattr__(p, 'email', 'x')\nprint(p.email)",
        "class Late(Person):\n    email = 'x'\np = Late('a')\nprint(p.email)",
        "class Late(Person):\n    email = 'x'\nfor p in [Person('a'), Late('b')]:\n    if p.name == 'b':\n        print(p.email)",
        "class Late(Person):\n    email = 'x'\nfor p in [Late('b')] + [Late('c')]:\n    print(p.email)",
        "p = Person('a')\nif hasattr(p, 'email'):\n    print(p.email)",
        "p = Person('a')\nprint(getattr(p, 'email', None))",
        "try:\n    print(Person('a').email)\nexcept AttributeError:\n    pass",
        "def never():\n    return Person('a').email",
        "Person = lambda name: type('P', (), {'email': name})\nprint(Person('a').email)",
        "class Base:\n    def tell(self):\n        return self.title\nclass Sub(Base):\n    title = 'x'\nprint(Sub().tell())",
        "class Odd(dict):\n    pass\nprint(Odd(a=1).items())",
        "class Made:\n    for letter in 'ab':\n        pass\nprint(Made.letter)",
        "print(Color.RED.name, Color.RED.value, Color.RED.short, Color['RED'].name)",
    ] {
        let source = format!("{begin}{rest}");
        assert!(blocked(&source).is_empty(), "{rest}: {:?}", blocked(&source));
    }
}

#[test]
fn what_does_not_come_apart_says_what_to_write() {
    for (source, words, near) in [
        (
            "d = {'tea': 1}\nfor k, v in d:\n    print(k)",
            "\"tea\" does not come apart into 2 names",
            Some("d.items()"),
        ),
        ("print({k: v for k, v in {'a': 1}})", "add .items()", None),
        ("for k, v in {1: 'a'}:\n    print(k)", "a number does not come apart", None),
        (
            "import asyncio\nasync def f(): return 1\na, b = await asyncio.gather(f(), f(), f())",
            "gather() gives 3 results here, one for each call, and there are 2 names",
            None,
        ),
        ("t = (1, 2)\nt[0] = 3", "the items of a tuple cannot be changed", None),
        ("s = 'ab'\ns[0] = 'c'", "the items of a str cannot be changed", None),
        ("print(sum(['a', 'b']))", "sum() does not add texts; write \"\".join(...)", None),
        ("print(sum(str(n) for n in [1, 2]))", "sum() does not add texts", None),
        ("print(max([]))", "max() finds nothing here; give it items, or default=...", None),
        ("import json\njson.loads(\"{'a': 1}\")", "JSON has double quotes", None),
        ("import json\njson.loads('{\"a\": None}')", "JSON writes true, false and null", None),
        ("import re\nre.compile('(abc')", "a '(' is never closed", None),
        ("from re import sub\nsub('*', '', 'a*b')", "nothing before *, + or ? to repeat", None),
    ] {
        let (message, nearest) = one(source);
        assert!(message.contains(words), "{source}: {message}");
        assert_eq!(nearest.as_deref(), near, "{source}");
    }
}

#[test]
fn what_comes_apart_or_is_never_asked_does_not_block() {
    for source in [
        "for k, v in {'ab': 1}:\n    print(k)",
        "lazy = ((k, v) for k, v in {'a': 1})",
        "d = {}\nd['ab'] = 1\nfor k, v in d:\n    print(k)",
        "def f(d={'a': 1}):\n    for k, v in d:\n        print(k)\nf({'ab': 1})",
        "t = (1, 2)\nt = list(t)\nt[0] = 3",
        "t = ([1], 2)\nt[0][0] = 3",
        "print(max([], default=0), min([] or [1]))",
        "xs = []\nxs.append(1)\nprint(max(xs))",
        "xs = []\ndef fill(to):\n    to.append(1)\nfill(xs)\nprint(max(xs))",
        "print(sum([]), sum({1: 'a'}), sum(str(n) for n in []))",
        "sum = ''.join\nprint(sum(['a', 'b']))",
        "import json\njson.loads('NaN')",
        "import json\njson.loads = lambda text: {}\njson.loads('{no')",
        "import re\nre.compile('[(]')",
        "import re\nre.compile('( a # (\\n)', re.X)",
        "import json\ntry:\n    json.loads('{no')\nexcept ValueError:\n    pass",
        "import re\ntry:\n    re.compile('(')\nexcept re.error:\n    pass",
    ] {
        assert!(blocked(source).is_empty(), "{source}: {:?}", blocked(source));
    }
}

#[test]
fn a_result_given_alone_is_the_first_argument_unless_its_fields_are_parameters() {
    let begin = "from servers.crm import create_contact, get_contact\nfrom servers.weather import current, forecast\n";
    let made =
        "made = await create_contact(first_name='A', last_name='B', email='a@example.com')\n";
    let (message, _) = one(&format!("{begin}{made}await get_contact(made)"));
    assert!(message.contains("'contact_id' should be"), "{message}");
    for rest in [
        "await get_contact(made['id'])",
        "await get_contact({'contact_id': made['id']})",
        "made['contact_id'] = made.pop('id')\nawait get_contact(made)",
    ] {
        let source = format!("{begin}{made}{rest}");
        assert!(blocked(&source).is_empty(), "{rest}: {:?}", blocked(&source));
    }
}

fn tool(name: &str, fields: &[&str]) -> Value {
    let properties: serde_json::Map<String, Value> =
        fields.iter().map(|field| ((*field).to_owned(), json!({"type": "string"}))).collect();
    json!({"name": name, "inputSchema": {"type": "object"}, "outputSchema":
        {"type": "object", "properties": properties, "required": fields, "additionalProperties": false}})
}

fn with(listings: &[Value], source: &str) -> Report {
    let listing = |one: &Value| -> Arc<Listing> {
        Arc::new(serde_json::from_value(one.clone()).expect("a listing"))
    };
    let catalog = Catalog::new(listings.iter().map(listing).collect());
    let checker = Checker::new(Arc::new(catalog)).with_patience(Duration::from_secs(300));
    checker.check(&Program { source, ..Program::default() })
}

#[test]
fn a_field_of_one_of_two_results_blocks_only_if_neither_has_it() {
    let listing = json!({"server": "s", "tools": [tool("one", &["id", "title"]), tool("two", &["id", "name"])]});
    let begin = "import random\nfrom servers.s import one, two\nc = random.random() > 0.5\n";
    for (rest, expected) in [
        ("x = await one() if c else await two()\nprint(x['typo'])", true),
        ("x = await one() if c else await two()\nprint(x['title'])", false),
        ("x = await one() if c else await two()\nprint(x['id'])", false),
        ("x = await one() if c else {}\nprint(x['typo'])", false),
        ("if c:\n    x = await one()\nelse:\n    x = await two()\nprint(x['typo'])", true),
        ("x = await one() if c else await two()\nx['typo'] = 1\nprint(x['typo'])", false),
        ("x = await one() if c else await two()\nif 'typo' in x:\n    print(x['typo'])", false),
    ] {
        let report = with(std::slice::from_ref(&listing), &format!("{begin}{rest}"));
        assert_eq!(report.blocks(), expected, "{rest}: {}", report.for_model());
    }
}

#[test]
fn results_of_one_name_from_two_servers_are_not_taken_for_one_another() {
    let listings = [
        json!({"server": "a", "tools": [tool("get", &["x", "y", "z"])]}),
        json!({"server": "b", "tools": [tool("get", &["p", "q"])]}),
    ];
    let source = "import servers.a\nimport servers.b\np, q = await servers.b.get()\nprint(p, q)";
    let report = with(&listings, source);
    assert!(!report.blocks(), "{}", report.for_model());
}

#[test]
fn what_a_loop_over_a_result_certainly_does_counts() {
    let begin = "from servers.crm import list_deals\ndeals = (await list_deals())['deals']\n";
    for (rest, expected) in [
        ("for deal in deals:\n    print(deal['title'].uper())", true),
        (
            "for deal in deals:\n    if deal['amount'] < 0:\n        continue\n    print(deal['title'].uper())",
            false,
        ),
        ("for deal in deals:\n    print(deal['title'].uper())\n    break", true),
        ("for at, deal in enumerate(sorted(deals, key=len)):\n    print(deal['title'] + 1)", true),
        ("print([deal['title'].uper() for deal in deals])", true),
        ("print([deal['title'].uper() for deal in deals if deal['amount'] > 1])", false),
        ("print(sum(deal['title'].uper() for deal in deals))", true),
        ("print(any(deal['title'].uper() for deal in deals))", false),
        ("def line(deal):\n    return deal + nowhere\nfor deal in deals:\n    line(deal)", true),
        ("for deal in deals:\n    if deal['amount'] > 3:\n        print(nowhere)", true),
        (
            "import os\nfor deal in deals:\n    if os.environ.get('X'):\n        print(nowhere)",
            false,
        ),
        (
            "for deal in deals:\n    try:\n        print(nowhere)\n    except NameError:\n        pass",
            false,
        ),
        ("for deal in []:\n    print('a' + 1)", false),
    ] {
        let source = format!("{begin}{rest}");
        assert_eq!(!blocked(&source).is_empty(), expected, "{rest}: {:?}", blocked(&source));
    }
}

#[test]
fn what_a_call_lacks_is_named() {
    for (source, words) in [
        ("'a-b'.replace('-')", "replace() needs a value for 'new'"),
        ("{}.get()", "get() needs a value for 'key'"),
        ("import asyncio\nawait asyncio.sleep()", "sleep() needs a value for 'delay'"),
        ("sorted(key=len)", "sorted() needs a value for 'iterable'"),
        ("print('{} {}'.format(1))", "the text has 2 places, and format() is given 1"),
        ("print('%s %s' % (1,))", "the text has 2 places for values, and is given 1"),
        ("import json\nprint(json.dumps({'a': {1}}))", "a set cannot be written as JSON"),
        ("with 5:\n    pass", "an int cannot be used with `with`"),
        ("import queue\nqueue.Queue().push(1)", "a Queue has no attribute 'push'"),
        (
            "import pandas as pd\npd.DataFrame({'a': [1]})['a'].avg()",
            "a Series has no attribute 'avg'",
        ),
        (
            "import pandas as pd\npd.DataFrame({'a': [1]}).sort_values('a', reverse=True)",
            "sort_values() has no parameter 'reverse'",
        ),
        (
            "import numpy as np\nnp.linalg.invert([[1]])",
            "the module 'numpy.linalg' has no 'invert'",
        ),
    ] {
        let (message, _) = one(source);
        assert!(message.contains(words), "{source}: {message}");
    }
}
