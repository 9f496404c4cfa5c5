//! The server `trading`: the shares of a market, their prices, and what accounts trade and hold.

use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::market::{self, Market};
use crate::served::{self, Tools};
use crate::store::{Store, Table};

const SHARES: &str =
    "SELECT json_group_array(json_object('symbol', symbol, 'name', name, 'sector', sector))
    FROM (SELECT * FROM shares ORDER BY symbol)";

const PRICES: &str = "SELECT json_group_array(
        json_object('date', date, 'symbol', symbol, 'close', close, 'volume', volume))
    FROM (SELECT * FROM prices
        WHERE (?1 IS NULL OR symbol IN (SELECT value FROM json_each(?1)))
            AND (?2 IS NULL OR date >= ?2) AND (?3 IS NULL OR date <= ?3)
        ORDER BY date, symbol)";

const TRADES: &str =
    "SELECT json_group_array(json_object('id', id, 'time', time, 'account', account,
        'symbol', symbol, 'side', side, 'quantity', quantity, 'price', price, 'fee', fee))
    FROM (SELECT * FROM trades
        WHERE (?1 IS NULL OR account = ?1) AND (?2 IS NULL OR symbol = ?2)
            AND (?3 IS NULL OR time >= ?3)
        ORDER BY id)";

/// What is left of the trades that were right.
const POSITIONS: &str = "SELECT json_group_array(json_object('account', account, 'symbol', symbol,
        'quantity', quantity, 'paid', round(paid, 2), 'close', close,
        'value', round(quantity * close, 2)))
    FROM (SELECT account, trades.symbol,
            sum(CASE side WHEN 'buy' THEN quantity ELSE -quantity END) AS quantity,
            sum(CASE side WHEN 'buy' THEN quantity ELSE -quantity END * price) AS paid, last.close
        FROM trades JOIN (SELECT symbol, close, max(date) FROM prices GROUP BY symbol) AS last
            ON last.symbol = trades.symbol
        WHERE quantity > 0 AND fee >= 0 AND (?1 IS NULL OR account = ?1)
        GROUP BY account, trades.symbol ORDER BY account, trades.symbol)";

/// The server.
pub(crate) struct Trading {
    store: Store,
}

#[derive(Deserialize)]
struct PricesOf {
    symbols: Option<Vec<String>>,
    start: Option<String>,
    end: Option<String>,
}

#[derive(Deserialize)]
struct TradesOf {
    account: Option<String>,
    symbol: Option<String>,
    since: Option<String>,
}

#[derive(Deserialize)]
struct Of {
    account: Option<String>,
}

impl Trading {
    pub(crate) async fn new(file: Option<&Path>, seed: u64) -> Result<Self, String> {
        let market = Market::new(seed);
        let tables = [
            Table::new("shares", "symbol TEXT, name TEXT, sector TEXT", &market::SHARES),
            Table::new(
                "prices",
                "date TEXT, symbol TEXT, close REAL, volume INTEGER",
                &market.prices(),
            ),
            Table::new(
                "trades",
                "id TEXT, time TEXT, account TEXT, symbol TEXT, side TEXT, quantity INTEGER, price REAL, fee REAL",
                &market.trades(),
            ),
        ];
        Ok(Self { store: Store::open(file, seed, &tables).await? })
    }

    async fn prices(&self, of: PricesOf) -> Result<Value, String> {
        let symbols = of.symbols.map(|symbols| json!(symbols).to_string());
        let known = |symbol: &&str| market::SHARES.iter().any(|share| share.0 == *symbol);
        let asked: Vec<String> = symbols
            .as_deref()
            .map(serde_json::from_str)
            .transpose()
            .unwrap_or_default()
            .unwrap_or_default();
        if let Some(symbol) = asked.iter().map(String::as_str).find(|symbol| !known(symbol)) {
            return Err(format!("there is no share {symbol:?}; get_shares lists them"));
        }
        let wanted = [symbols.as_deref(), of.start.as_deref(), of.end.as_deref()];
        Ok(json!({ "prices": self.store.json(PRICES, &wanted).await? }))
    }

    async fn trades(&self, of: &TradesOf) -> Result<Value, String> {
        known(of.account.as_deref())?;
        let wanted = [of.account.as_deref(), of.symbol.as_deref(), of.since.as_deref()];
        Ok(json!({ "trades": self.store.json(TRADES, &wanted).await? }))
    }

    async fn positions(&self, of: &Of) -> Result<Value, String> {
        known(of.account.as_deref())?;
        Ok(json!({ "positions": self.store.json(POSITIONS, &[of.account.as_deref()]).await? }))
    }
}

fn known(account: Option<&str>) -> Result<(), String> {
    match account.filter(|account| !market::ACCOUNTS.contains(account)) {
        None => Ok(()),
        Some(account) => Err(format!(
            "there is no account {account:?}; there are: {}",
            market::ACCOUNTS.join(", ")
        )),
    }
}

impl Tools for Trading {
    const NAME: &str = "tidegate-trading";
    const ABOUT: &str =
        "Shares, two years of their prices, and the trades and positions of accounts.";
    const DEFINITIONS: &str = include_str!("trading.tools.json");

    async fn answer(&self, tool: &str, arguments: Map<String, Value>) -> Result<Value, String> {
        match tool {
            "get_shares" => Ok(json!({ "shares": self.store.json(SHARES, &[]).await? })),
            "get_prices" => self.prices(served::read(tool, arguments)?).await,
            "get_trades" => self.trades(&served::read(tool, arguments)?).await,
            "get_positions" => self.positions(&served::read(tool, arguments)?).await,
            _ => Err(served::unknown(tool)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn asked(tool: &str, arguments: Value) -> Result<Value, String> {
        let trading = Trading::new(None, 1).await.unwrap();
        trading.answer(tool, arguments.as_object().unwrap().clone()).await
    }

    #[tokio::test]
    async fn every_tool_answers_with_rows_of_its_kind() {
        for (tool, key, count) in [
            ("get_shares", "shares", 12),
            ("get_prices", "prices", 6_048),
            ("get_trades", "trades", 10_000),
            ("get_positions", "positions", 96),
        ] {
            let answer = asked(tool, json!({})).await.unwrap();
            assert_eq!(answer[key].as_array().unwrap().len(), count, "{tool}");
        }
    }

    #[tokio::test]
    async fn a_position_is_what_its_trades_left() {
        let positions = asked("get_positions", json!({ "account": "A-1003" })).await.unwrap();
        let of = json!({ "account": "A-1003", "symbol": "FLOE" });
        let trades = asked("get_trades", of).await.unwrap();
        let rows = trades["trades"].as_array().unwrap().iter();
        let quantity: i64 = rows
            .filter(|row| row["fee"].as_f64().unwrap() >= 0.0)
            .map(|row| {
                row["quantity"].as_i64().unwrap() * if row["side"] == "buy" { 1 } else { -1 }
            })
            .sum();
        let position =
            positions["positions"].as_array().unwrap().iter().find(|row| row["symbol"] == "FLOE");
        assert_eq!(position.unwrap()["quantity"], quantity);
    }

    #[tokio::test]
    async fn what_is_asked_for_is_never_part_of_the_query() {
        let odd = json!({ "symbol": "FLOE' OR '1'='1" });
        assert_eq!(asked("get_trades", odd).await.unwrap(), json!({ "trades": [] }));
        let reason = asked("get_prices", json!({ "symbols": ["FLOE", "FLOW"] })).await.unwrap_err();
        assert_eq!(reason, "there is no share \"FLOW\"; get_shares lists them");
    }
}
