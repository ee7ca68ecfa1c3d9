//! The text of the page: its contents, and that nothing from outside can become a part of it.

use sha2::{Digest, Sha256};

use super::{SCRIPT, SCRIPT_HASH, STYLE, STYLE_HASH, mutation_page, run_page};
use crate::document::{Document, Head, MutationDocument};
use cubicle_backward::engine;
use cubicle_check::Checker;
use cubicle_lang::diagnostic::Source;
use cubicle_lang::load::ModelSource;
use cubicle_lang::model::System;
use cubicle_run::{
    Event, GraphDetail, GraphFate, GraphNode, GraphOrigin, GraphStep, Interrupt, Observer, Options,
    SearchGraph, Strategy,
};
use cubicle_tools::mutation::{self, MutantSelection, MutationOptions, Plan};

/// Base 64 with padding.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let bits =
            chunk.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for digit in 0..4 {
            let at = (bits >> (18 - 6 * digit) & 63) as usize;
            out.push(if digit <= chunk.len() { char::from(DIGITS[at]) } else { '=' });
        }
    }
    out
}

#[test]
fn the_policy_has_the_hashes_of_script_and_style() {
    assert_eq!(base64(b"Man"), "TWFu");
    assert_eq!(base64(b"Ma"), "TWE=");
    for (what, text, hash) in [("SCRIPT_HASH", SCRIPT, SCRIPT_HASH), ("STYLE_HASH", STYLE, STYLE_HASH)] {
        assert_eq!(base64(&Sha256::digest(text.as_bytes())), hash, "{what} has to be the first of these");
        assert!(!text.contains("</"), "{what}: nothing may end the element");
    }
}

#[derive(Default)]
struct Collector(SearchGraph);

impl Observer for Collector {
    fn event(&mut self, _system: &System, event: Event) {
        if let Event::Graph(step) = event {
            self.0.note(&step);
        }
    }

    fn graph_detail(&self) -> GraphDetail {
        GraphDetail::Visited
    }
}

const LOCK: &str = "(* </pre></script><script>alert(1)</script> & 'x' *)
type location = Idle | Inside | Gone
var Locked : bool
array At[proc] : location
init (p) { Locked = False && At[p] = Idle }
unsafe (p q) { At[p] = Inside && At[q] = Inside }
transition enter (p) requires { At[p] = Idle } { At[p] := Inside; Locked := True; }
transition never (p) requires { At[p] = Gone } { At[p] := Idle; }
";

fn page(options: &Options, name: &str, answer: &str, data: &str) -> String {
    let system = cubicle_lang::load(LOCK).unwrap().system;
    let mut collector = Collector::default();
    let report = Checker::new(engine).check(&system, options, &Interrupt::default(), &mut collector).unwrap();
    let source = Source { name, text: LOCK };
    run_page(source, Some((&system, &report)), answer, &collector.0, data)
}

/// Elements are closed in the order in which they were opened.
fn balanced(html: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        if let Some(behind) = rest.strip_prefix('/') {
            let name = behind.split('>').next().unwrap();
            assert_eq!(open.pop(), Some(name), "closed in the wrong place");
        } else if !rest.starts_with('!') {
            let name = rest.split([' ', '>', '/', '\n']).next().unwrap();
            let tag = rest.split('>').next().unwrap();
            assert!(name.chars().all(|c| c.is_ascii_alphanumeric()), "{name:?}");
            if !["meta", "input"].contains(&name) && !tag.ends_with('/') {
                open.push(name);
            }
            if ["script", "style"].contains(&name) {
                rest = &rest[rest.find(&format!("</{name}")).unwrap()..];
            }
        }
    }
    assert_eq!(open, Vec::<&str>::new());
}

/// Its elements are closed, and it has these parts.
fn check(html: &str, parts: &[&str]) {
    balanced(html);
    for part in parts {
        assert!(html.contains(part), "{part} is missing in {html}");
    }
}

#[test]
fn a_page_has_all_its_parts() {
    let html = page(&Options::classic(), "lock.cub", "UNSAFE !", "{\"a\": 1}");
    let parts = [
        "<section id=\"verdict\"",
        "<section id=\"trace\"",
        "<section id=\"proof\"",
        "<p class=\"note legend\">",
        "<section id=\"model\"",
        "<section id=\"statistics\"",
        "<p class=\"answer bad\">UNSAFE !</p>",
        "<table class=\"lanes\">",
        "<table class=\"states\">",
        "<a href=\"#L7\">enter(#1)</a>",
        "id=\"L7\"",
        "<span class=\"k\">transition</span>",
        "<g class=\"node bad\" tabindex=\"0\" role=\"button\" aria-label=\"node 1, unsafe at line 6: At[#1] = Inside &amp;&amp; At[#2] = Inside\"",
        "<td class=\"changed\"><span>Inside</span><span class=\"mark\" aria-label=\"changed\">*</span></td>",
        "<script type=\"application/json\" id=\"run\">{\"a\": 1}</script>",
    ];
    check(&html, &parts);
    let mut options = Options::explore(2);
    options.forward.strategy = Strategy::Cfl;
    options.forward.epochs = Some(3);
    options.forward.stop_at_unsafe = false;
    let html = page(&options, "lock.cub", "UNSAFE !", "{}");
    let parts = [
        "<section id=\"coverage\"",
        "class=\"never\">never",
        "<section id=\"exploration\"",
        "<polyline class=\"curve c1\"",
    ];
    check(&html, &parts);
}

