# expect: certain-crash 6
import io

out = io.StringIO()
out.write("a")
print(out.get_value())
