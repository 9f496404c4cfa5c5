# expect: raised NameError: temprature
# hint: temperature
temperature = 21
print(temprature)
