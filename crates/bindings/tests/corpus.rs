//! Every tool of every server in the corpus, judged by the languages' own compilers.

mod support;

use std::collections::HashSet;
use std::sync::Arc;

use catalog::Catalog;

fn corpus() -> Catalog {
    Catalog::new(catalog::corpus::listings().into_iter().map(Arc::new).collect())
}

#[test]
fn every_python_module_imports_and_its_annotations_mean_something() {
    assert_eq!(support::python_complaints(&corpus()), "");
}

#[test]
fn every_typescript_file_passes_the_strict_compiler() {
    assert_eq!(support::typescript_complaints(&corpus()), "");
}

#[test]
fn the_same_catalog_gives_the_same_bytes() {
    let generate = || -> Vec<_> {
        let catalog = corpus();
        let python = catalog.servers().flat_map(bindings::python_server);
        let typescript = catalog.servers().flat_map(bindings::typescript_server);
        python.chain(typescript).chain([bindings::readme(&catalog)]).collect()
    };
    assert!(generate() == generate());
}

#[test]
fn no_path_leaves_its_folder_or_is_given_twice() {
    let catalog = corpus();
    for language in [bindings::python_server, bindings::typescript_server] {
        let mut paths = HashSet::new();
        for file in catalog.servers().flat_map(language) {
            assert!(
                file.path.split('/').count() == 2 && !file.path.contains(".."),
                "{}",
                file.path
            );
            assert!(paths.insert(file.path.clone()), "{}", file.path);
        }
    }
}

#[test]
fn signatures_are_one_line() {
    let catalog = corpus();
    for tool in catalog.tools() {
        let signature = bindings::signature(tool);
        assert!(signature.starts_with("async def ") && !signature.contains('\n'), "{signature}");
    }
}
