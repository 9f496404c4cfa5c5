# expect: raised GeneratorExit
raise GeneratorExit
