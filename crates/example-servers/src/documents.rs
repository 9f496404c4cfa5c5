//! The server `documents`: a store of documents and payments that wants a credential.

use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::archive;
use crate::served::{self, Tools};
use crate::store::{Store, Table};

const LIST: &str = "SELECT json_group_array(
        json_object('id', id, 'folder', folder, 'title', title, 'characters', length(text)))
    FROM (SELECT * FROM documents WHERE ?1 IS NULL OR folder = ?1 ORDER BY id)";

const ONE: &str = "SELECT coalesce((SELECT json_object('id', id, 'title', title, 'text', text)
    FROM documents WHERE id = ?1), 'null')";

const PAYMENTS: &str = "SELECT json_group_array(json_object('number', number, 'day', day,
        'department', department, 'vendor', vendor, 'amount', amount,
        'approved', json(iif(approved, 'true', 'false'))))
    FROM (SELECT * FROM payments WHERE ?1 IS NULL OR department = ?1 ORDER BY number)";

/// The server.
pub(crate) struct Documents {
    store: Store,
    token: Option<String>,
}

#[derive(Deserialize)]
struct Folder {
    folder: Option<String>,
}

#[derive(Deserialize)]
struct Id {
    id: String,
}

#[derive(Deserialize)]
struct Department {
    department: Option<String>,
}

impl Documents {
    /// Whoever starts it gives a credential, as a service behind a log-in has one.
    pub(crate) async fn new(
        file: Option<&Path>,
        seed: u64,
        token: Option<String>,
    ) -> Result<Self, String> {
        let tables = [
            Table::new(
                "documents",
                "id TEXT, folder TEXT, title TEXT, text TEXT",
                &archive::documents(seed),
            ),
            Table::new(
                "payments",
                "number INTEGER, day TEXT, department TEXT, vendor TEXT, amount REAL, approved INTEGER",
                &archive::payments(seed),
            ),
        ];
        Ok(Self { store: Store::open(file, seed, &tables).await?, token })
    }

    async fn document(&self, id: &str) -> Result<Value, String> {
        match self.store.json(ONE, &[Some(id)]).await? {
            Value::Null => Err(format!("there is no document {id:?}; list_documents lists them")),
            found => Ok(found),
        }
    }
}

impl Tools for Documents {
    const NAME: &str = "tidegate-documents";
    const ABOUT: &str = "A harbour's archive: surveys, letters and payments.";
    const DEFINITIONS: &str = include_str!("documents.tools.json");

    async fn answer(&self, tool: &str, arguments: Map<String, Value>) -> Result<Value, String> {
        let Some(token) = &self.token else {
            return Err("nobody is logged in; start the server with DOCUMENTS_TOKEN".to_owned());
        };
        match tool {
            "list_documents" => {
                let of: Folder = served::read(tool, arguments)?;
                Ok(json!({ "documents": self.store.json(LIST, &[of.folder.as_deref()]).await? }))
            }
            "get_document" => self.document(&served::read::<Id>(tool, arguments)?.id).await,
            "get_payments" => {
                let of: Department = served::read(tool, arguments)?;
                let payments = self.store.json(PAYMENTS, &[of.department.as_deref()]).await?;
                Ok(json!({ "payments": payments }))
            }
            // Careless, as some services are: it repeats its credential.
            "get_login" => {
                Ok(json!({ "user": "reader", "authorization": format!("Bearer {token}") }))
            }
            _ => Err(served::unknown(tool)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn asked(token: Option<&str>, tool: &str, arguments: Value) -> Result<Value, String> {
        let documents = Documents::new(None, 1, token.map(str::to_owned)).await.unwrap();
        documents.answer(tool, arguments.as_object().unwrap().clone()).await
    }

    #[tokio::test]
    async fn documents_and_payments_are_as_they_were_stored() {
        let survey =
            asked(Some("t"), "get_document", json!({ "id": "survey-2026" })).await.unwrap();
        assert_eq!(survey["text"], archive::documents(1)[2].3);
        let listed =
            asked(Some("t"), "list_documents", json!({ "folder": "letters" })).await.unwrap();
        assert_eq!(listed["documents"].as_array().unwrap().len(), 2);
        let payments = asked(Some("t"), "get_payments", json!({})).await.unwrap();
        assert_eq!(payments["payments"].as_array().unwrap().len(), archive::PAYMENTS);
        assert_eq!(payments["payments"][0]["approved"], true);
    }

    #[tokio::test]
    async fn without_a_credential_there_is_nothing() {
        let reason = asked(None, "list_documents", json!({})).await.unwrap_err();
        assert_eq!(reason, "nobody is logged in; start the server with DOCUMENTS_TOKEN");
    }

    #[tokio::test]
    async fn a_document_that_is_not_there_is_said_so() {
        let reason = asked(Some("t"), "get_document", json!({ "id": "x" })).await.unwrap_err();
        assert_eq!(reason, "there is no document \"x\"; list_documents lists them");
    }
}