/// A run without an end has its lanes and its table, the loop is marked in both, and each fairness condition is answered.
#[test]
fn a_page_shows_runs_without_an_end() {
    let text = LOCK.to_owned()
        + "transition idle () { Locked := False; }\nfair never\n\
           response gone (p) { At[p] = Idle } ~> { At[p] = Gone }\n";
    let system = cubicle_lang::load(&text).unwrap().system;
    let mut options = Options::explore(2);
    options.forward.stop_at_unsafe = false;
    let report = Checker::new(engine)
        .check(&system, &options, &Interrupt::default(), &mut Collector::default())
        .unwrap();
    let source = Source { name: "lock.cub", text: &text };
    let graph = SearchGraph::default();
    let html = run_page(source, Some((&system, &report)), "VIOLATED: gone", &graph, "{}");
    let parts = [
        "<li>gone: VIOLATED with 2 processes</li>",
        "<section id=\"run-1\"",
        "Run: gone</h2>",
        "Init -&gt; [ ",
        " ] for ever</p>",
        "<span class=\"mark\">[</span>",
        "<span class=\"mark\">] for ever: the state after step 0 again</span>",
        "the response never comes</p>",
        "<li>fair never(#1): not possible",
    ];
    check(&html, &parts);
    assert_eq!(html.matches("] for ever: the state").count(), 2, "in the lanes and in the table");
}

#[test]
fn a_page_loads_nothing_and_runs_no_foreign_script() {
    let name = "\"><img src=x onerror=alert(1)>\u{202e}.cub";
    let html =
        page(&Options::classic(), name, "<b>UNSAFE</b>", "{\"x\": \"</script><script>alert(2)</script>\"}");
    balanced(&html);
    assert_eq!((html.matches("<script").count(), html.matches("</script>").count()), (2, 2));
    for bad in
        ["<img", "onerror=alert(1)>", "<b>", "http:", "https:", "src=", "style=", "\u{202e}", "<pre></script"]
    {
        let harmless = bad == "src=" && html.matches("src=").count() == html.matches("&lt;img src=").count();
        assert!(!html.contains(bad) || harmless || bad == "onerror=alert(1)>", "{bad}");
    }
    assert!(html.contains("&quot;&gt;&lt;img src=x onerror=alert(1)&gt;[U+202E].cub"));
    assert!(html.contains("default-src 'none'"));
}

#[test]
fn a_run_that_was_ended_from_outside_has_a_page() {
    let mut graph = SearchGraph::default();
    let origin = GraphOrigin::Bad("unsafe at line 1".into());
    let node = GraphNode { id: Some(0), origin, cube: vec!["<A> = B".into()], fate: GraphFate::Visited(1) };
    graph.note(&GraphStep::Node(node));
    let source = Source { name: "m.cub", text: "var" };
    let html = run_page(source, None, "UNKNOWN: the time limit was reached", &graph, "{}");
    balanced(&html);
    assert!(html.contains("<p class=\"answer open\">UNKNOWN") && html.contains("in the middle of a step"));
    assert!(html.contains("&lt;A&gt; = B"));
}

#[test]
fn a_page_of_mutants_has_all_its_parts() {
    let loaded = cubicle_lang::load(LOCK).unwrap();
    let (options, interrupt) = (MutationOptions::new(Checker::new(engine)), Interrupt::default());
    let model = ModelSource::new(&loaded.system, LOCK);
    let plan = Plan::new(&loaded.file, model, &MutantSelection::default(), &interrupt);
    let found = mutation::run(model, &plan, &options, None, &interrupt, &|_| {});
    let name = "\"><img src=x onerror=alert(1)>.cub";
    let source = Source { name, text: LOCK };
    let document = MutationDocument::new(&found, &source, &Document::new(&Head::example()));
    let html = mutation_page(source, &document, "3 of <5> killed");
    assert_eq!((html.matches("<script").count(), html.matches("<img").count()), (2, 0));
    let parts = [
        "<p class=\"answer good\">3 of &lt;5&gt; killed</p>",
        "<section id=\"rates\"",
        "<meter min=\"0\" max=\"100\"",
        "<section id=\"curve\"",
        "<section id=\"matrix\"",
        "<a href=\"#L7\"",
        "<span class=\"never\">- ",
        "id=\"L7\"",
    ];
    check(&html, &parts);
}
