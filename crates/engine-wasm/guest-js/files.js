// Files: the workspace, which programs write to, and what the host shows beside it.

const CODES = {
  __proto__: null,
  2: ["EACCES", "it may not be used so"],
  20: ["EEXIST", "it exists already"],
  22: ["EFBIG", "it would be larger than a file may be (setting `file-bytes`)"],
  31: ["EISDIR", "it is a folder"],
  37: ["ENAMETOOLONG", "a name in it is too long"],
  33: ["EMFILE", "too many files are open"],
  44: ["ENOENT", "there is no such file or folder"],
  51: ["ENOSPC", "the workspace is full (settings `workspace-bytes` and `files`)"],
  54: ["ENOTDIR", "a part of it is a file, not a folder"],
  55: ["ENOTEMPTY", "the folder is not empty"],
  19: ["EDQUOT", "the workspace is full (settings `workspace-bytes` and `files`)"],
  63: ["EPERM", "it cannot be changed"],
  69: ["EROFS", "it can only be read"],
  76: ["EPERM", "it leads out of the folders there are"],
};

function refusal(code, what, path) {
  const [name, words] = CODES[code] ?? ["EIO", `error ${code}`];
  return new FileError(`${what}(${quoted(path)}): ${words}`, name, path);
}

/** A path as the host knows it: `servers/…` and the like are at the root, everything else where programs work. */
function pathOf(path) {
  const text = String(path instanceof URLClass ? path.pathname : path).trim();
  const relative = text.replace(/^(?:file:\/\/)?(?:\.\/)*/, "");
  const parts = [];
  const absolute = relative.startsWith("/");
  for (const part of relative.split("/")) {
    if (part === "" || part === ".") {
      continue;
    }
    if (part === ".." && parts.length > 0 && parts.at(-1) !== "..") {
      parts.pop();
    } else {
      parts.push(part);
    }
  }
  const first = parts[0];
  if (!absolute && first !== "servers" && first !== "skills" && first !== "results" && first !== "workspace") {
    parts.unshift("workspace");
  }
  return `/${parts.join("/")}`;
}

const letters = name => name.replace(/\.(?:py|ts|js)$/, "").toLowerCase().replace(/[^a-z0-9]/g, "");

/** A path below /servers as it is written there: `my-server/createIssue.js` may be `my_server/create_issue.ts`. */
function asSpelt(path) {
  if (!path.startsWith("/servers/") || typeof host.stat(path) !== "number") {
    return path;
  }
  let found = "/servers";
  for (const part of path.slice("/servers/".length).split("/")) {
    const listed = host.list(found);
    const wanted = letters(part);
    const names = typeof listed === "number" ? [] : parse(listed).filter(name => letters(name.replace(/\/$/, "")) === wanted);
    // The same server may have a folder for each language.
    const isOurs = name => name.endsWith(".ts") || (name.endsWith("/") && host.stat(`${found}/${name}index.ts`) === "f");
    const ours = names.length > 1 ? names.filter(isOurs) : names;
    const isFolder = ours.length > 0 && ours.every(name => name.endsWith("/"));
    if (ours.length !== 1 && !isFolder) {
      return path;
    }
    found += `/${ours[0].replace(/\/$/, "")}`;
  }
  return found;
}

/** The text of a file: "servers/github/createIssue.ts", or one of the workspace. */
function readFile(path, options) {
  if (options === null || (typeof options === "object" && options.encoding === null)) {
    return readBytes(path);
  }
  const text = host.readText(asSpelt(pathOf(path)));
  if (typeof text === "number") {
    throw advised(refusal(text, "readFile", String(path)), text, path);
  }
  return text;
}

/** The bytes of a file. */
function readBytes(path) {
  const bytes = host.read(asSpelt(pathOf(path)));
  if (typeof bytes === "number") {
    throw advised(refusal(bytes, "readBytes", String(path)), bytes, path);
  }
  return bytes;
}

function advised(error, code, path) {
  const folder = String(path).replace(/[^/]*$/, "") || "./";
  error.tidegateHint = code === 31 ? `listDirectory(${quoted(String(path))}) lists it.` : `listDirectory(${quoted(folder)}) lists what there is.`;
  return error;
}

/** Writes text, or bytes, to a file of the workspace and returns its path. Folders on the way are made. */
function writeFile(path, content, append = false) {
  const place = pathOf(path);
  let code;
  if (isView(content) || content instanceof ArrayBuffer) {
    const bytes = content instanceof ArrayBuffer ? new Uint8Array(content) : bytesOf(content);
    code = host.write(place, textOf(bytes), append ? "ab" : "wb");
  } else {
    const text = typeof content === "string" ? content : content === undefined ? "" : encode(content)[0];
    code = host.write(place, toWellFormed(text), append ? "at" : "wt");
  }
  if (code !== 0) {
    throw refusal(code, append ? "appendFile" : "writeFile", String(path));
  }
  return place;
}

/** Adds to the end of a file. */
function appendFile(path, content) {
  return writeFile(path, content, true);
}

/** The names in a folder, those of folders with a slash: "servers/", "servers/github/", "." */
function listDirectory(path = "servers/") {
  const listed = host.list(asSpelt(pathOf(path)));
  if (typeof listed === "number") {
    throw advised(refusal(listed, "listDirectory", String(path)), listed, path);
  }
  return parse(listed);
}

/** Whether there is a file or folder. */
function fileExists(path) {
  return typeof host.stat(pathOf(path)) !== "number";
}

/** Removes a file, or an empty folder. */
function removeFile(path) {
  const code = host.remove(pathOf(path));
  if (code !== 0) {
    throw refusal(code, "removeFile", String(path));
  }
}

/** Makes a folder, and those on the way. */
function makeDirectory(path) {
  const code = host.makeFolder(pathOf(path));
  if (code !== 0) {
    throw refusal(code, "makeDirectory", String(path));
  }
}

const FILES = { readFile, readBytes, writeFile, appendFile, listDirectory, fileExists, removeFile, makeDirectory };
const workspace = {
  read: readFile,
  readBytes,
  write: (path, content) => writeFile(path, content),
  append: appendFile,
  list: (path = ".") => listDirectory(path),
  exists: fileExists,
  remove: removeFile,
};
