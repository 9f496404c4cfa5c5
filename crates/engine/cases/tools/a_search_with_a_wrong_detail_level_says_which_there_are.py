# expect: raised ValueError: search_tools(): detail_level is one of 'name_only', 'with_description', 'full', not 'everything'
# servers: demo
search_tools("lamps", detail_level="everything")
