//! Skills: functions that programs keep and import, and packs of them.

use axum::Json;
use axum::extract::State;
use gateway::skillset::{Draft, Rehearsed, SkillView};
use http::{HeaderMap, StatusCode};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use utoipa::ToSchema;

use super::Door;
use super::access::{Follower, Runner};
use super::given::{At, Body, Fields, Parameters};
use super::problem::{ErrorBody, Problem};

/// Skills of one answer.
const MOST: u32 = 1000;

/// Skills that the caller sees.
#[derive(Serialize, ToSchema)]
#[schema(as = Skills)]
pub(crate) struct AllShown {
    /// The best first; by name where no words are given.
    skills: Vec<Shown>,
}

/// A skill.
#[derive(Serialize, ToSchema)]
#[schema(as = Skill)]
pub(crate) struct Shown {
    /// What programs import.
    name: String,
    /// Which of its versions this is.
    version: u32,
    /// The versions there are.
    versions: Vec<u32>,
    /// How it is called.
    signature: String,
    /// What it does.
    description: String,
    /// How a program gets it.
    import: String,
    /// Who sees it: `own`, `team:NAME` or `global`.
    scope: String,
    /// The tools it calls.
    tools: Vec<UsedShown>,
    /// How many examples run before it is saved.
    examples: usize,
    /// Programs that called this version.
    uses: u64,
    /// When one last did, in seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_used: Option<u64>,
    /// Who saved it, or the pack it came in.
    author: String,
    /// When, in seconds since 1970.
    saved: u64,
    /// Why it may no longer do what it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    stale: Option<String>,
}

/// A tool that a skill calls.
#[derive(Serialize, ToSchema)]
#[schema(as = SkillTool)]
pub(crate) struct UsedShown {
    /// The tool, as `server.tool`.
    tool: String,
    /// What its definition was when the skill was saved.
    #[serde(skip_serializing_if = "Option::is_none")]
    fingerprint: Option<String>,
}

/// A skill, and all of it.
#[derive(Serialize, ToSchema)]
#[schema(as = WholeSkill)]
pub(crate) struct WholeShown {
    /// What is said of it.
    skill: Shown,
    /// Its source.
    source: String,
    /// Its examples, with what the tools answered.
    #[schema(value_type = Vec<ExampleGiven>)]
    examples: Value,
}

/// One call of a skill, and what comes out.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = SkillExample)]
#[expect(dead_code, reason = "says in the API's description what is read by name")]
pub(crate) struct ExampleGiven {
    /// What the function is called with.
    #[schema(value_type = Option<Object>)]
    arguments: Option<Value>,
    /// What its tools answer, each with `tool`, `arguments`, and `result` or `error`; tools that only
    /// read are asked once where nothing is said.
    #[schema(value_type = Option<Vec<Object>>)]
    results: Option<Value>,
    /// What comes out; recorded where nothing is said.
    #[schema(value_type = Option<Value>)]
    expect: Option<Value>,
}

/// A function that is to be kept.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = SkillDraft)]
#[expect(dead_code, reason = "says in the API's description what is read by name")]
pub(crate) struct DraftGiven {
    /// What programs import.
    #[schema(pattern = "^[a-z][a-z0-9_]*$", max_length = 64, example = "double")]
    name: String,
    /// The source that defines a function of that name.
    #[schema(
        min_length = 1,
        max_length = 65536,
        example = "def double(number: float) -> float:\n    return 2 * number\n"
    )]
    source: String,
    /// What it does; the function's own words where nothing is said.
    #[schema(example = "Twice a number.")]
    description: Option<String>,
    /// Calls whose results are known.
    #[schema(max_items = 20)]
    examples: Option<Vec<ExampleGiven>>,
    /// Who sees it: `own`, `team:NAME` or `global`, which only an admin may say.
    #[schema(pattern = "^(own|global|team:.+)?$")]
    scope: Option<String>,
}

/// What became of a skill's examples.
#[derive(Serialize, ToSchema)]
#[schema(as = SkillTested)]
pub(crate) struct TestedShown {
    /// How many there are.
    examples: usize,
    /// Whether all came out as they should.
    passed: bool,
    /// Why it may no longer do what it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    stale: Option<String>,
}

/// Where a pack is to go.
#[derive(ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PackInstall)]
#[expect(dead_code, reason = "says in the API's description what is read by name")]
pub(crate) struct InstallGiven {
    /// Who sees its skills: `own`, `team:NAME` or `global`, which only an admin may say.
    #[schema(pattern = "^(own|global|team:.+)?$")]
    scope: Option<String>,
}

/// What was installed.
#[derive(Serialize, ToSchema)]
#[schema(as = PackInstalled)]
pub(crate) struct InstalledShown {
    /// The pack.
    pack: String,
    /// Its version.
    version: String,
    /// Its skills, as they are here now.
    skills: Vec<Shown>,
}

/// Packs that can be installed.
#[derive(Serialize, ToSchema)]
#[schema(as = Packs)]
pub(crate) struct PacksShown {
    /// In the order in which they were published.
    packs: Vec<PackShown>,
}

