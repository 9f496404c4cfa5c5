// expect: raised ImportError: lodash
// hint: Packages are not available
import _ from "lodash";
_.map([], x => x)
