//! Words without their endings, so that `creates`, `created` and `creating` are one.
//!
//! A few rules for English, no more: the longer lists of the well-known stemmers also make one of
//! `organ` and `organization`, and measured no better here.

/// Words that only look like the plural of another.
const KEPT: [&str; 4] = ["news", "series", "species", "always"];

/// What is compared in place of `word`, which is in lower case.
pub(super) fn stem(word: &str) -> String {
    if word.len() <= 3
        || !word.bytes().all(|byte| byte.is_ascii_lowercase())
        || KEPT.contains(&word)
    {
        return word.to_owned();
    }
    let mut stem = singular(word);
    for ending in ["ing", "ed"] {
        if let Some(rest) = stem.strip_suffix(ending)
            && rest.len() >= 3
            && rest.bytes().any(|byte| b"aeiouy".contains(&byte))
        {
            stem = undoubled(rest).to_owned();
            break;
        }
    }
    if stem.len() > 3 && stem.ends_with('e') {
        stem.pop();
    }
    if stem.len() > 3 && stem.ends_with('y') {
        stem.pop();
        stem.push('i');
    }
    stem
}

fn singular(word: &str) -> String {
    if let Some(rest) = word.strip_suffix("ies")
        && rest.len() > 1
    {
        return format!("{rest}y");
    }
    let cut = if ["sses", "xes", "ches", "shes", "zes"].iter().any(|ending| word.ends_with(ending))
    {
        2
    } else {
        let kept = ["ss", "us", "is"].iter().any(|ending| word.ends_with(ending));
        usize::from(word.ends_with('s') && !kept)
    };
    word[..word.len() - cut].to_owned()
}

/// `stopp` is `stop`, but `call` and `pass` stay.
fn undoubled(word: &str) -> &str {
    match word.as_bytes() {
        [.., one, other] if one == other && word.len() > 3 && !b"lsz".contains(one) => {
            &word[..word.len() - 1]
        }
        _ => word,
    }
}

#[cfg(test)]
mod tests {
    use super::stem;

    #[test]
    fn forms_of_a_word_have_one_stem() {
        for forms in [
            &["create", "creates", "created", "creating"][..],
            &["query", "queries", "querying"],
            &["stop", "stops", "stopped", "stopping"],
            &["call", "calls", "calling", "called"],
            &["box", "boxes"],
            &["search", "searches", "searching"],
            &["class", "classes"],
        ] {
            for form in forms {
                assert_eq!(stem(form), stem(forms[0]), "{form}");
            }
        }
    }

    #[test]
    fn words_that_only_look_alike_stay_apart() {
        for (one, other) in [("news", "new"), ("status", "statu"), ("string", "str"), ("bus", "bu")]
        {
            assert_ne!(stem(one), stem(other));
        }
    }
}