/// A pack in an index.
#[derive(Serialize, ToSchema)]
#[schema(as = Pack)]
pub(crate) struct PackShown {
    /// What it is called.
    name: String,
    /// Which edition.
    version: String,
    /// What it is for.
    description: String,
    /// The key that signed it.
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    /// Its skills.
    skills: Vec<String>,
    /// The tools that they call.
    tools: Vec<String>,
}

/// The number that no version exceeds.
const MOST_VERSION: u32 = 1_000_000_000;

/// Lists skills, or finds some by a few words.
#[utoipa::path(
    get, path = "/api/v1/skills", tag = "skills",
    params(
        ("query" = Option<String>, Query, description = "A few words; all skills if it is empty."),
        ("limit" = Option<u32>, Query, description = "How many at most; 100 if nothing is said.", minimum = 1, maximum = 1000),
    ),
    responses(
        (status = 200, description = "The skills.", body = AllShown),
        (status = 422, description = "There are no skills here: `skill_refused`.", body = ErrorBody),
    )
)]
pub(crate) async fn list(
    State(door): State<Door>,
    Follower(caller): Follower,
    mut query: Parameters,
) -> Result<Json<AllShown>, Problem> {
    let words = query.take::<String>("query")?.unwrap_or_default();
    let limit = query.limit(100, MOST)? as usize;
    query.end()?;
    let skills = door.shared.service.skills(&caller, &words, limit)?;
    Ok(Json(AllShown { skills: skills.into_iter().map(Shown::from).collect() }))
}

/// Which version of a skill is meant.
fn version(query: &mut Parameters) -> Result<Option<u32>, Problem> {
    let version = query.take::<u32>("version")?;
    if version.is_some_and(|version| !(1..=MOST_VERSION).contains(&version)) {
        return Err(Problem::invalid(format!("`version` must be from 1 to {MOST_VERSION}")));
    }
    Ok(version)
}

/// All about one skill.
#[utoipa::path(
    get, path = "/api/v1/skills/{name}", tag = "skills",
    params(
        ("name" = String, Path, description = "The skill.", min_length = 1),
        ("version" = Option<u32>, Query, description = "Which version; the newest if nothing is said.", minimum = 1, maximum = 1_000_000_000),
    ),
    responses(
        (status = 200, description = "The skill.", body = WholeShown),
        (status = 404, description = "There is no such skill: `unknown_skill`.", body = ErrorBody),
        (status = 422, description = "There are no skills here, or what is kept of it cannot be read: `skill_refused`.", body = ErrorBody),
    )
)]
pub(crate) async fn one(
    State(door): State<Door>,
    Follower(caller): Follower,
    At(name): At<String>,
    mut query: Parameters,
) -> Result<Json<WholeShown>, Problem> {
    let version = version(&mut query)?;
    query.end()?;
    let (view, skill) = door.shared.service.skill(&caller, &name, version)?;
    let examples = serde_json::to_value(&skill.examples).unwrap_or_default();
    Ok(Json(WholeShown { skill: view.into(), source: skill.source, examples }))
}

/// Saves a skill, once its examples have run.
#[utoipa::path(
    post, path = "/api/v1/skills", tag = "skills",
    request_body = DraftGiven,
    responses(
        (status = 201, description = "It is saved.", body = Shown),
        (status = 422, description = "It was not saved, and why: `skill_refused`; or not where this caller may: `invalid_request`.", body = ErrorBody),
        (status = 429, description = "Too many wait: `too_many_requests`.", body = ErrorBody),
    )
)]
pub(crate) async fn save(
    State(door): State<Door>,
    Runner(caller): Runner,
    headers: HeaderMap,
    Body(body): Body,
) -> Result<(StatusCode, Json<Shown>), Problem> {
    let mut fields = Fields::read(&headers, &body)?;
    let examples = fields.take::<Value>("examples")?.unwrap_or_default();
    let draft = Draft {
        name: fields.need("name")?,
        source: fields.need("source")?,
        description: fields.take("description")?,
        examples: examples_in(examples)?,
        scope: fields.take("scope")?,
    };
    fields.end()?;
    let saved = door.shared.service.save_skill(&caller, draft).await?;
    Ok((StatusCode::CREATED, Json(saved.into())))
}

/// Examples as they are tried. What the API's description leaves open is told as what is refused.
fn examples_in<T: Default + DeserializeOwned>(given: Value) -> Result<T, Problem> {
    if given.is_null() {
        return Ok(T::default());
    }
    serde_json::from_value(given).map_err(|error| {
        let message = format!("`examples`: {error}");
        Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "skill_refused", message)
    })
}

