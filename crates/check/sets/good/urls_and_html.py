import html
from urllib.parse import parse_qs, urlencode, urlparse

address = "https://example.org/a?x=1&y=2#z"
parts = urlparse(address)
query = {key: values[0] for key, values in parse_qs(parts.query).items()}
[parts.netloc, query, urlencode({"q": "a b"}), html.escape("<b>")]
