// expect: raised TypeError: of undefined
// hint: `order.shipping` is undefined here.
const order: any = "text outside";
function days(order: any) {
  return order.shipping.days;
}
days({ id: 1 + order.length })
