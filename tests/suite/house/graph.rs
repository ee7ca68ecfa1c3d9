//! Which file of `src/` takes names from which: read from the code's own `use`s and paths.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};
use syn::{Item, UseTree, Visibility};

/// A module as the names on the way to it from `src`: the first is its crate.
pub type Module = Vec<String>;

/// A file, its names and its imports.
#[derive(Default)]
struct Source {
    /// Where it is, from the root of the project.
    file: String,
    /// Names of its definitions, except modules.
    defines: BTreeSet<String>,
    /// Names that it re-exports: the name here, and the path that it stands for. The name `*` re-exports
    /// everything.
    hands_on: Vec<(String, Vec<String>)>,
    /// Paths that it takes names from, as written.
    asks: BTreeSet<Vec<String>>,
}

/// The import graph of all crates.
pub struct Graph {
    sources: BTreeMap<Module, Source>,
}

impl Graph {
    /// Reads all files under `root`; the paths in messages are relative to `base`.
    pub fn read(base: &Path, root: &Path) -> Self {
        let mut sources = BTreeMap::new();
        for path in rust_files(root) {
            let relative = path.strip_prefix(root).expect("it was found there");
            let mut module: Module =
                relative.with_extension("").iter().map(|part| part.to_string_lossy().into_owned()).collect();
            // The root file of a folder, of a crate and of the program is named by its folder.
            if matches!(module.last().map(String::as_str), Some("mod" | "lib")) {
                module.pop();
            }
            let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            let syntax = syn::parse_file(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            let file = path.strip_prefix(base).expect("it lies in the project").display().to_string();
            let mut reader = Reader { source: Source { file, ..Source::default() } };
            reader.visit_file(&syntax);
            sources.insert(module, reader.source);
        }
        Self { sources }
    }

    /// All arrows: a file, and the files that it takes names from.
    pub fn arrows(&self) -> BTreeMap<&str, BTreeSet<&str>> {
        let mut arrows = BTreeMap::new();
        for (module, source) in &self.sources {
            let to: &mut BTreeSet<&str> = arrows.entry(source.file.as_str()).or_default();
            for path in &source.asks {
                if let Some(target) = self.absolute(module, path).and_then(|path| self.owner(&path, 0))
                    && target != module
                {
                    to.insert(self.sources[target].file.as_str());
                }
            }
        }
        arrows
    }

    /// The crate that a module is part of: a folder of `src`, or the program and its library.
    fn crate_of(&self, module: &Module) -> Module {
        let root = module.get(..1).unwrap_or_default();
        let is_crate = self.sources.get(root).is_some_and(|it| it.file.ends_with("/lib.rs"));
        if is_crate { root.to_vec() } else { Module::new() }
    }

    /// The path from `src` that `path`, written in `module`, means; `None` for other crates.
    fn absolute(&self, module: &Module, path: &[String]) -> Option<Vec<String>> {
        let (mut at, mut rest) = match path.first()?.as_str() {
            "cubicle" => (Vec::new(), &path[1..]),
            "crate" => (self.crate_of(module), &path[1..]),
            first if first.starts_with("cubicle_") => {
                (vec![first["cubicle_".len()..].to_owned()], &path[1..])
            }
            "self" => (module.clone(), &path[1..]),
            "super" => (module.clone(), path),
            first => {
                let child: Module = module.iter().cloned().chain([first.to_owned()]).collect();
                if !self.sources.contains_key(&child) {
                    return None;
                }
                (module.clone(), path)
            }
        };
        while rest.first().is_some_and(|part| part == "super") {
            at.pop();
            rest = &rest[1..];
        }
        at.extend(rest.iter().cloned());
        Some(at)
    }

    /// The module that defines the target of an absolute path, through re-exports.
    fn owner(&self, path: &[String], hops: usize) -> Option<&Module> {
        let length = (0..=path.len()).rev().find(|&n| self.sources.contains_key(&path[..n]))?;
        let (module, source) = self.sources.get_key_value(&path[..length]).expect("just found");
        let Some(name) = path.get(length) else { return Some(module) };
        if source.defines.contains(name) || hops > 8 {
            return Some(module);
        }
        for (shown, to) in &source.hands_on {
            let mut target = match self.absolute(module, to) {
                Some(target) if shown == name || shown == "*" => target,
                _ => continue,
            };
            if shown == "*" {
                target.push(name.clone());
            }
            if let Some(owner) = self.owner(&target, hops + 1)
                && (shown == name || self.sources[owner].defines.contains(name))
            {
                return Some(owner);
            }
        }
        Some(module)
    }
}

/// All `.rs` files below a folder that belong to the program, in order.
pub fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
        let path = entry.expect("an entry of the folder").path();
        let tests = path.file_stem().is_some_and(|name| name == "tests");
        if path.is_dir() && !tests {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|e| e == "rs") && !tests {
            files.push(path);
        }
    }
    files.sort();
    files
}

/// Collects the definitions and imports of a file.
struct Reader {
    source: Source,
}

impl Reader {
    fn take(&mut self, tree: &UseTree, prefix: &[String], public: bool) {
        let with = |name: String| prefix.iter().cloned().chain([name]).collect::<Vec<_>>();
        match tree {
            UseTree::Path(path) => self.take(&path.tree, &with(path.ident.to_string()), public),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.take(tree, prefix, public)),
            UseTree::Name(name) => {
                let name = name.ident.to_string();
                let (shown, path) = if name == "self" {
                    (prefix.last().cloned().unwrap_or_default(), prefix.to_vec())
                } else {
                    (name.clone(), with(name))
                };
                self.note(shown, path, public);
            }
            UseTree::Rename(rename) => {
                let path = with(rename.ident.to_string());
                self.note(rename.rename.to_string(), path, public);
            }
            UseTree::Glob(_) => self.note("*".to_owned(), prefix.to_vec(), public),
        }
    }

    /// A re-export is not a dependency of this file: an importer of the name depends on the definition directly.
    fn note(&mut self, shown: String, path: Vec<String>, public: bool) {
        if public {
            self.source.hands_on.push((shown, path));
        } else {
            self.source.asks.insert(path);
        }
    }

    fn define(&mut self, name: &syn::Ident) {
        self.source.defines.insert(name.to_string());
    }
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            // Unit tests may import anything.
            Item::Mod(inner) if inner.attrs.iter().any(is_test) => return,
            Item::Use(item) => {
                if !item.attrs.iter().any(is_test) {
                    self.take(&item.tree, &[], !matches!(item.vis, Visibility::Inherited));
                }
                return;
            }
            Item::Const(item) => self.define(&item.ident),
            Item::Enum(item) => self.define(&item.ident),
            Item::Fn(item) => self.define(&item.sig.ident),
            Item::Static(item) => self.define(&item.ident),
            Item::Struct(item) => self.define(&item.ident),
            Item::Trait(item) => self.define(&item.ident),
            Item::Type(item) => self.define(&item.ident),
            _ => {}
        }
        visit::visit_item(self, item);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.segments.len() > 1 {
            self.source.asks.insert(path.segments.iter().map(|s| s.ident.to_string()).collect());
        }
        visit::visit_path(self, path);
    }
}

fn is_test(attribute: &syn::Attribute) -> bool {
    attribute.path().is_ident("cfg")
        && attribute.parse_args::<syn::Ident>().is_ok_and(|condition| condition == "test")
}