/// Takes a skill away, with all its versions.
#[utoipa::path(
    delete, path = "/api/v1/skills/{name}", tag = "skills",
    params(
        ("name" = String, Path, description = "The skill.", min_length = 1),
        ("scope" = Option<String>, Query, description = "Whose: `own`, `team:NAME` or `global`, which only an admin may say.", pattern = "^(own|global|team:.+)?$"),
    ),
    responses(
        (status = 204, description = "It is gone."),
        (status = 404, description = "There is no such skill: `unknown_skill`.", body = ErrorBody),
        (status = 422, description = "It cannot be taken away: `skill_refused`; or not by this caller: `invalid_request`.", body = ErrorBody),
    )
)]
pub(crate) async fn remove(
    State(door): State<Door>,
    Runner(caller): Runner,
    At(name): At<String>,
    mut query: Parameters,
) -> Result<StatusCode, Problem> {
    let scope = query.take::<String>("scope")?.unwrap_or_default();
    query.end()?;
    door.shared.service.remove_skill(&caller, &name, &scope)?;
    Ok(StatusCode::NO_CONTENT)
}

/// Runs the examples of a skill again, with what was recorded.
#[utoipa::path(
    post, path = "/api/v1/skills/{name}/test", tag = "skills",
    params(
        ("name" = String, Path, description = "The skill.", min_length = 1),
        ("version" = Option<u32>, Query, description = "Which version; the newest if nothing is said.", minimum = 1, maximum = 1_000_000_000),
    ),
    responses(
        (status = 200, description = "What came of them.", body = TestedShown),
        (status = 404, description = "There is no such skill: `unknown_skill`.", body = ErrorBody),
        (status = 422, description = "There are no skills here, or what is kept of it cannot be read: `skill_refused`.", body = ErrorBody),
        (status = 429, description = "Too many wait: `too_many_requests`.", body = ErrorBody),
    )
)]
pub(crate) async fn test(
    State(door): State<Door>,
    Runner(caller): Runner,
    At(name): At<String>,
    mut query: Parameters,
    headers: HeaderMap,
    Body(body): Body,
) -> Result<Json<TestedShown>, Problem> {
    let version = version(&mut query)?;
    query.end()?;
    Fields::none(&headers, &body)?;
    let Rehearsed { examples, failure, stale } =
        door.shared.service.test_skill(&caller, &name, version).await?;
    Ok(Json(TestedShown { examples, passed: failure.is_none(), stale }))
}

/// Lists the packs of the indexes that the operator named.
#[utoipa::path(
    get, path = "/api/v1/packs", tag = "skills",
    responses(
        (status = 200, description = "The packs.", body = PacksShown),
        (status = 422, description = "An index cannot be read: `skill_refused`.", body = ErrorBody),
    )
)]
pub(crate) async fn packs(
    State(door): State<Door>,
    _: Follower,
    query: Parameters,
) -> Result<Json<PacksShown>, Problem> {
    query.end()?;
    let packs = door.shared.service.packs().await?;
    let packs = packs.into_iter().map(|listed| PackShown {
        name: listed.name.to_string(),
        version: listed.version,
        description: listed.description,
        key: listed.key.map(|key| key.to_string()),
        skills: listed.skills.iter().map(ToString::to_string).collect(),
        tools: listed.tools.into_iter().collect(),
    });
    Ok(Json(PacksShown { packs: packs.collect() }))
}

/// Installs a pack of an index that the operator named, if somebody signed it whom the operator trusts.
#[utoipa::path(
    post, path = "/api/v1/packs/{name}/install", tag = "skills",
    params(("name" = String, Path, description = "The pack, or a skill in it.", min_length = 1)),
    request_body(content = Option<InstallGiven>),
    responses(
        (status = 201, description = "It is installed.", body = InstalledShown),
        (status = 422, description = "It was not installed, and why: `skill_refused`; or not where this caller may: `invalid_request`.", body = ErrorBody),
        (status = 429, description = "Too many wait: `too_many_requests`.", body = ErrorBody),
    )
)]
pub(crate) async fn install(
    State(door): State<Door>,
    Runner(caller): Runner,
    At(name): At<String>,
    headers: HeaderMap,
    Body(body): Body,
) -> Result<(StatusCode, Json<InstalledShown>), Problem> {
    let mut fields = Fields::read(&headers, &body)?;
    let scope = fields.take::<String>("scope")?.unwrap_or_default();
    fields.end()?;
    let installed = door.shared.service.install_pack(&caller, (&name, &scope)).await?;
    let skills = installed.skills.into_iter().map(Shown::from).collect();
    let shown = InstalledShown { pack: installed.pack, version: installed.version, skills };
    Ok((StatusCode::CREATED, Json(shown)))
}

impl From<SkillView> for Shown {
    fn from(view: SkillView) -> Self {
        let tools = view.tools.into_iter();
        let tools = tools.map(|used| UsedShown { tool: used.tool, fingerprint: used.fingerprint });
        Self {
            name: view.name,
            version: view.version,
            versions: view.versions,
            signature: view.signature,
            description: view.description,
            import: view.import,
            scope: view.scope,
            tools: tools.collect(),
            examples: view.examples,
            uses: view.uses,
            last_used: view.last_used,
            author: view.author,
            saved: view.saved,
            stale: view.stale,
        }
    }
}
