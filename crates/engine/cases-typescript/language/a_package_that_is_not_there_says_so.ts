// expect: raised ImportError: left-pad
// hint: Packages are not available
import pad from "left-pad";
pad("a", 2)
