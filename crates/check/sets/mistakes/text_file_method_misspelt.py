# expect: certain-crash 5
import io

text = io.StringIO("a")
print(text.readl())
