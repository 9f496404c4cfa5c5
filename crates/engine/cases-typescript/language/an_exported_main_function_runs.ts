// expect: value "main ran"
// freeze: true
export default async function main(): Promise<string> {
  await call("later", {});
  return "main ran";
}
