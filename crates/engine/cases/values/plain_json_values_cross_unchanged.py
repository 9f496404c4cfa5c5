# expect: value {"none": null, "yes": true, "no": false, "int": -7, "float": 2.5, "text": "a\"b\\c\n", "list": [1, [2, []]], "empty": {}}
{"none": None, "yes": True, "no": False, "int": -7, "float": 2.5, "text": 'a"b\\c\n', "list": [1, [2, []]], "empty": {}}
